# SPDX-License-Identifier: Apache-2.0
"""The setting to choose among those that were measured, and the commands for it."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from coalescope_host.tuning.losses import LOSSES
from coalescope_models.inference.recommendation import Constraint, Recommendation
from coalescope_models.vocabulary.quantity import QUANTITIES, Better

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_levels, matches
from coalescope.experiments.records import ExperimentRecord, Factors
from coalescope.glossary.quantities import glossary_order, measure
from coalescope.recommendations.advice import Advice, Basis
from coalescope.recommendations.choosing import (
    choose,
    commands_to_set,
    compared_with,
    has_logarithms,
    shortest_good_enough,
    within_limits,
)
from coalescope.recommendations.defaults import Default
from coalescope.recommendations.effects import Effect, effects, entangled, intervals, nearest
from coalescope.recommendations.equals import equals
from coalescope.recommendations.guards import (
    Limited,
    at_no_unseen_wait,
    keeps_limits,
    known_in_part,
    limits_to_offer,
    why_no_offer,
)
from coalescope.recommendations.measured import Measured
from coalescope.recommendations.question import AIMED, Question
from coalescope.runs.records import RunValues
from coalescope.runs.sequence import sequence_of

# settings × measures: each is drawn 4,000 times, 160 MB a copy and up to four of them
_MOST_MEANS = 5_000
# what can be guarded
_GUARDED = (*AIMED, *(n for n in QUANTITIES if n in LOSSES))


def advise(experiment: ExperimentRecord, measured: Measured, question: Question) -> Advice:
    """Choose among the settings that were measured.

    Errors: 422 where the data cannot carry an answer, saying what to measure.
    """
    chosen = measured.chosen
    runs = [run for run in chosen.runs if keeps_limits(run.factors, question.limits)]
    if not runs:
        raise CoalescopeError(
            "no_such_cells",
            "No setting that was measured keeps the limits.",
            where={"field": "constraints"},
            advice="Loosen one, or measure others.",
        )
    # a run without what is guarded does not count, and is told of
    known = _in_every_setting(runs)
    kept, guards = question.with_guards(known)
    anywhere = sorted({name for run in runs for name in run.values})
    untold = known_in_part(guards, question.with_guards(anywhere)[1])
    whole = _whole(runs, kept.measures)
    among = _settings(whole)
    _refuse_too_many(among, kept.measures)
    everything = _settings(chosen.runs)
    kept = kept.at_levels(factor_levels(everything.values()))
    kept, basis = _with_default(kept, measured.default, everything)
    told = _with_others(chosen.runs, whole, kept)
    settings = _settings(told)
    _refuse_bounds_against_untold(kept, settings, everything)
    reference = compared_with(settings, kept)
    found = _as_means(_of_runs(told, kept), whole)
    found = _unless_entangled(found, among, left_out=len(whole) < len(runs))
    found = _unless_work_is_unknown(found, kept.share_of_unknown_work(known))
    advice = Advice(
        found=found,
        settings=settings,
        enough=shortest_good_enough(found, settings),
        commands=None,
        guards=guards,
        basis=basis,
        reference_means=_means_at(told, reference, kept.measures),
        compared=_not_told(settings, everything, kept.current),
        ci95={name: intervals(told, name) for name in kept.measures},
        cautions=(*experiment.source.get("cautions", ()), *untold),
        left_out=len(runs) - len(whole),
        means_of=_means_of(whole),
        without=chosen.without,
        where=chosen.where,
        experiment=experiment,
    )
    if kept.asks_for_limit(among.values()):
        ask = _offered(experiment.source, told, reference, kept)
        unsaid = replace(found, answer=None, choices=())
        if not ask:
            why = why_no_offer(kept.constraints, list(among.values()))
            unsaid = replace(unsaid, message=why)
        return replace(advice, found=unsaid, reference=reference, ask=ask)
    return _with_effects(advice, experiment.source, told, kept, among, reference)


def _with_others(
    runs: Sequence[RunValues], whole: Sequence[RunValues], question: Question
) -> Sequence[RunValues]:
    """With those beyond the limits, which tell of the others as well; of too many, what is set now.

    `whole` are those within the limits that have all that is asked about. A setting beyond them is
    told with all its runs or not at all: the mean of those in which something arrived is no mean.
    """
    names = question.measures
    measured = [name for name in names if name not in LOSSES]
    others = [
        run
        for run in runs
        if not keeps_limits(run.factors, question.limits)
        and all(name in run.values for name in names)
    ]
    stopped = {r.cell_id for r in others if not has_logarithms(r.values[n] for n in measured)}
    others = [run for run in others if run.cell_id not in stopped]
    if len(_settings([*whole, *others])) * len(names) > _MOST_MEANS:
        now = question.current
        others = [run for run in others if now and matches(run.factors, now)]
    told = {id(run) for run in (*whole, *others)}
    return [run for run in runs if id(run) in told]


def _settings(runs: Sequence[RunValues]) -> dict[Hashable, Factors]:
    return {run.cell_id: run.factors for run in runs}


def _with_default(
    question: Question, default: Default | None, settings: Mapping[Hashable, Factors]
) -> tuple[Question, Basis]:
    """The question with the default for what is set now, where that is not said."""
    if question.current:
        return question, "now"
    if default is None or not any(matches(own, default.levels) for own in settings.values()):
        return question, "least"
    basis: Basis = "default" if default.by == "source" else "driver's default"
    return replace(question, current=default.levels), basis


def _not_told(
    settings: Mapping[Hashable, Factors],
    everything: Mapping[Hashable, Factors],
    current: Factors,
) -> str | None:
    """That what is set now was not measured, or not with all that is asked about."""
    there = settings[nearest(settings, current)]
    apart = [name for name, level in current.items() if there.get(name) != level]
    if not apart:
        return None
    why = "was not measured"
    if any(matches(own, current) for own in everything.values()):
        why = "was not measured with all that was asked about, above zero in every run"
    now, instead = (_levels(levels, apart) for levels in (current, there))
    return f"What is set now ({now}) {why}; changes are against {instead}."


def _levels(levels: Factors, names: Iterable[str]) -> str:
    return ", ".join(f"{name.removeprefix('factor.')} {levels.get(name)}" for name in names)


def _refuse_bounds_against_untold(
    question: Question,
    settings: Mapping[Hashable, Factors],
    everything: Mapping[Hashable, Factors],
) -> None:
    """Errors: 422 where a bound is against what is set now, of which too little was measured."""
    now = question.current
    bound = next((c for c in question.constraints if c.limit == "within current"), None)
    if bound is None or not now or any(matches(own, now) for own in settings.values()):
        return
    if any(matches(own, now) for own in everything.values()):
        raise CoalescopeError(
            "no_recommendation",
            f"What is set now ({_levels(now, now)}) was not measured with all that was asked "
            f"about, above zero in every run: no limit of {bound.measure} can be held against it.",
            where={"field": "current"},
            advice="Measure it again, name another setting as the current one, or give the limit "
            "in the measure's unit.",
        )


def _means_at(runs: Sequence[RunValues], cell: Hashable, names: Sequence[str]) -> dict[str, float]:
    own = [run for run in runs if run.cell_id == cell]
    return {name: fmean(run.values[name] for run in own) for name in names}


def _means_of(runs: Sequence[RunValues]) -> int | None:
    """How many runs each value is the mean of, where a setting has one value; None: of one."""
    alone = len({run.cell_id for run in runs}) == len(runs)
    least = min(run.n for run in runs)
    return least if alone and least > 1 else None


def _as_means(found: Recommendation, runs: Sequence[RunValues]) -> Recommendation:
    """Of values that are means already, say so: they were measured often, and told once."""
    count = _means_of(runs)
    if count is None or found.best is None:
        return found
    message = (
        f"Each setting has one value only, the mean of {count} runs or more without their spread: "
        "this ranks the means as they are. The single runs would tell probabilities."
    )
    return replace(found, message=message)


def _unless_entangled(
    found: Recommendation, settings: Mapping[Hashable, Factors], left_out: bool
) -> Recommendation:
    """Choose nothing by single values where what one factor does cannot be told from another's."""
    if found.answer is None or any(c.surely_allowed is not None for c in found.candidates):
        return found
    alone = entangled(settings.values())
    if alone is None:
        return found
    two = "two settings in which this was measured" if left_out else "two settings"
    message = (
        f"Not enough to recommend a setting: no {two} differ in {alone} alone, so what it does "
        "cannot be told from what the others do. Measure two that do, three times or more."
    )
    return replace(found, answer=None, choices=(), message=message)


