# SPDX-License-Identifier: Apache-2.0
"""The virtual testbed, which makes the emulated data set. See docs/virtual-testbed.md."""
