# SPDX-License-Identifier: Apache-2.0
"""coalescope recommend EXPERIMENT | --model MODEL."""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from coalescope_host.tuning.losses import LOSSES
from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.cli.exit_statuses import done_if
from coalescope.cli.output import (
    Cell,
    counted,
    mean_shown,
    print_heading,
    print_json,
    print_left_out,
    print_table,
    printable,
    shown,
    with_unit,
)
from coalescope.cli.places import analysing, computing
from coalescope.cli.user_model_file import asked_model, model_of
from coalescope.client.source import Document
from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.records import Factors
from coalescope.recommendations.answer_schemas import (
    CandidateOut,
    CommandsOut,
    MeasureChangeOut,
    RecommendationOut,
)
from coalescope.recommendations.measured import goals_among, goals_said
from coalescope.recommendations.question import quantity_of
from coalescope.recommendations.schemas import ConstraintIn
from coalescope.runs.selection import levels_by_factor

_SHOWN = 10
_MOST_WEIGHT = 1000  # as the API


def run(arguments: Namespace) -> int:
    """Recommend a setting; 1 if the data are not enough to choose one."""
    _refuse_idle(arguments)
    about, answer = _of_model(arguments) if arguments.model is not None else _of_runs(arguments)
    found = RecommendationOut.model_validate(answer)
    if arguments.form:
        _print_form(found, arguments.form)
    elif arguments.json:
        print_json(found)
    else:
        _print(found, about)
    return done_if(found.answer is not None)


class _About(NamedTuple):
    """Of what the answer is: its heading, and units of measures that the glossary lacks."""

    heading: str
    units: Mapping[str, str]


def _of_runs(arguments: Namespace) -> tuple[_About, Document]:
    with analysing(arguments) as source:
        told = source.experiment(arguments.experiment)
        units = {measure["name"]: measure["unit"] for measure in told["measures"]}
        asked = {
            **_question(arguments, goals_among(units)),
            "where": levels_by_factor(arguments.where),
            "without": list(arguments.without),
        }
        answer = source.recommendation(arguments.experiment, asked)
    return _About(f"{printable(told['title'])} ({told['kind']})", units), answer


def _of_model(arguments: Namespace) -> tuple[_About, Document]:
    question = _question(arguments, _goals_of_model(arguments.model))
    model = asked_model(arguments.model)
    values, over = dict(arguments.values), dict(arguments.choose)
    with computing(arguments) as source:
        answer = source.model_recommendation(
            {**question, "model": model, "values": values, "over": over}
        )
    return _About(f"Predictions of {answer['model']}", {}), answer


def _refuse_idle(arguments: Namespace) -> None:
    """Refuse options that would change nothing here."""
    of_models, of_runs = (arguments.values, arguments.choose), (arguments.where, arguments.without)
    modelled = arguments.model is not None
    idle = (
        (any(of_models) and not modelled, "--set and --choose go with --model."),
        (any(of_runs) and modelled, "--where and --without go with an experiment."),
        (arguments.driver and not arguments.interface, "--driver goes with --interface."),
        (arguments.kernel and not arguments.driver, "--kernel goes with --driver."),
        (arguments.form and not arguments.driver, "--as goes with --interface and --driver."),
        (arguments.form and arguments.json, "--as writes text; --json has all forms."),
    )
    for given, message in idle:
        if given:
            raise CoalescopeError(
                "option_without_effect", message, advice="Leave out what does not belong together."
            )


def _question(arguments: Namespace, goals: Sequence[str]) -> dict[str, Any]:
    """What is asked, as the API takes it; `goals` are what can be aimed at here."""
    weights = dict(arguments.weight)
    named = [*arguments.maximise, *arguments.minimise]
    unknown = [name for name in named if quantity_of(name) is None]
    if unknown or not named:
        raise _no_aim(unknown, goals)
    for name, weight in weights.items():
        if name not in named:
            raise CoalescopeError(
                "wrong_weight",
                f"{name} has a weight but is no aim.",
                advice=f"{did_you_mean(name, named)}Name it with --maximise or --minimise.",
            )
        if not 0 < weight <= _MOST_WEIGHT:
            raise CoalescopeError(
                "wrong_weight",
                f"The weight of {name} is {weight:g}.",
                advice=f"Give a number above zero, {_MOST_WEIGHT} at most, or no weight: then it "
                "is 1.",
            )
    twice = [name for name, n in Counter(n for n, _ in arguments.current).items() if n > 1]
    if twice:
        raise CoalescopeError(
            "given_twice",
            f"--current says {twice[0]} twice.",
            advice="One level of each factor is set now: give it once.",
        )
    aims = [*((n, "more") for n in arguments.maximise), *((n, "less") for n in arguments.minimise)]
    bounds = {
        "at most": arguments.at_most,
        "at least": arguments.at_least,
        "within": arguments.within,
        "within current": arguments.within_current,
    }
    return {
        "aims": [
            {"measure": name, "sense": sense, "weight": weights.get(name, 1.0)}
            for name, sense in aims
        ],
        "goal": "balance" if arguments.balance else "trade",
        "constraints": [
            {"measure": name, "limit": limit, "value": value}
            for limit, given in bounds.items()
            for name, value in given
        ],
        "guarded": not arguments.unguarded,
        "current": dict(arguments.current),
        "tolerance_percent": arguments.tolerance,
        "seed": arguments.seed,
        "interface": arguments.interface,
        "driver": arguments.driver,
        "kernel": arguments.kernel,
    }


