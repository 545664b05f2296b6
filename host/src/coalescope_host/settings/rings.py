# SPDX-License-Identifier: Apache-2.0
"""Descriptor rings (`ethtool -G`)."""

from .ethtool_messages import RINGS_GET, RINGS_SET, RingsMessage
from .group import Attribute, EthtoolGroup

RINGS = EthtoolGroup(
    name="rings",
    option="-g",
    message=RingsMessage,
    get=RINGS_GET,
    set=RINGS_SET,
    attributes={
        "ring_rx": Attribute("RX", "rx", maximum="RX_MAX"),
        "ring_rx_mini": Attribute("RX_MINI", "rx-mini", maximum="RX_MINI_MAX"),
        "ring_rx_jumbo": Attribute("RX_JUMBO", "rx-jumbo", maximum="RX_JUMBO_MAX"),
        "ring_tx": Attribute("TX", "tx", maximum="TX_MAX"),
    },
)
