# SPDX-License-Identifier: Apache-2.0
"""The number of queues (`ethtool -L`)."""

from .ethtool_messages import CHANNELS_GET, CHANNELS_SET, ChannelsMessage
from .group import Attribute, EthtoolGroup

CHANNELS = EthtoolGroup(
    name="channels",
    option="-l",
    message=ChannelsMessage,
    get=CHANNELS_GET,
    set=CHANNELS_SET,
    attributes={
        "queues": Attribute("COMBINED_COUNT", "combined", maximum="COMBINED_MAX"),
        "queues_rx": Attribute("RX_COUNT", "rx", maximum="RX_MAX"),
        "queues_tx": Attribute("TX_COUNT", "tx", maximum="TX_MAX"),
    },
)
