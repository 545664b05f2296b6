# SPDX-License-Identifier: Apache-2.0
"""Descriptor rings and buffers (`ethtool -G`)."""

from .ethtool_group import EthtoolGroup
from .ethtool_messages import RINGS_GET, RINGS_SET, RingsMessage

RINGS = EthtoolGroup("rings", "-g", RingsMessage, RINGS_GET, RINGS_SET)
