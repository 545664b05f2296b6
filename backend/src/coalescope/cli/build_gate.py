# SPDX-License-Identifier: Apache-2.0
"""compare --fail-if-worse: a sentence for each measure, and an exit status for the build.

What is not known is never taken for "not worse": it has a status of its own, which is not 0.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coalescope.cli.output import print_heading, print_json, printable, shown
from coalescope.cli.wording import in_shell
from coalescope.comparisons.compared import Compared
from coalescope.comparisons.regressions import RegressionVerdict, regressions
from coalescope.comparisons.schemas import ComparisonOut, RegressionOut, comparison_out
from coalescope.errors import CoalescopeError

# 1 is wrong input, 2 wrong usage; the two below are told apart from these, and from each other.
WORSE = 3
NOT_KNOWN = 4
_STATUS: dict[RegressionVerdict, int] = {
    "worse": WORSE,
    "not_known": NOT_KNOWN,
    "within_chance": 0,
    "not_worse": 0,
}
# Of two sides of which one has not the measure, or of means that have no ratio.
_NOTHING_TO_COMPARE = {"no_such_cells", "not_comparable"}


@dataclass(frozen=True)
class JudgedMeasure:
    """What the gate says of one measure; no comparison where there was nothing to compare."""

    measure: str
    verdict: RegressionVerdict
    allowed_percent: float
    sentence: str
    comparison: ComparisonOut | None


def refuse_without_gate(**given: object) -> None:
    """Errors: 422 for an option of the gate where nothing is to fail."""
    for name, value in given.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise CoalescopeError(
                "no_gate",
                f"{option} has no effect without --fail-if-worse.",
                advice="Add --fail-if-worse.",
            )


def allowances(
    measures: Sequence[str], given: Sequence[tuple[str | None, float]]
) -> dict[str, float]:
    """How much worse each measure may be, percent.

    Errors: 422 for an allowance of no measure that is compared, or two of one.
    """
    own: dict[str | None, float] = {}
    for name, percent in given:
        if name is not None and name not in measures:
            raise _wrong(f"--allow {name}: that measure is not compared.", f"--measure {name}")
        if name in own:
            raise _wrong(f"--allow is given twice for {name or 'all measures'}.", "Give it once.")
        own[name] = percent
    return {name: own.get(name, own.get(None, 0.0)) for name in measures}


def _wrong(message: str, advice: str) -> CoalescopeError:
    return CoalescopeError("wrong_allowance", message, advice=advice)


def judge(
    measure: str,
    allowed_percent: float,
    compare: Callable[[str], Compared],
    *,
    same_session: bool,
) -> JudgedMeasure:
    """Compare one measure and judge it. Errors: 422 of what was typed."""
    try:
        compared = compare(measure)
    except CoalescopeError as error:
        if error.code not in _NOTHING_TO_COMPARE:
            raise
        said = " ".join(filter(None, (error.message, in_shell(error.advice))))
        sentence = f"It is not known whether {measure} is worse: {said}"
        return JudgedMeasure(measure, "not_known", allowed_percent, sentence, None)
    judged = regressions(compared, allowed_percent, same_session=same_session)
    found = comparison_out(compared, judged)
    assert found.regression is not None
    sentence = _sentence(found, found.regression)
    return JudgedMeasure(measure, found.regression.verdict, allowed_percent, sentence, found)


def conclude(judged: Sequence[JudgedMeasure], *, as_json: bool) -> int:
    """Say it, what fails on stderr; returns the exit status: worse before not known before 0."""
    verdict = next(verdict for verdict in _STATUS if verdict in {one.verdict for one in judged})
    if as_json:
        measures = [vars(one) for one in judged]
        print_json({"status": _STATUS[verdict], "verdict": verdict, "measures": measures})
    else:
        print_heading("Is B worse?")
    for one in judged:
        if _STATUS[one.verdict]:
            sys.stdout.flush()
            print(printable(f"coalescope: {one.sentence}"), file=sys.stderr)
        elif not as_json:
            print(printable(one.sentence))
    return _STATUS[verdict]


def _sentence(found: ComparisonOut, regression: RegressionOut) -> str:
    name, limit = found.measure.name, f"{shown(regression.limit_percent)} %"
    ratio = f"B over A is {shown(found.overall_ratio, 4)}"
    if found.overall_ci95 is not None:
        low, high = found.overall_ci95
        ratio += f" ({shown(low, 4)} to {shown(high, 4)})"
    ratio += f"; {found.better} is better."
    match regression.verdict:
        case "worse":
            rest = f" Of the rest it is not known: {regression.reason}" if regression.reason else ""
            return f"{name} is worse by more than {limit}: {_where(regression)}. {ratio}{rest}"
        case "not_known":
            return f"It is not known whether {name} is worse: {regression.reason} {ratio}"
        case "within_chance":
            worst = shown(_worst_percent(found), 2)
            return (
                f"{name} is not worse beyond chance, and not shown to be as good: up to {worst} % "
                f"worse is not ruled out, {limit} is allowed. {ratio}"
            )
        case "not_worse":
            return f"{name} is not worse by more than {limit}. {ratio}"


def _where(regression: RegressionOut) -> str:
    parts = ["overall"] if regression.overall else []
    parts += [
        ", ".join(f"{name} {shown(level)}" for name, level in factors.items()) or "the one setting"
        for factors in regression.cells
    ]
    return "; ".join(parts)


def _worst_percent(found: ComparisonOut) -> float:
    """How much worse the far end of the overall interval is."""
    assert found.overall_ci95 is not None
    low, high = found.overall_ci95
    return 100.0 * (1.0 - low if found.better == "more" else high - 1.0)