def _unless_work_is_unknown(found: Recommendation, share: str | None) -> Recommendation:
    """Choose nothing by a share of time where less of it may be less work."""
    if found.answer is None or share is None:
        return found
    message = (
        f"Not enough to recommend a setting: {QUANTITIES[share].label} is a share of time, and "
        "nothing says what was done in it, so doing less looks like a saving. Measure the "
        "throughput in each setting, too."
    )
    return replace(found, answer=None, choices=(), message=message)


def _in_every_setting(runs: Sequence[RunValues]) -> list[str]:
    """Measures that some run of every setting has."""
    found: dict[int, set[str]] = {}
    for run in runs:
        found.setdefault(run.cell_id, set()).update(run.values)
    return [name for name in _GUARDED if all(name in names for names in found.values())]


def _with_effects(
    advice: Advice,
    source: Mapping[str, Any],
    runs: Sequence[RunValues],
    question: Question,
    among: Mapping[Hashable, Factors],
    reference: Hashable,
) -> Advice:
    answer = advice.found.answer
    if answer is None:
        return advice
    known = _changes(source, question, runs, reference, answer)
    commands = commands_to_set(answer, advice.settings, question)
    choices, bounds = advice.found.choices, question.constraints
    seen = at_no_unseen_wait(choices, answer, among, question.aims, bounds)
    asked = {name: _better(name, question, source) for name in question.measures}
    as_good = equals(runs, answer, seen, asked)
    return replace(advice, reference=reference, effects=known, equals=as_good, commands=commands)


