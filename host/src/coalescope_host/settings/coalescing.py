# SPDX-License-Identifier: Apache-2.0
"""Interrupt coalescing (`ethtool -C`).

`delay_us` is rx-usecs: a number that adaptive moderation would move, so it is switched off.
"""

from .ethtool_group import EthtoolGroup
from .ethtool_messages import COALESCE_GET, COALESCE_SET, CoalesceMessage

COALESCING = EthtoolGroup("coalescing", "-c", CoalesceMessage, COALESCE_GET, COALESCE_SET)
