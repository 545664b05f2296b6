# SPDX-License-Identifier: Apache-2.0
"""Tells a store what a sweep plans and how far it is. It may fail; the runs count, not this."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from coalescope_host.plan.cells import cells_of
from coalescope_host.plan.factors import log_level, log_name
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.schedule import Run

from .progress import Progress
from .uploads import Uploads

_PAUSE_S = 60.0
_MOST_CELLS = 5000


class Announcement:
    """One sweep at one store, between runs: never during one."""

    def __init__(
        self, plan: Plan, seed: int, runs: Sequence[Run], done: int, uploads: Uploads | None
    ) -> None:
        """`done`: how many of the runs are done already; without uploads nothing is told."""
        self._path = f"/api/sweeps/{plan.plan_hash[:16]}-{seed}"
        self._uploads = uploads
        self._sweep = {
            "experiment": plan.experiment,
            "replicates": plan.replicates,
            "cells": _cells(plan),
        }
        self._runs = len(runs)
        self._done = done
        self._announced = False
        self._not_before = 0.0

    def tell(self, progress: Progress) -> None:
        """Say how far it is; after a failure not again for a minute."""
        self._put(progress, "running")

    def end(self, progress: Progress) -> None:
        """Say that it ended, or that something is left to do."""
        whole = self._done + progress.runs_done >= self._runs
        self._put(progress, "ended" if whole else "stopped", now=True)

    def _put(self, progress: Progress, state: str, *, now: bool = False) -> None:
        if self._uploads is None or (not now and time.monotonic() < self._not_before):
            return
        how_far = {
            "state": state,
            "runs_planned": self._runs,
            "runs_done": self._done + progress.runs_done,
            "runs_failed": progress.runs_failed,
            "left_s": progress.left_s if math.isfinite(progress.left_s) else None,
        }
        put = self._uploads.put
        self._announced = (self._announced and put(f"{self._path}/progress", how_far)) or put(
            self._path, self._sweep | how_far
        )
        if not self._announced:
            self._not_before = time.monotonic() + _PAUSE_S


def _cells(plan: Plan) -> list[dict[str, str | float]]:
    """Every setting, as the logs will call it; none where there are too many to tell."""
    cells = cells_of(plan.factors, plan.constants, list(plan.excluded))
    if len(cells) > _MOST_CELLS:
        return []
    return [{log_name(name): log_level(level) for name, level in cell.items()} for cell in cells]
