# SPDX-License-Identifier: Apache-2.0
"""What one setting changes against another, in every measure that both have. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from coalescope_host.newer_python import zip_strict
from coalescope_host.tuning import losses
from coalescope_host.tuning.belief import Measured
from coalescope_host.tuning.drift import Reading, drift_of

from .interval import t_quantile

#: Measures that are shown, with whether more of them is better.
_SHOWN: Mapping[str, bool] = {
    "throughput_mbps": True,
    "latency_p50_us": False,
    "latency_p99_us": False,
    "latency_p999_us": False,
    "traffic_cpu_s_per_gb": False,
    "interface_cpu_s_per_gb": False,
    "system_cpu_s_per_gb": False,
    "host_cpu_percent": False,
    "energy_j_per_gb": False,
    **dict.fromkeys((name for kind in losses.KINDS for name in kind), False),
    "rx_interrupt_rate_hz": False,
}
#: Neither better nor worse as such.
_NEUTRAL = frozenset({"rx_interrupt_rate_hz"})


@dataclass(frozen=True)
class Gain:
    """One measure at two settings.

    Attributes:
        before, after: geometric means; of what is lost, means.
        change_percent: of the mean; None where it was 0.
        ci95_percent: of the change, by Welch's t on logarithms; None where a setting has one run,
            and of what is lost.
        loses_more: of what is lost, whether it is more (True) or less than chance explains.
    """

    measure: str
    before: float
    after: float
    change_percent: float | None
    ci95_percent: tuple[float, float] | None
    loses_more: bool | None = None

    @property
    def verdict(self) -> str:
        """Whether it is for the better, as far as the interval tells."""
        if self.loses_more is not None:
            return "worse" if self.loses_more else "better"
        if self.change_percent is None or self.ci95_percent is None:
            return "no difference shown"
        if self.ci95_percent[0] <= 0.0 <= self.ci95_percent[1]:
            return "no difference shown"
        if self.measure in _NEUTRAL:
            return ""
        return "better" if (self.change_percent > 0.0) == _SHOWN[self.measure] else "worse"


def gains(runs: Sequence[Measured], before: int, after: int) -> Iterator[Gain]:
    """Compare two settings; what rounds have in common is taken out, in all runs that tell it."""
    compared = [run for run in runs if run.setting in (before, after)]
    for name in _SHOWN:
        if name in losses.LOSSES:
            yield from _lost(name, compared, before, after)
            continue
        having = {run.setting for run in compared if run.values.get(name, 0.0) > 0.0}
        if having == {before, after}:
            telling = [run for run in runs if run.values.get(name, 0.0) > 0.0]
            readings = [
                Reading(run.setting, run.round, math.log(run.values[name])) for run in telling
            ]
            settled = drift_of(readings).taken_out(readings)
            yield _gain(name, _of(settled, before), _of(settled, after))


def _lost(measure: str, compared: Sequence[Measured], before: int, after: int) -> Iterator[Gain]:
    """What is lost has no logarithms, and drifts with nothing."""
    runs = {
        setting: [
            run.values[measure]
            for run in compared
            if run.setting == setting and measure in run.values
        ]
        for setting in (before, after)
    }
    if not all(runs.values()):
        return
    there, here = (fmean(own) for own in runs.values())
    more = after in losses.lossier(measure, runs, before, 0.0)
    less = before in losses.lossier(measure, runs, after, 0.0)
    percent = 100.0 * (here / there - 1.0) if there else None
    yield Gain(measure, there, here, percent, None, more if more != less else None)


def _of(readings: Iterable[Reading], setting: int) -> list[float]:
    return [reading.value for reading in readings if reading.setting == setting]


def _gain(measure: str, before: Sequence[float], after: Sequence[float]) -> Gain:
    change = fmean(after) - fmean(before)
    half = _half_width(before, after)
    ci95 = None if half is None else (_percent(change - half), _percent(change + half))
    return Gain(measure, math.exp(fmean(before)), math.exp(fmean(after)), _percent(change), ci95)


def _half_width(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Of the difference's 95 % interval (Welch, Biometrika 34, 1947,
    https://doi.org/10.1093/biomet/34.1-2.28)."""
    if min(len(a), len(b)) < 2:
        return None
    parts = [variance(values) / len(values) for values in (a, b)]
    total = sum(parts)
    if not total > 0.0:
        return 0.0
    freedom = total**2 / sum(
        part**2 / (len(values) - 1) for part, values in zip_strict(parts, (a, b))
    )
    return t_quantile(max(int(freedom), 1)) * math.sqrt(total)


def _percent(change: float) -> float:
    return 100.0 * math.expm1(change)