def _better(name: str, question: Question, source: Mapping[str, Any]) -> Better | None:
    """Which direction is wanted, or better as such."""
    wanted = next((aim.sense for aim in question.aims if aim.measure == name), None)
    quantity = measure(name, source)
    return wanted or (None if quantity is None else quantity.better)


def _changes(
    source: Mapping[str, Any],
    question: Question,
    runs: Sequence[RunValues],
    there: Hashable,
    here: Hashable,
) -> list[Effect]:
    """What changes: what is asked about, then what can be a goal or is lost, then the rest.

    Of a cost that is known for 10⁹ bytes, that of the whole run says the same.
    """
    if here == there:
        return []
    names = {name for run in runs for name in run.values}
    order = (*question.measures, *_GUARDED, *sorted(names, key=glossary_order))
    whole = {n for n in names if f"{n}_per_gb" in names} - set(question.measures)
    known = {name: measure(name, source) for name in order if name in names - whole}
    return effects(runs, there, here, {n: q.better for n, q in known.items() if q is not None})


def _offered(
    source: Mapping[str, Any],
    runs: Sequence[RunValues],
    reference: Hashable,
    question: Question,
) -> list[Limited]:
    """What limits on a wait would leave, and what that would change."""
    offered = []
    settings = _settings(runs)
    among = within_limits(settings, question)
    for factor, level in limits_to_offer(among, question.constraints):
        limit = Constraint(factor, "at most", level)
        limited = replace(question, constraints=[*question.constraints, limit])
        if len(within_limits(settings, limited)) < 2:
            continue
        answer = _of_runs(runs, limited).answer
        changes = [] if answer is None else _changes(source, question, runs, reference, answer)
        offered.append(Limited(factor, level, answer, changes))
    return offered


def _whole(runs: Sequence[RunValues], measures: Sequence[str]) -> list[RunValues]:
    """Runs with all that is asked about. Errors: 422 where there is none."""
    whole = [run for run in runs if all(name in run.values for name in measures)]
    if not whole:
        raise CoalescopeError(
            "not_available",
            f"No run has {' and '.join(measures)}.",
            where={"measure": ", ".join(measures)},
            advice="Each is there in some run. Measure them together, or ask for one of them.",
        )
    return whole


def _refuse_too_many(settings: Mapping[Hashable, Factors], measures: Sequence[str]) -> None:
    if len(settings) * len(measures) > _MOST_MEANS:
        raise CoalescopeError(
            "too_many_settings",
            f"{len(settings)} settings are more than are compared at once.",
            where={"field": "where"},
            advice="Choose levels of a factor, so that at most "
            f"{_MOST_MEANS // len(measures)} settings are left.",
        )


def _of_runs(runs: Sequence[RunValues], question: Question) -> Recommendation:
    table = {name: [run.values[name] for run in runs] for name in question.measures}
    when = sequence_of([run.when for run in runs])
    return choose(table, [run.cell_id for run in runs], _settings(runs), question, when)
