# SPDX-License-Identifier: Apache-2.0
"""The bootstrap: against general solvers, and over a thousand replicated cells on two cores."""

from __future__ import annotations

import time

import numpy as np
import odrpack
from coalescope_models.inference.fitting import FitResult, fit_linear
from coalescope_models.inference.fitting.points import K
from rows import Row
from scipy import optimize

COLUMNS = ("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts")
COSTS = np.array([0.813, 0.266, 1.11])
RESAMPLES = 10_000
CELLS, REPLICATES = 1_000, 10


def table(cells: int, replicates: int) -> dict[str, np.ndarray]:
    """Counts and CPU time with 1 % noise, for settings of the size of the 2005 study's."""
    rng = np.random.default_rng(1)
    mtu = rng.choice([1500.0, 3000.0, 4500.0, 6000.0], cells).repeat(replicates)
    packets = 5e6 / mtu * rng.uniform(1.0, 1.4, cells).repeat(replicates)
    interrupts = packets / rng.uniform(1.5, 12.0, cells).repeat(replicates)
    counts = np.column_stack([np.full(len(mtu), 5010.0), packets, interrupts])
    noisy = (counts @ COSTS) * (1.0 + 0.01 * rng.normal(size=len(mtu)))
    return dict(zip((*COLUMNS, "system_cpu_jiffies"), [*counts.T, noisy], strict=True))


def fitted(data: dict[str, np.ndarray], **more: object) -> tuple[FitResult, float, float]:
    """The fit, the seconds it took, and those of CPU time."""
    start, cpu = time.perf_counter(), time.process_time()
    result = fit_linear("cpu-overhead", data, rng=1, resamples=RESAMPLES, **more)  # type: ignore[arg-type]
    return result, time.perf_counter() - start, time.process_time() - cpu


def solvers(points: np.ndarray) -> dict[str, float]:
    """Seconds of one fit of the same points: orthogonal distances by odrpack, squares by scipy."""
    ones = np.full(len(points), K)

    def by_odrpack() -> None:
        odrpack.odr_fit(lambda x, b: b @ x, points.T, ones, beta0=COSTS)

    def by_scipy() -> None:
        optimize.least_squares(lambda b: points @ b - ones, COSTS)

    found = {}
    for name, solve in (("odrpack", by_odrpack), ("scipy", by_scipy)):
        start = time.perf_counter()
        for _ in range(20):
            solve()
        found[name] = (time.perf_counter() - start) / 20
    return found


def measure() -> list[Row]:
    """Rows for the report."""
    small = table(27, 1)
    per_fit = min(fitted(small, strata=np.repeat(np.arange(3), 9))[1] for _ in range(5)) / RESAMPLES
    points = np.column_stack([small[name] for name in COLUMNS])
    points *= (K / small["system_cpu_jiffies"])[:, None]
    times = solvers(points)
    large = table(CELLS, REPLICATES)
    labels = np.arange(CELLS).repeat(REPLICATES)
    runs = [fitted(large, cells=labels, workers=2) for _ in range(3)]
    alone, alone_s, _ = fitted(large, cells=labels, workers=1)
    same = all(result == alone for result, _, _ in runs)
    best, cpu = min((seconds, cpu) for _, seconds, cpu in runs)
    return [
        Row(
            "bootstrap of 27 rows, a fit, against odrpack",
            f"{times['odrpack'] / per_fit:,.0f} × as fast ({1e6 * per_fit:.1f} µs a fit)",
            "≥ 100 ×",
            times["odrpack"] / per_fit >= 100.0,
        ),
        Row(
            "the same against scipy's least squares",
            f"{times['scipy'] / per_fit:,.0f} × as fast",
        ),
        Row(
            f"bootstrap of {CELLS:,} cells × {REPLICATES} × {RESAMPLES:,}, two threads",
            f"{best:.2f} s, {cpu:.2f} s of CPU (one thread {alone_s:.2f} s)",
            "≤ 2 s",
            best <= 2.0,
        ),
        Row(
            "the same for one and two threads",
            "bit by bit" if same else "DIFFERS",
            "bit by bit",
            same,
        ),
    ]
