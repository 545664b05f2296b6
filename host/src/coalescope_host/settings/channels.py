# SPDX-License-Identifier: Apache-2.0
"""The number of queues (`ethtool -L`)."""

from .ethtool_group import EthtoolGroup
from .ethtool_messages import CHANNELS_GET, CHANNELS_SET, ChannelsMessage

CHANNELS = EthtoolGroup("channels", "-l", ChannelsMessage, CHANNELS_GET, CHANNELS_SET)
