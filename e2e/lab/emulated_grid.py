# SPDX-License-Identifier: Apache-2.0
"""The shipped virtual testbed as a machine that a tuning measures: replicates are drawn."""

import random
import tarfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from coalescope_host.plan.factors import Levels
from coalescope_host.run_log import RunLog, read, run_values
from coalescope_host.tuning.belief import Measured
from coalescope_host.tuning.experiment import Experiment
from coalescope_host.tuning.question import QUANTITIES, Question

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = ROOT / "datasets" / "virtual-testbed" / "raw" / "run-logs.tar.xz"
RUNS = 1110

Values = Mapping[str, float]


@dataclass(frozen=True)
class Grid:
    """All runs of one workload, by setting."""

    cells: Sequence[Levels]
    runs: Sequence[Sequence[Values]]

    @property
    def total(self) -> int:
        return sum(map(len, self.runs))

    def setting(self, mtu_bytes: int, delay_ticks: int) -> int:
        """The place of a cell."""
        return list(self.cells).index({"mtu_bytes": mtu_bytes, "delay_ticks": delay_ticks})

    def mean(self, setting: int, measure: str) -> float:
        """Over all replicates."""
        return geometric_mean(values[measure] for values in self.runs[setting])

    def allowed(self, question: Question) -> list[int]:
        """The settings that keep the guard by the means of the full grid."""
        everything = list(range(len(self.cells)))
        if not question.guards_throughput or question.within_percent is None:
            return everything
        speeds = [self.mean(k, "throughput_mbps") for k in everything]
        least = max(speeds) * (1 - question.within_percent / 100)
        return [k for k in everything if speeds[k] >= least]

    def loss_percent(self, question: Question, setting: int) -> float:
        """Against the best of the full grid that keeps the guard; infinite where it breaks it."""
        allowed = self.allowed(question)
        if setting not in allowed:
            return float("inf")
        aim = QUANTITIES[question.goal]
        measure = next(name for name in aim.aims if name in self.runs[setting][0])
        means = {k: self.mean(k, measure) for k in allowed}
        if aim.sense == "less":
            return 100 * (means[setting] / min(means.values()) - 1)
        return 100 * (max(means.values()) / means[setting] - 1)


@cache
def grids() -> Mapping[str, Grid]:
    """By workload."""
    found: dict[str, dict[tuple[int, int], list[Values]]] = defaultdict(lambda: defaultdict(list))
    with tarfile.open(ARCHIVE) as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is None:
                continue
            log = read(file.read())
            levels = {name: level["requested"] for name, level in _factors(log).items()}
            cell = int(levels["mtu_bytes"]), int(levels["delay_ticks"])
            found[str(levels["workload"])][cell].append(_values(log))
    return {
        workload: Grid(
            [{"mtu_bytes": mtu, "delay_ticks": delay} for mtu, delay in sorted(cells)],
            [cells[cell] for cell in sorted(cells)],
        )
        for workload, cells in found.items()
    }


def _factors(log: RunLog) -> Mapping[str, Any]:
    factors = log.header["factors"]
    assert isinstance(factors, dict)
    return factors


def _values(log: RunLog) -> Values:
    """With the latencies of the whole workload, which was steady, as the data set says."""
    assert log.result is not None
    said = log.result.json()
    assert isinstance(said, dict)
    latencies = said.get("latency_us", {})
    percentiles = {
        f"latency_{name}_us": latencies[name] / log.time_dilation
        for name in ("p50", "p99", "p999")
        if name in latencies
    }
    return {**run_values(log), **percentiles}


@dataclass(frozen=True)
class Replayed:
    """What came of a tuning: the setting, and how many runs it took."""

    answer: int | None
    runs: int


def replay(grid: Grid, question: Question, seed: int, budget: int) -> Replayed:
    """Tune on the shipped runs."""
    experiment = Experiment(grid.cells, question, {}, seed)
    chance = random.Random(seed)
    runs: list[Measured] = []
    while settings := experiment.next_round(runs, budget - len(runs)):
        number = len(experiment.choices) + 1
        runs += [Measured(k, number, chance.choice(grid.runs[k])) for k in settings]
        experiment.learn(runs)
    return Replayed(experiment.choices[-1].answer, len(runs))


def at_random(grid: Grid, question: Question, seed: int, budget: int) -> Replayed:
    """Measure settings at random instead, with all of the budget, and answer by the same rule."""
    experiment = Experiment(grid.cells, question, {}, seed)
    chance = random.Random(seed)
    settings = [chance.randrange(len(grid.cells)) for _ in range(budget)]
    runs = [Measured(k, 1, chance.choice(grid.runs[k])) for k in settings]
    return Replayed(experiment.learn(runs).answer, len(runs))
