# SPDX-License-Identifier: Apache-2.0
"""What a tuning says: where it stands after a round, and its answer. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from coalescope_host.newer_python import zip_strict
from coalescope_host.plan.factors import Levels, cell_text, level_text
from coalescope_host.plan.waits import side_of
from coalescope_host.tuning.belief import Measured
from coalescope_host.tuning.choice import FEWEST_RUNS
from coalescope_host.tuning.experiment import Experiment
from coalescope_host.tuning.losses import LOSSES
from coalescope_host.tuning.question import LATENCY_WITHIN_PERCENT, QUANTITIES, Question

from .gains import Gain, gains
from .way_back import WayBack

_MOST_LISTED = 6
_DRIFT_WORTH_TELLING = 0.005


@dataclass(frozen=True)
class Tuned:
    """How a tuning ended.

    Attributes:
        experiment: all that was learnt.
        runs: all that were made.
        ended: "settled", "settled before" or "budget".
        failed: settings that could not be measured, with the reason.
        to_set: shell commands that set the answer.
        back: what leads back from it.
    """

    experiment: Experiment
    runs: Sequence[Measured]
    ended: str
    failed: Mapping[int, str]
    to_set: Sequence[str]
    back: WayBack

    @property
    def answer(self) -> Levels | None:
        """The levels to set; None where the runs are not enough to choose any."""
        place = self._place
        return None if place is None else self.experiment.cells[place]

    @property
    def is_change(self) -> bool:
        """Whether there is something to set."""
        place = self._place
        return place is not None and (
            place != self.experiment.reference or not self.experiment.has_start
        )

    @property
    def changes_mtu(self) -> bool:
        """Whether the answer has another MTU than what is set now."""
        answer, start = self.answer or {}, self.experiment.start
        return "mtu_bytes" in answer and answer["mtu_bytes"] != start.get("mtu_bytes")

    @property
    def _place(self) -> int | None:
        return self.experiment.choices[-1].answer if self.experiment.choices else None

    def lines(self) -> Iterator[str]:
        """The answer, for people."""
        yield f"Asked: {asked(self.experiment.question, self._goal)}."
        yield from self._answer()
        for place, reason in self.failed.items():
            yield f"Not measured: {_named(self.experiment, place)}: {reason}"
        for setting, measure in self.experiment.lossier(self.runs).items():
            yield f"Loses more than now: {_named(self.experiment, setting)} ({measure})."
        yield from self._drift()
        if self.is_change:
            yield from _list("To set it:", self.to_set)
            yield from _list("The way back:", self.back.commands)
            yield from _list("Not in the way back:", self.back.lacking)

    @property
    def _goal(self) -> str | None:
        return None if self.experiment.belief is None else self.experiment.belief.goal

    def _answer(self) -> Iterator[str]:
        experiment, place = self.experiment, self._place
        tolerance = experiment.question.tolerance_percent
        amount = f"{len(self.runs)} runs of {len({run.setting for run in self.runs})} settings"
        if place is None:
            yield (
                f"Not enough to recommend a setting ({amount}): none with {FEWEST_RUNS} runs or "
                f"more is sure to keep the limits (99 %) and to lose at most {tolerance:g} % "
                "against the best (95 %). A larger --budget goes on from here; or loosen a limit."
            )
            if likely := [_named(experiment, k) for k in experiment.open_questions()]:
                yield f"Best so far: {_listed(likely)}."
            return
        if place == experiment.reference and experiment.has_start:
            yield (
                f"Leave it as it is: {_named(experiment, place)} loses at most {tolerance:g} % "
                f"against the best of {len(experiment.cells)} settings ({amount})."
            )
        else:
            yield f"Set {_named(experiment, place)} ({amount})."
        others = experiment.choices[-1].choices - {place}
        if others:
            named = [_named(experiment, k) for k in sorted(others, key=experiment.intrusion)]
            yield f"As good, and more of a change: {_listed(named)}."
        if place != experiment.reference:
            yield from self._against_the_reference(place)

    def _against_the_reference(self, place: int) -> Iterator[str]:
        experiment = self.experiment
        reference = experiment.reference
        found = list(gains(self.runs, reference, place))
        there, here = (sum(run.setting == k for run in self.runs) for k in (reference, place))
        against = "what is set now" if experiment.has_start else "the least of a change"
        yield (
            f"Against {against}, {_named(experiment, reference)} ({there} and {here} runs; 95 % "
            "intervals):"
        )
        yield from _table(found)

    def _drift(self) -> Iterator[str]:
        if self.experiment.belief is None:
            return
        for name, drift in self.experiment.belief.drifts.items():
            if drift.spread >= _DRIFT_WORTH_TELLING:
                yield (
                    f"{name} drifted from round to round by {100 * drift.spread:.1f} % (standard "
                    "deviation), which was taken out."
                )


def asked(question: Question, measure: str | None) -> str:
    """The question in words."""
    aim = QUANTITIES[question.goal]
    parts = [f"{'least' if aim.sense == 'less' else 'most'} {question.goal}"]
    if measure is not None:
        parts[0] += f" ({measure})"
    if question.guards_throughput:
        parts.append(f"throughput within {question.within_percent:g} % of its best")
    if question.loss_percent is not None:
        parts.append(f"losses within {question.loss_percent:g} % of now")
    if question.guards_latency:
        parts.append(f"latency within {LATENCY_WITHIN_PERCENT:g} % of now")
    parts += [f"{name} {side_of(name)} {value:g}" for name, value in question.waits]
    parts += map(str, question.limits)
    return ", ".join(parts)


def standing(experiment: Experiment, runs: Sequence[Measured]) -> str:
    """Where a tuning stands, in a line."""
    belief = experiment.belief
    counted = f"{len(runs)} run{'s' * (len(runs) != 1)}"
    answer = experiment.choices[-1].answer
    open_ones = experiment.open_questions()
    leader = answer if answer is not None else next(iter(open_ones), None)
    if belief is None or leader is None:
        return f"{counted}; no setting keeps the limits so far"
    change = _change(belief.goal, runs, experiment.reference, leader)
    word = "would be set" if answer is not None else "leads"
    return f"{counted}; {_named(experiment, leader)} {word}{change}"


def _change(goal: str, runs: Sequence[Measured], reference: int, leader: int) -> str:
    means = [
        [math.log(run.values[goal]) for run in runs if run.setting == k and goal in run.values]
        for k in (reference, leader)
    ]
    if not all(means) or reference == leader:
        return ""
    percent = 100.0 * math.expm1(fmean(means[1]) - fmean(means[0]))
    return f" ({goal} {percent:+.1f} %)"


def _named(experiment: Experiment, place: int) -> str:
    """A setting by the factors that vary, and what stands there now."""
    cell, cells = experiment.cells[place], experiment.cells
    varied = [name for name in cell if len({other[name] for other in cells}) > 1]
    return cell_text({name: cell[name] for name in varied})


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_LISTED
    listed = "; ".join(names[:_MOST_LISTED])
    return f"{listed}; and {more} more" if more > 0 else listed


def _table(found: Sequence[Gain]) -> Iterator[str]:
    rows = [
        [
            gain.measure,
            _number(gain.before),
            "→",
            _number(gain.after),
            _interval(gain),
            gain.verdict,
        ]
        for gain in found
    ]
    widths = [max(map(len, column)) for column in zip_strict(*rows)]
    for row in rows:
        name, before, arrow, after, change, verdict = (
            text.ljust(width) if place in (0, 4) else text.rjust(width)
            for place, (text, width) in enumerate(zip_strict(row, widths))
        )
        yield f"  {name}  {before} {arrow} {after}  {change}  {verdict.strip()}".rstrip()


def _number(value: float) -> str:
    return level_text(float(f"{value:.4g}"))


def _interval(gain: Gain) -> str:
    if gain.change_percent is None:
        return "from 0" if gain.after else ""
    change = f"{gain.change_percent:+.1f} %"
    if gain.measure in LOSSES:
        return change
    if gain.ci95_percent is None:
        return f"{change} (one run)"
    low, high = gain.ci95_percent
    return f"{change} ({low:+.1f} to {high:+.1f})"


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield title
        yield from (f"  {line}" for line in lines)