def _no_aim(unknown: Sequence[str], goals: Sequence[str]) -> CoalescopeError:
    name = unknown[0] if unknown else None
    return CoalescopeError(
        "no_aim",
        f"{name[:80]!r} is not a measure." if name else "Say what is wanted: at least one measure.",
        advice=f"Name it with --maximise or --minimise. {goals_said(name, goals)}",
    )


def _goals_of_model(typed: str) -> list[str]:
    """What can be aimed at of what a model predicts."""
    outputs = [output.name for output in model_of(typed)[0].outputs]
    return [n for n in outputs if (found := quantity_of(n)) is not None and found.better]


def _guard_words(guard: ConstraintIn) -> str:
    if guard.limit == "within":
        return f"within {shown(guard.value)} % of its best (see --within)"
    if guard.measure in LOSSES:
        most = f"at most {shown(guard.value)} % more than now, chance aside"
        return f"{most} (see --within-current)"
    return f"at most {shown(guard.value)} % worse than it is now (see --within-current)"


def _print(found: RecommendationOut, about: _About) -> None:
    print(about.heading)
    print_left_out(found.without)
    if found.left_out:
        print(f"left out: {counted(found.left_out, 'run')} without a measure that was asked about")
    for guard in found.guards:
        print(f"Guard: {guard.measure} {_guard_words(guard)}")
    _print_answer(found, about)
    for caution in found.cautions:
        print(f"Caution: {printable(caution)}")
    print()
    _print_candidates(found, about)
    if found.message:
        print_heading(found.message)
    if found.commands is not None:
        _print_commands(found.commands)


def _unit(name: str, about: _About) -> str:
    quantity = QUANTITIES.get(name)
    return about.units.get(name, "") if quantity is None else quantity.unit


def _print_answer(found: RecommendationOut, about: _About) -> None:
    if found.answer is not None:
        answer = found.candidates[found.answer]
        others = len(found.choices) - 1
        print(f"Set: {_setting(answer)}")
        _print_costs(found, about)
        if found.model is None:
            print("It is of the runs of each setting; no model is in it.")
        if answer.surely_allowed is None:
            means = f" as means of {found.means_of} runs or more" if found.means_of else ""
            print(f"Nothing is known of chance here: the values are taken as they are{means}.")
        elif others:
            tolerance = shown(found.tolerance_percent)
            print(
                f"It changes least of the {others + 1} settings that lose at most {tolerance} % "
                "and keep the guards."
            )
        _print_equals(found, about)
        _print_effects(found, about)
    elif found.ask:
        print("Nothing to set yet: no latency is known of these data, and a longer wait costs")
        print("what was not measured. Limit the wait (--at-most), or ask with --unguarded:")
        for each in found.ask:
            setting = "no setting" if each.factors is None else _levels(each.factors)
            aimed = [e for e in each.effects if e.measure in found.candidates[0].means]
            changes = "".join(f", {e.measure} {_change(e, about)}" for e in aimed)
            print(f"  --at-most {each.factor}={shown(each.at_most)}: {setting}{changes}")
        if found.reference is not None:
            print(f"Changes are against {_reference(found)}.")
    elif found.best is not None:
        print(f"Nothing to set. The best mean so far: {_setting(found.candidates[found.best])}")


def _print_costs(found: RecommendationOut, about: _About) -> None:
    """What gets far worse, before anything else is said."""
    for effect in found.effects:
        if effect.measure in found.costs:
            values = f"{shown(effect.reference)} → {shown(effect.answer)}"
            print(f"It costs: {effect.measure} {values} {_unit(effect.measure, about)}".rstrip())


def _print_equals(found: RecommendationOut, about: _About) -> None:
    """What would do as well, and is better in what was not asked about."""
    for each in found.equals:
        better = ", ".join(f"{e.measure} {_change(e, about)}" for e in each.effects)
        print(f"As good, with {better}: {_levels(found.candidates[each.place].factors)}")


def _change(effect: MeasureChangeOut, about: _About) -> str:
    """In percent; of a share both values: a percentage of percent is mistaken for points."""
    unit = _unit(effect.measure, about)
    if effect.change_percent is None or unit == "%":
        return f"{shown(effect.reference, 3)} → {shown(effect.answer, 3)} {unit}".rstrip()
    return f"{effect.change_percent:+.3g} %"


