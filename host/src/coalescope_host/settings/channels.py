# SPDX-License-Identifier: Apache-2.0
"""The number of queues (`ethtool -L`)."""

from .device import Device
from .ethtool_group import EthtoolGroup
from .ethtool_messages import CHANNELS_GET, CHANNELS_SET, ChannelsMessage
from .flow_rules import lost_with_queues, receive_rings
from .level import NO_OTHERS, Level, Levels

WAYS = {"queues_rx": "receive", "queues_tx": "transmit"}


class ChannelsGroup(EthtoolGroup):
    """Numbers of queues, which some drivers do not change without loss."""

    def problem(
        self, device: Device, setting: str, level: Level, beside: Levels = NO_OTHERS
    ) -> str | None:
        """Why the device cannot take this level, or would lose what cannot be put back."""
        if problem := super().problem(device, setting, level, beside):
            return problem
        cell = {**beside, setting: level}
        for own, way in WAYS.items():
            if setting in ("queues", own) and not self._left(device, own, cell):
                return f"it would have no {way} queue left"
        return lost_with_queues(device, setting, level, self.read(device).get(setting))

    def _left(self, device: Device, own: str, beside: Levels) -> int:
        """How many queues of one way there will be."""
        levels = {**self.read(device), **beside}
        return int(levels.get("queues", 0)) + int(levels.get(own, 0))

    def receive_queues(self, device: Device, beside: Levels) -> int | None:
        """How many there will be once the cell is set; None where the driver does not say."""
        if beside.keys() & {"queues", "queues_rx"}:
            return self._left(device, "queues_rx", beside)
        return receive_rings(device)


CHANNELS = ChannelsGroup("channels", "-l", ChannelsMessage, CHANNELS_GET, CHANNELS_SET)
