# SPDX-License-Identifier: Apache-2.0
"""Software moderation and polling of the kernel (attributes of the interface in sysfs)."""

from .device import Device
from .level import Level, Levels, as_switch, as_whole_number, shown

ATTRIBUTES = {
    "gro_flush_timeout_ns": "gro_flush_timeout",
    "napi_defer_hard_irqs": "napi_defer_hard_irqs",
    "napi_threaded": "threaded",
}
SWITCH = "napi_threaded"


class NapiGroup:
    """gro_flush_timeout (ns), napi_defer_hard_irqs (times), threaded (on or off)."""

    name = "napi"

    def owns(self, setting: str) -> bool:
        """Whether a setting of this name belongs here."""
        return setting in ATTRIBUTES

    def read(self, device: Device) -> dict[str, Level]:
        """All of these that this kernel has."""
        found: dict[str, Level] = {}
        for setting, attribute in ATTRIBUTES.items():
            text = device.sysfs(attribute)
            if text is not None and text.isdecimal():
                found[setting] = text != "0" if setting == SWITCH else int(text)
        return found

    saved = read

    def convert(self, setting: str, level: Level) -> Level:
        """The level as the kernel wants it; ValueError with what it must be."""
        return as_switch(level) if setting == SWITCH else as_whole_number(level, (1 << 31) - 1)

    def problem(self, device: Device, setting: str, level: Level) -> str | None:
        """Whether the kernel lacks the attribute."""
        if setting not in self.read(device):
            return f"this kernel does not have /sys/class/net/{device.name}/{ATTRIBUTES[setting]}"
        return None

    def implied(self, asked: Levels, now: Levels) -> dict[str, Level]:
        """Nothing: these stand for themselves."""
        return {}

    def write(self, device: Device, levels: Levels) -> None:
        """Write the attributes, one after the other."""
        for setting, level in levels.items():
            what = f"{setting} = {shown(level)} refused"
            device.write_sysfs(ATTRIBUTES[setting], str(int(level)), what)

    def commands(self, device: Device, levels: Levels) -> list[str]:
        """The shell commands that do the same."""
        return [
            device.command(
                "sh", "-c", f"echo {int(v)} > /sys/class/net/{device.name}/{ATTRIBUTES[s]}"
            )
            for s, v in levels.items()
        ]
