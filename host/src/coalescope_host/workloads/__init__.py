# SPDX-License-Identifier: Apache-2.0
"""The traffic of a sweep's runs: a module for each kind, and `prepare`, which chooses."""

from .preparation import KINDS, prepare
from .traffic import Traffic, WorkloadError

__all__ = ["KINDS", "Traffic", "WorkloadError", "prepare"]
