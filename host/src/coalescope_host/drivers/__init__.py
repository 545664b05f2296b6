# SPDX-License-Identifier: Apache-2.0
"""What coalescing each driver takes, as the kernel's sources say: drivers.json, and its reader."""

from .table import DRIVERS, RELEASES, Driver, Fact, driver_named

__all__ = ["DRIVERS", "RELEASES", "Driver", "Fact", "driver_named"]
