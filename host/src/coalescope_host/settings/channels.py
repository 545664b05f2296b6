# SPDX-License-Identifier: Apache-2.0
"""The number of queues (`ethtool -L`)."""

from __future__ import annotations

from .device import Device
from .ethtool_group import EthtoolGroup
from .ethtool_messages import CHANNELS_GET, CHANNELS_SET, ChannelsMessage
from .flow_rules import held_by_rules, lost_with_queues, receive_rings
from .level import NO_OTHERS, Level, Levels
from .rss_contexts import held_by_contexts
from .rss_table import read_rss

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
        if setting in ("queues", "queues_rx") and (problem := self._held(device, cell)):
            return problem
        return lost_with_queues(device, setting, level, self.read(device).get(setting))

    def _held(self, device: Device, cell: Levels) -> str | None:
        """Why the kernel takes no queue away: what somebody asked for leads there."""
        left = self._left(device, "queues_rx", cell)
        return (
            held_by_rules(device, left)
            or held_by_contexts(device, left)
            or (None if "rss_queues" in cell else self._held_by_table(device, left))
        )

    def _held_by_table(self, device: Device, left: int) -> str | None:
        rss = read_rss(device)
        if rss is None or rss.is_default(self.receiving(device)):
            return None
        last = max(rss.table, default=0)
        if last < left:
            return None
        back = device.command("ethtool", "-X", device.name, "default")
        return (
            f"its indirection table leads to queue {last}: set rss_queues as well, or "
            f"give it the default first, `{back}`"
        )

    def renew(self, device: Device) -> None:
        """Have the driver set up its queues anew: one fewer, and the same again."""
        now = self.read(device)
        for setting in ("queues", "queues_rx"):
            if (count := int(now.get(setting, 0))) > 1:
                self.write(device, {setting: count - 1})
                self.write(device, {setting: count})
                return

    def _left(self, device: Device, own: str, beside: Levels) -> int:
        """How many queues of one way there will be."""
        levels = {**self.read(device), **beside}
        return int(levels.get("queues", 0)) + int(levels.get(own, 0))

    def receive_queues(self, device: Device, beside: Levels) -> int | None:
        """How many there will be once the cell is set; None where the driver does not say."""
        if beside.keys() & {"queues", "queues_rx"}:
            return self._left(device, "queues_rx", beside)
        return receive_rings(device)

    def receiving(self, device: Device) -> int:
        """How many receive now, as the driver says, or by its channels; 0 where neither does."""
        rings = receive_rings(device)
        return self._left(device, "queues_rx", NO_OTHERS) if rings is None else rings


CHANNELS = ChannelsGroup("channels", "-l", ChannelsMessage, CHANNELS_GET, CHANNELS_SET)