def _print_effects(found: RecommendationOut, about: _About) -> None:
    if found.reference is None or not found.effects:
        return
    print_heading(f"Against {_reference(found)}:")
    words = {True: "better", False: "worse", None: ""}
    rows: list[list[Cell]] = []
    for effect in found.effects:
        ci95 = effect.ci95_percent
        between = "" if ci95 is None else f"{ci95[0]:+.3g} to {ci95[1]:+.3g}"
        percent = effect.change_percent
        change = f"{percent:+.3g}" if percent is not None else "from 0" * (effect.reference == 0)
        name = with_unit(effect.measure, _unit(effect.measure, about))
        there = mean_shown(effect.reference, effect.reference_ci95)
        here = mean_shown(effect.answer, effect.answer_ci95)
        rows.append([name, there, here, change, between, words[effect.gain]])
    print_table(["measure", "there", "here", "change [%]", "95 % [%]", ""], rows)
    for reason, names in _reasons(found).items():
        print(f"{', '.join(names)}: {reason}")


def _reference(found: RecommendationOut) -> str:
    """What the answer is compared with, and whose default it is where it is one."""
    default = f"the {found.basis}, " if found.basis.endswith("default") else ""
    return default + _levels(found.reference or {})


def _reasons(found: RecommendationOut) -> dict[str, list[str]]:
    """Why intervals are not those of independent runs, and of which measures."""
    reasons: dict[str, list[str]] = {}
    for effect in found.effects:
        if effect.reason is not None:
            reasons.setdefault(effect.reason, []).append(effect.measure)
    return reasons


def _print_candidates(found: RecommendationOut, about: _About) -> None:
    listed = found.candidates[:_SHOWN]
    names = list(dict.fromkeys(name for c in listed for name in c.factors))
    measures = list(listed[0].means) if listed else []
    header = [*names, *(with_unit(name, _unit(name, about)) for name in measures), "loss [%]"]
    header.append("")
    rows = []
    for index, candidate in enumerate(listed):
        row: list[Cell] = [candidate.factors.get(name) for name in names]
        row += [mean_shown(candidate.means[name], candidate.ci95.get(name)) for name in measures]
        row += [shown(candidate.loss_percent, 3)]
        rows.append([*row, _note(found, index)])
    print_table(header, rows)
    if len(found.candidates) > _SHOWN:
        print(f"… and {len(found.candidates) - _SHOWN} more")
    for line in _legend(found):
        print(line)


def _legend(found: RecommendationOut) -> Iterator[str]:
    """What the columns mean."""
    yield ""
    if found.experiment is not None:
        yield "measures: means of a setting's runs, ± half their 95 % intervals where known"
    yield "loss: how far the goal is missed against the best; trade-off: none is better in all aims"
    if any(c.allowed and c.surely_allowed is False for c in found.candidates):
        yield "may break a bound: its means keep all, but not so surely that it may be set"


def _note(found: RecommendationOut, index: int) -> str:
    candidate = found.candidates[index]
    if not candidate.allowed:
        return "violates a limit"
    words = ["answer"] if index == found.answer else []
    words += ["may break a bound"] if candidate.surely_allowed is False else []
    words += ["best mean"] if index == found.best else []
    words += [_untold(candidate.runs_to_resolve)] if index in found.indistinguishable else []
    words += ["trade-off"] if index in found.frontier else []
    return ", ".join(words)


def _untold(runs: int | None) -> str:
    """That it cannot be told from the best, and how often both are to be measured to tell."""
    words = "not told from the best"
    return words if runs is None else f"{words}; about {runs} runs of each would tell"


def _print_commands(commands: CommandsOut) -> None:
    for number, reason in enumerate(commands.refused):
        if not number:
            print_heading("Not set:")
        print(reason)
    for title, lines in (
        ("Set it, or leave everything as it was", commands.apply),
        ("The way back, in any shell", commands.back),
    ):
        if lines:
            print_heading(f"# {title}")
            for line in lines:
                print(line)
    if commands.forms:
        print_heading(
            f"# Keep it after a restart: --as {', '.join(f.name for f in commands.forms)}"
        )
    print()
    for note in (*commands.notes, commands.carries_over):
        print(f"# {note}")


def _print_form(found: RecommendationOut, name: str) -> None:
    """Print files and commands of one form; refuse where there is none."""
    commands = found.commands
    form = next((f for f in commands.forms if f.name == name), None) if commands else None
    if commands is None or form is None:
        told = [*commands.refused, *commands.notes] if commands else [found.message or ""]
        raise CoalescopeError(
            "no_form", "Nothing can be kept.", advice=" ".join(told) or "No setting was found."
        )
    for file in form.files:
        print(f"# {file.path}{', executable' if file.executable else ''}")
        print(file.text)
    for line in form.activate:
        print(line)
    for note in (*form.notes, commands.carries_over):
        print(f"# {note}")


def _setting(candidate: CandidateOut) -> str:
    return _levels(candidate.factors)


def _levels(factors: Factors) -> str:
    return ", ".join(f"{name} {shown(level)}" for name, level in factors.items())
