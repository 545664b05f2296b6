# SPDX-License-Identifier: Apache-2.0
"""coalescope recommend EXPERIMENT | --model MODEL."""

from argparse import Namespace
from pathlib import Path

from coalescope_models.catalogue import Model
from coalescope_models.recommendation import Constraint

from coalescope.cli.local_store import local_store
from coalescope.cli.output import print_heading, print_json, print_table, printable, shown
from coalescope.cli.user_model_file import read_document
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import get_experiment
from coalescope.predictions.service import get_model
from coalescope.recommendations.schemas import (
    CandidateOut,
    CommandsOut,
    RecommendationOut,
    recommendation_out,
)
from coalescope.recommendations.service import (
    Advice,
    Question,
    advise,
    advise_from_model,
    aim,
    read_runs,
)
from coalescope.user_models.service import read_user_model

_SHOWN = 10


def run(arguments: Namespace) -> int:
    """Recommend a setting; 1 if none keeps the bounds."""
    question = _question(arguments)
    advice = (
        _from_runs(arguments, question)
        if arguments.model is None
        else advise_from_model(
            _model(arguments.model), dict(arguments.values), dict(arguments.choose), question
        )
    )
    found = recommendation_out(advice)
    if arguments.json:
        print_json(found)
    else:
        _print(found, advice)
    return 1 if found.best is None else 0


def _question(arguments: Namespace) -> Question:
    weights = dict(arguments.weight)
    named = [*arguments.maximise, *arguments.minimise]
    for measure in weights:
        if measure not in named:
            raise CoalescopeError(
                "wrong_weight",
                f"{measure} has a weight but is no aim.",
                advice="Name it with --maximise or --minimise.",
            )
    return Question(
        aims=[
            *(aim(measure, "more", weights.get(measure, 1.0)) for measure in arguments.maximise),
            *(aim(measure, "less", weights.get(measure, 1.0)) for measure in arguments.minimise),
        ],
        constraints=[
            *(Constraint(measure, "at most", value) for measure, value in arguments.at_most),
            *(Constraint(measure, "at least", value) for measure, value in arguments.at_least),
        ],
        tolerance_percent=arguments.tolerance,
        seed=arguments.seed,
        interface=arguments.interface,
        driver=arguments.driver,
    )


def _from_runs(arguments: Namespace, question: Question) -> Advice:
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = get_experiment(connection, arguments.experiment)
        where, runs = read_runs(connection, experiment, question, arguments.where)
    return advise(experiment, where, runs, question)


def _model(name: str) -> Model:
    path = Path(name)
    if path.suffix == ".json" or len(path.parts) > 1:
        return read_user_model(read_document(path))
    return get_model(name)


def _print(found: RecommendationOut, advice: Advice) -> None:
    if advice.experiment is not None:
        print(f"{printable(advice.experiment.title)} ({advice.experiment.kind})")
    else:
        print(f"Predictions of {found.model}")
    if found.left_out:
        print(f"{found.left_out} runs lack a measure that was asked about and are left out")
    if found.best is not None:
        best = found.candidates[found.best]
        print(f"Best: {_setting(best)}{_chance(best)}")
        if found.enough not in (None, found.best):
            enough = found.candidates[found.enough or 0]
            print(f"Good enough: {_setting(enough)}, {shown(enough.loss_percent, 3)} % less")
        if found.indistinguishable:
            count = len(found.indistinguishable)
            print(f"{count} {'other' if count == 1 else 'others'} cannot be told from the best")
    print()
    _print_candidates(found)
    if found.message:
        print_heading(found.message)
    if found.commands is not None:
        _print_commands(found.commands)


def _print_candidates(found: RecommendationOut) -> None:
    listed = found.candidates[:_SHOWN]
    names = list(dict.fromkeys(name for c in listed for name in c.factors))
    measures = list(listed[0].means) if listed else []
    header = (*names, *measures, "loss [%]", "P(best)", "P(kept)", "")
    print_table(
        header,
        [
            (
                *(candidate.factors.get(name) for name in names),
                *(candidate.means[name] for name in measures),
                shown(candidate.loss_percent, 3),
                _share(candidate.probability_best),
                _share(candidate.probability_allowed),
                _note(found, index),
            )
            for index, candidate in enumerate(listed)
        ],
    )
    if len(found.candidates) > _SHOWN:
        print(f"… and {len(found.candidates) - _SHOWN} more")


def _note(found: RecommendationOut, index: int) -> str:
    candidate = found.candidates[index]
    if not candidate.allowed:
        return "breaks a bound"
    if index == found.best:
        return "best"
    words = ["not told from the best"] if index in found.indistinguishable else []
    words += ["good enough"] if index in found.good_enough else []
    words += ["trade-off"] if index in found.frontier else []
    return ", ".join(words)


def _print_commands(commands: CommandsOut) -> None:
    for title, lines in (
        ("Remember what is set now", commands.before),
        ("Set it", commands.apply),
        ("Keep it after a restart", commands.keep),
        ("The way back, in the same shell", commands.back),
    ):
        if lines:
            print_heading(f"# {title}")
            for line in lines:
                print(line)
    for number, note in enumerate(commands.notes):
        if not number:
            print()
        print(f"# {note}")


def _setting(candidate: CandidateOut) -> str:
    return ", ".join(f"{name} {shown(level)}" for name, level in candidate.factors.items())


def _chance(candidate: CandidateOut) -> str:
    chance = candidate.probability_best
    return "" if chance is None else f", the best with a probability of {chance:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
