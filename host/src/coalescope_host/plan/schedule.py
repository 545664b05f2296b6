# SPDX-License-Identifier: Apache-2.0
"""The order of a sweep: blocks by replicate, each with all cells in an order of its own. Pure."""

from __future__ import annotations

import hashlib
import json
import random
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from coalescope_host.newer_python import zip_strict

from .cells import cells_of
from .factors import Levels, cell_text
from .plan import Plan

NAMESPACE = uuid.UUID("6c1f1d0e-6c0b-5c52-9a3a-0b8a5b9c3f17")


@dataclass(frozen=True)
class Run:
    """One replicate of one cell.

    Attributes:
        id: UUID, the same whenever the same plan is scheduled with the same seed.
        order: place in the whole sweep, from 1.
        replicate: number of its block, from 1.
        seed: what the workload may draw from; differs from run to run.
        levels: a level for each factor.
    """

    id: str
    order: int
    replicate: int
    seed: int
    levels: Levels

    def __str__(self) -> str:
        return f"run {self.order} (replicate {self.replicate}): {cell_text(self.levels)}"


def schedule(
    plan: Plan,
    seed: int,
    replicates: Collection[int] | None = None,
    needed: Mapping[str, int] | None = None,
) -> tuple[Run, ...]:
    """All runs in their order, or some of them: in the same order, with the same ids.

    Each block is shuffled by a generator of its own, derived from the seed and its number.

    Args:
        plan: what is swept.
        seed: of the order.
        replicates: of these blocks only.
        needed: of these cells only, by `cell_text`, and as many replicates of each.
    """
    wanted = range(1, plan.replicates + 1) if replicates is None else sorted(set(replicates))
    runs = (run for replicate in wanted for run in _block(plan, seed, replicate))
    return tuple(
        run
        for run in runs
        if needed is None or run.replicate <= needed.get(cell_text(run.levels), 0)
    )


def _block(plan: Plan, seed: int, replicate: int) -> Iterator[Run]:
    cells = cells_of(plan.factors, plan.constants, list(plan.excluded))
    first = (replicate - 1) * len(cells) + 1
    random.Random(f"{seed}/{replicate}").shuffle(cells)  # noqa: S311
    for order, cell in enumerate(cells, first):
        yield run_of(plan, seed, replicate, order, cell)


def run_of(plan: Plan, seed: int, replicate: int, order: int, cell: Levels) -> Run:
    """One run of a plan: the same arguments but for the order give the same id."""
    name = _name(plan, seed, replicate, cell)
    return Run(str(uuid.uuid5(NAMESPACE, name)), order, replicate, _seed(name), cell)


def _name(plan: Plan, seed: int, replicate: int, cell: Levels) -> str:
    return json.dumps(
        [plan.experiment, plan.plan_hash, seed, replicate, dict(cell)], sort_keys=True
    )


def _seed(name: str) -> int:
    """31 bits, as every tool takes them."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1


def pilot_runs(plan: Plan, runs: Sequence[Run]) -> list[list[Run]]:
    """What to try before the sweep: for each workload of these runs its cells, middle ones first.

    The first that can be set is enough.
    """
    cells = cells_of(plan.factors, plan.constants, list(plan.excluded))
    return [
        _from_the_middle(plan, [cell for cell in cells if cell["workload"] == name])
        for name in dict.fromkeys(run.levels["workload"] for run in runs)
    ]


def _from_the_middle(plan: Plan, cells: Sequence[Levels]) -> list[Run]:
    middle = len(cells) // 2
    nearest = sorted(range(len(cells)), key=lambda place: abs(place - middle))
    names = [f"pilot/{plan.plan_hash}/{cell_text(cells[place])}" for place in nearest]
    return [
        Run(str(uuid.uuid5(NAMESPACE, name)), 0, 0, _seed(name), cells[place])
        for name, place in zip_strict(names, nearest)
    ]
