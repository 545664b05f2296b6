# SPDX-License-Identifier: Apache-2.0
"""compare --fail-if-worse: a sentence for each measure, and an exit status for the build.

What is not known is never taken for "not worse": it has a status of its own, which is not 0.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from coalescope_models.inference.statistics import holm, holm_levels

from coalescope.cli.exit_statuses import ExitStatus
from coalescope.cli.output import print_heading, print_json, printable, shown
from coalescope.cli.shell_hints import as_shell_hint
from coalescope.client.source import Judged
from coalescope.comparisons.regressions import RegressionVerdict
from coalescope.comparisons.schemas import ComparisonOut, RegressionOut
from coalescope.errors import CoalescopeError, did_you_mean

#: How often some measure is called worse by chance where none is, at most.
FALSE_ALARMS = 0.05
_STATUS: dict[RegressionVerdict, ExitStatus] = {
    "worse": ExitStatus.WORSE,
    "not_known": ExitStatus.NOT_KNOWN,
    "within_chance": ExitStatus.DONE,
    "not_worse": ExitStatus.DONE,
}
# Of two sides of which one has not the measure, or of means that have no ratio.
_NOTHING_TO_COMPARE = {"no_such_cells", "not_comparable"}


@dataclass(frozen=True)
class JudgedMeasure:
    """What the gate says of one measure; no comparison where there was nothing to compare.

    Attributes:
        p_value: Holm's, of all measures together: worse where it is below FALSE_ALARMS.
    """

    measure: str
    verdict: RegressionVerdict
    allowed_percent: float
    p_value: float
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
            near = did_you_mean(name, measures)
            advice = f"{near}Compared are {', '.join(measures)}; --measure adds one."
            raise _wrong(f"--allow {name}: that measure is not compared.", advice)
        if name in own:
            raise _wrong(f"--allow is given twice for {name or 'all measures'}.", "Give it once.")
        own[name] = percent
    return {name: own.get(name, own.get(None, 0.0)) for name in measures}


def _wrong(message: str, advice: str) -> CoalescopeError:
    return CoalescopeError("wrong_allowance", message, advice=advice)


@dataclass(frozen=True)
class _Read:
    """A measure before it is judged: the comparison, or why there is none."""

    found: ComparisonOut | None
    why: str
    p_value: float


def judge(
    allowed_percent: Mapping[str, float],
    compare: Callable[[str, Judged], ComparisonOut],
    *,
    same_session: bool,
) -> list[JudgedMeasure]:
    """Compare each measure and judge it, with Holm's correction for their number.

    Errors: 422 of what was typed.
    """
    read = {
        name: _read(name, Judged(percent, same_session), compare)
        for name, percent in allowed_percent.items()
    }
    p_values = {name: each.p_value for name, each in read.items()}
    adjusted, levels = holm(p_values), holm_levels(p_values, FALSE_ALARMS)
    judged = []
    for name, percent in allowed_percent.items():
        each = read[name]
        if each.found is None:
            sentence = f"It is not known whether {name} is worse: {each.why}"
            judged.append(JudgedMeasure(name, "not_known", percent, 1.0, sentence, None))
            continue
        found = each.found
        if levels[name] != FALSE_ALARMS:
            found = compare(name, Judged(percent, same_session, levels[name]))
        assert found.regression is not None
        # alone it would have been worse
        of_several = len(read) if each.p_value < FALSE_ALARMS <= adjusted[name] else None
        sentence = _sentence(found, found.regression, of_several)
        verdict = found.regression.verdict
        judged.append(JudgedMeasure(name, verdict, percent, adjusted[name], sentence, found))
    return judged


def _read(measure: str, judged: Judged, compare: Callable[[str, Judged], ComparisonOut]) -> _Read:
    try:
        found = compare(measure, judged)
    except CoalescopeError as error:
        if error.code not in _NOTHING_TO_COMPARE:
            raise
        return _Read(
            None, " ".join(filter(None, (error.message, as_shell_hint(error.advice)))), 1.0
        )
    assert found.regression is not None
    return _Read(found, "", found.regression.p_value)


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


def _sentence(found: ComparisonOut, regression: RegressionOut, of_several: int | None) -> str:
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
            chance = f"what chance does to one of {of_several} measures" if of_several else "chance"
            return (
                f"{name} is not worse beyond {chance}, and not shown to be as good: up to {worst} "
                f"% worse is not ruled out, {limit} is allowed. {ratio}"
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
