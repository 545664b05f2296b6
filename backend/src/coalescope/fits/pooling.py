# SPDX-License-Identifier: Apache-2.0
"""Which runs are replicates of one setting: those of a cell, or of cells pooled over factors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.runs.records import RunValues


def setting_labels(runs: Sequence[RunValues], pooled: Sequence[str]) -> NDArray[np.int64]:
    """Number the setting of each run; settings that differ in `pooled` factors only are one."""
    if not pooled:
        return np.array([run.cell_id for run in runs], dtype=np.int64)
    numbers: dict[object, int] = {}
    labels = []
    for run in runs:
        kept = frozenset(item for item in run.factors.items() if item[0] not in pooled)
        labels.append(numbers.setdefault(kept, len(numbers)))
    return np.array(labels, dtype=np.int64)


def check_pooled(runs: Sequence[RunValues], pooled: Sequence[str]) -> None:
    """Errors: 422 for a factor that no run has."""
    known = dict.fromkeys(name for run in runs for name in run.factors)
    for name in pooled:
        if name not in known:
            raise CoalescopeError(
                "unknown_factor",
                f"There is no factor {name[:80]!r} to pool.",
                where={"field": "pooled"},
                advice=f"{did_you_mean(name, known)}The factors are {', '.join(known) or 'none'}.",
            )
