# SPDX-License-Identifier: Apache-2.0
"""coalescope compare A B --measure M [--fail-if-worse --allow PERCENT]."""

from argparse import Namespace
from collections.abc import Callable

from coalescope_models.inference.statistics import holm_levels

from coalescope.cli import build_gate
from coalescope.cli.output import (
    chosen_levels,
    print_heading,
    print_json,
    print_table,
    printable,
    shown,
    with_unit,
)
from coalescope.cli.places import analysing
from coalescope.client.source import UNJUDGED, Judged
from coalescope.comparisons.compared import LEVEL
from coalescope.comparisons.schemas import ComparedCellOut, ComparisonOut
from coalescope.comparisons.sides import sides_of
from coalescope.errors import CoalescopeError


def run(arguments: Namespace) -> int:
    """Compare; with --fail-if-worse, 3 if B is worse by more than allowed, 4 if nobody knows."""
    if arguments.other is None and not arguments.split:
        raise CoalescopeError(
            "nothing_to_compare",
            "Nothing to compare with.",
            advice="Name a second experiment, or two levels: --split driver_version=1.0:1.1.",
        )
    measures = list(dict.fromkeys(arguments.measure))
    _refuse_better_of_several(arguments, measures)
    if not arguments.fail_if_worse:
        build_gate.refuse_without_gate(allow=arguments.allow, same_session=arguments.same_session)
    allowed = build_gate.allowances(measures, arguments.allow)
    only_a, only_b = _sides(arguments.split)
    _refuse_twice(only_a, arguments.where)
    levels = [
        *arguments.where,
        *((f"a.{name}", level) for name, level in only_a),
        *((f"b.{name}", level) for name, level in only_b),
    ]
    sides: tuple[str, str] = (arguments.experiment, arguments.other or arguments.experiment)
    with analysing(arguments) as source:

        def compared(measure: str, judged: Judged) -> ComparisonOut:
            found = source.comparison(*sides, measure, levels, arguments.better, judged)
            return ComparisonOut.model_validate(found)

        if arguments.fail_if_worse:
            one_session: bool = arguments.same_session
            judged = build_gate.judge(allowed, compared, same_session=one_session)
        else:
            found = _together(measures, compared)
    if arguments.fail_if_worse:
        if not arguments.json:
            _print_all([one.comparison for one in judged if one.comparison is not None])
        return build_gate.conclude(judged, as_json=arguments.json)
    if arguments.json:
        print_json(found[0] if len(found) == 1 else found)
    else:
        _print_all(found)
        if len(found) > 1:
            print(
                f"\nbetter, worse: of {len(found)} measures together, anything by chance in 5 % "
                "(Holm); intervals are those of each measure alone"
            )
    return 0


def _together(
    measures: list[str], compared: Callable[[str, Judged], ComparisonOut]
) -> list[ComparisonOut]:
    """Each measure, with verdicts corrected for their number by Holm's method (1979).

    Intervals stay those of each measure alone.
    """
    alone = {measure: compared(measure, UNJUDGED) for measure in measures}
    levels = holm_levels({measure: each.p_value for measure, each in alone.items()}, LEVEL)
    return [
        each if levels[measure] == LEVEL else compared(measure, Judged(level=levels[measure]))
        for measure, each in alone.items()
    ]


def _refuse_better_of_several(arguments: Namespace, measures: list[str]) -> None:
    """Errors: 422 where it does not say of which measure it is."""
    if arguments.better is not None and len(measures) > 1:
        raise CoalescopeError(
            "better_of_several",
            f"--better {arguments.better} does not say of which measure.",
            advice="Compare that measure alone, or leave --better out: the glossary says it.",
        )


def _sides(splits: list[str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Levels of both sides of all splits. Errors: 422 for a factor that is split twice."""
    only_a: list[tuple[str, str]] = []
    only_b: list[tuple[str, str]] = []
    for split in splits:
        (of_a,), (of_b,) = sides_of(split)
        if any(of_a[0] == name for name, _ in only_a):
            raise CoalescopeError(
                "chosen_twice",
                f"{of_a[0]} is given with --split twice.",
                advice="Two levels of a factor are compared: one on each side.",
            )
        only_a.append(of_a)
        only_b.append(of_b)
    return only_a, only_b


def _refuse_twice(split: list[tuple[str, str]], where: list[tuple[str, str]]) -> None:
    """Errors: 422 where both sides' levels of a factor are chosen twice."""
    for name, _level in split:
        if any(name == chosen for chosen, _ in where):
            raise CoalescopeError(
                "chosen_twice",
                f"{name} is given with --split and with --where.",
                advice="The split alone says which of its levels are compared.",
            )


def _print_all(found: list[ComparisonOut]) -> None:
    for number, comparison in enumerate(found):
        if number:
            print()
        _print(comparison)


def _print(found: ComparisonOut) -> None:
    for name, side in (("A", found.a), ("B", found.b)):
        chosen = "".join(f", {levels}" for levels in chosen_levels(side.where))
        print(f"{name}: {printable(side.title)} ({side.kind}){chosen}")
    for factor in found.differing:
        print(f"{factor.factor}: A {shown(factor.a)}, B {shown(factor.b)}")
    ratio = _ratio(found.overall_ratio, found.overall_ci95)
    verdict = f": {found.overall_verdict}" if found.overall_verdict else ""
    measure = with_unit(found.measure.name, found.measure.unit)
    print(f"{measure}, B over A: {ratio}{verdict}")
    print()
    names = list(dict.fromkeys(name for cell in found.cells for name in cell.factors))
    print_table(
        (*names, "A", "B", "B/A", "95 % of all cells together", ""),
        [_row(cell, names) for cell in found.cells],
    )
    if found.message:
        print_heading(found.message)
    for name, left in (("A", found.only_a), ("B", found.only_b)):
        if left:
            print(f"{len(left)} settings are in {name} only")


def _row(cell: ComparedCellOut, names: list[str]) -> tuple[str | int | float | None, ...]:
    levels = (cell.factors.get(name) for name in names)
    interval = cell.simultaneous_ci95
    shown_interval = "–" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}"
    ratio = f"{cell.ratio:.4f}"
    return (*levels, cell.a.mean, cell.b.mean, ratio, shown_interval, cell.verdict or "")


def _ratio(value: float, interval: tuple[float, float] | None) -> str:
    text = f"{value:.4f}"
    return text if interval is None else f"{text} ({interval[0]:.4f} to {interval[1]:.4f})"
