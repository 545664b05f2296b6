# SPDX-License-Identifier: Apache-2.0
"""The cells of a plan: every combination of levels but those that are excluded."""

import itertools
from collections.abc import Mapping
from types import MappingProxyType

from coalescope_host.newer_python import zip_strict

from .factors import Level, Levels

MOST_CELLS = 100_000


def cells_of(
    factors: Mapping[str, tuple[Level, ...]], constants: Levels, excluded: list[Levels]
) -> list[Levels]:
    """All cells in the order of the plan, without the excluded ones."""
    names = list(factors)
    cells = (dict(zip_strict(names, levels)) for levels in itertools.product(*factors.values()))
    return [
        MappingProxyType(cell | dict(constants))
        for cell in cells
        if not any(all(cell[name] == level for name, level in out.items()) for out in excluded)
    ]
