# SPDX-License-Identifier: Apache-2.0
"""Writes docs/settings.md: all that a sweep can set, from the registry of the host tools.

python docs/settings_table.py > docs/settings.md
"""

import sys
from collections.abc import Iterator

from coalescope_host.plan.registry import MEANINGS, OFFLOAD_FAMILIES, OFFLOADS, SETTINGS, Setting

HEAD = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `python docs/settings_table.py`: change coalescope_host/plan/registry.py. -->

# Settings

All that a sweep can set, read back and put back. Each is a factor of a plan, or with a single level
a constant. The names of ethtool, of the netlink specifications and of sysctl are understood, with
hyphens or underscores; a word that ethtool has twice, such as `rx`, is asked about. Switches are
`true` and `false`, or `"on"` and `"off"`. `coalescope-host sweep PLAN --dry-run` says which of them
an interface does not have, and the commands that set the others.
"""
GROUPS = {
    "mtu": ("MTU", "`ip link set`. Interfaces that stand on this one are put back with it."),
    "coalescing": (
        "Interrupt coalescing",
        "`ethtool -C`. A number that adaptive moderation would move switches that off.",
    ),
    "rings": ("Rings and buffers", "`ethtool -G`."),
    "channels": ("Queues", "`ethtool -L`."),
    "pause": ("Pause frames", "`ethtool -A`. To set one switches negotiation off."),
    "napi": (
        "NAPI",
        "sysfs, and netdev's `napi-set` from Linux 6.13 on. A level is given to every NAPI of the\n"
        "interface; each gets its own value back.",
    ),
    "rss": (
        "Receive side scaling",
        "`ethtool -X`. The whole table and the key are put back; the driver's own table as such, "
        "since a\ncard can have fewer queues only while nobody has asked for a table that leads to "
        "more. The kernel\ndoes not say who asked: a table that spreads evenly over all queues "
        "counts as the driver's own.",
    ),
    "steering": ("Packet steering", "`/sys/class/net/NAME/queues`: all queues alike."),
    "sysctl": ("Limits of the network stack", "sysctl, of the whole machine."),
    "interrupts": (
        "CPUs of interrupts and NAPI threads",
        "`/proc/irq`, and the affinity of the threads; all of the interface alike.",
    ),
    "machine": (
        "Processors",
        "Of the whole machine, and absent in most virtual ones: tested on imitations of their "
        "files, not\n"
        "on a processor that has them. `irqbalance = false` pauses it.",
    ),
    "workload": (
        "Workload",
        "`taskset` before the command and the servers of this host; nothing is read back.",
    ),
}


def text() -> str:
    """The whole page."""
    parts = [HEAD]
    for group, (title, about) in GROUPS.items():
        rows = [row for row in SETTINGS if row.group == group]
        parts += [f"\n## {title}\n\n{about}\n\n| factor | also | levels |\n|---|---|---|\n"]
        parts += (
            f"| `{row.name}` | {_also(row)} | {_cell(row.rule.description)} |\n" for row in rows
        )
    return "".join([*parts, *_offloads()])


def _also(row: Setting) -> str:
    words = (row.word, *row.aliases)
    return ", ".join(f"`{word}`" for word in words if MEANINGS.get(word) == (row.name,))


def _offloads() -> Iterator[str]:
    yield "\n## Offloads\n\n`ethtool -K`: `offload.NAME`, or the name alone: any feature that "
    yield "`ethtool -k` lists, or a\nshort word.\n\n| factor | also | feature |\n|---|---|---|\n"
    families = {short: f"{start}…" for short, start in OFFLOAD_FAMILIES.items()}
    for short, feature in {**OFFLOADS, **families}.items():
        alone = f"`{short}`" if len(MEANINGS[short]) == 1 else ""
        yield f"| `offload.{short}` | {alone} | `{feature}` |\n"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(text())
