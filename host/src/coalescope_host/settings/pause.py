# SPDX-License-Identifier: Apache-2.0
"""Pause frames (`ethtool -A`): what is asked for counts only where it is not negotiated."""

from .ethtool_group import EthtoolGroup
from .ethtool_messages import PAUSE_GET, PAUSE_SET, PauseMessage

PAUSE = EthtoolGroup("pause", "-a", PauseMessage, PAUSE_GET, PAUSE_SET)
