# SPDX-License-Identifier: Apache-2.0
"""For each setting that a host has, a level that it does not have now."""

import os
from typing import Any

from coalescope_host.plan.registry import SETTINGS
from coalescope_host.settings.groups import GROUPS, group_of


def candidates(name: str, now: Any) -> list[Any]:
    """Levels to try, the likeliest first; not the one of now."""
    return [level for level in _candidates(name, now) if level != now]


def _candidates(name: str, now: Any) -> list[Any]:
    if isinstance(now, bool):
        return [not now]
    if name.endswith("_cpus"):
        online = sorted(os.sched_getaffinity(0))
        return [str(cpu) for cpu in reversed(online)] + ["none"]
    if name == "mtu_bytes":
        return [1400, 1200]
    if name in ("ring_rx", "ring_tx"):
        return [now * 2, now // 2, 512]
    if name.startswith("queues"):
        return [now + 1, now - 1]
    rule = next((row.rule for row in SETTINGS if row.name == name), None)
    if rule is not None and rule.choices:
        return [word for word in rule.choices if word != now]
    if isinstance(now, int):
        return [now + 3, now + 32, max(now - 1, 0), 2 * now + 16, 1]
    return []


def settable(host: Any) -> dict[str, Any]:
    """All that the host says it has and can set, as it is now."""
    found: dict[str, Any] = {}
    for group in GROUPS:
        for name, level in group.read(host.device).items():
            if group_of(name) is group and not host.problems({name: level}):
                found[name] = level
    return found


def further(host: Any) -> list[dict[str, Any]]:
    """What it can set beside that, where it can: from no level of now, or through netlink only."""
    asked: list[dict[str, Any]] = [
        {"rss_queues": 1},
        {"napi_threaded": "busy-poll"},
        {"napi_threaded": True, "napi_cpus": "0"},
    ]
    return [levels for levels in asked if not host.problems(levels)]
