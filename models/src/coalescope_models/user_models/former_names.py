# SPDX-License-Identifier: Apache-2.0
"""Modules under the names that texts of version 0.1 import them by."""

from __future__ import annotations

import sys
from importlib import import_module

_PACKAGE = "coalescope_models"

#: Modules of `phenomena` that stood in the package's root.
_FORMER = (
    "bus",
    "cpu_overhead",
    "host_costs",
    "interrupt_load",
    "interrupts",
    "link",
    "moderation",
    "napi",
    "receive_path",
    "request_response",
    "tcp_throughput",
)


def offer_former_names() -> None:
    """Let `from coalescope_models.link import …` find the module in `phenomena`."""
    for name in _FORMER:
        if f"{_PACKAGE}.{name}" not in sys.modules:
            sys.modules[f"{_PACKAGE}.{name}"] = import_module(f"{_PACKAGE}.phenomena.{name}")
