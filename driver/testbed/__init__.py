# SPDX-License-Identifier: Apache-2.0
"""The virtual testbed: Debian guests under QEMU, for tests and for the emulated data set.

See docs/virtual-testbed.md. Tests boot a guest with `testbed.guest.Guest`.
"""
