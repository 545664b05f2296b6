# SPDX-License-Identifier: Apache-2.0
"""Virtual machines for tests and for the testbed: Debian's kernels and programs under QEMU.

Tests boot one with `guest.machine.Guest`. What was fetched and built is in driver/guest/build.
"""
