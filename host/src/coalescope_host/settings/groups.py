# SPDX-License-Identifier: Apache-2.0
"""All groups of settings, in the order in which they are written.

Queues and rings first: many drivers start the device anew for them, and some forget coalescing.
Where queues change with the table of RSS, that lets go of them before (`RssGroup.release`).
"""

from __future__ import annotations

from .channels import CHANNELS
from .coalescing import COALESCING
from .group import Group
from .machine import AFFINITY, MACHINE, STEERING, SYSCTL
from .mtu import MtuGroup
from .napi import NapiGroup
from .offloads import OffloadGroup
from .pause import PAUSE
from .rings import RINGS
from .rss import RSS

GROUPS: tuple[Group, ...] = (
    CHANNELS,
    RINGS,
    MtuGroup(),
    OffloadGroup(),
    PAUSE,
    COALESCING,
    RSS,
    NapiGroup(),
    STEERING,
    SYSCTL,
    AFFINITY,
    MACHINE,
)

OF_THE_MACHINE = frozenset({SYSCTL.name, MACHINE.name})
"""Groups of which all interfaces have the same."""


def group_of(factor: str) -> Group | None:
    """The group that a factor belongs to; None if it is no setting of an interface."""
    return next((group for group in GROUPS if group.owns(factor)), None)
