# SPDX-License-Identifier: Apache-2.0
"""The number of queues (`ethtool -L`)."""

from .device import Device
from .ethtool_group import EthtoolGroup
from .ethtool_messages import CHANNELS_GET, CHANNELS_SET, ChannelsMessage
from .flow_rules import lost_with_queues
from .level import Level


class ChannelsGroup(EthtoolGroup):
    """Numbers of queues, which some drivers do not change without loss."""

    def problem(self, device: Device, setting: str, level: Level) -> str | None:
        """Why the device cannot take this level, or would lose what cannot be put back."""
        if problem := super().problem(device, setting, level):
            return problem
        return lost_with_queues(device, setting, level, self.read(device).get(setting))


CHANNELS = ChannelsGroup("channels", "-l", ChannelsMessage, CHANNELS_GET, CHANNELS_SET)
