# SPDX-License-Identifier: Apache-2.0
"""coalescope experiments list, rename, describe, delete and restore."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from coalescope.cli.output import counted, print_json, print_table, printable
from coalescope.cli.places import changing, reading
from coalescope.client.source import contradictory
from coalescope.errors import CoalescopeError
from coalescope.experiments.schemas import ExperimentChangeIn, ExperimentSummaryOut

_SOURCE = ("citation", "url", "licence", "how_made")


def run(arguments: Namespace) -> int:
    """Do what the second word says; without one, list the experiments."""
    match arguments.action:
        case "rename":
            _change(arguments, {"title": arguments.title})
        case "describe":
            _change(arguments, _described(arguments))
        case "delete":
            _delete(arguments)
        case "restore":
            _restore(arguments)
        case "list" if arguments.deleted:
            _list_deleted(arguments)
        case _:
            _list(arguments)
    return 0


def _list(arguments: Namespace) -> None:
    with reading(arguments) as place:
        found = [ExperimentSummaryOut.model_validate(each) for each in place.experiments()]
    if arguments.json:
        print_json(found)
        return
    print_table(
        ("experiment", "kind", "cells", "runs", "replicates", "factors", "title"),
        [
            (
                experiment.slug,
                experiment.kind,
                experiment.cells,
                experiment.runs,
                experiment.replicates_label,
                _factors(experiment),
                experiment.title,
            )
            for experiment in found
        ],
    )


def _factors(experiment: ExperimentSummaryOut) -> str:
    names = " × ".join(factor.name for factor in experiment.factors)
    more = experiment.factor_count - len(experiment.factors)
    return f"{names} and {more} more" if more else names


def _list_deleted(arguments: Namespace) -> None:
    with reading(arguments) as place:
        found = place.deleted_experiments()
    if arguments.json:
        print_json(found)
        return
    named = ("slug", "kind", "runs", "deleted_at", "title")
    print_table(
        ("experiment", "kind", "runs", "deleted", "title"),
        [[each[name] for name in named] for each in found],
    )


def _described(arguments: Namespace) -> Mapping[str, Any]:
    """What was typed, as the API takes it; what is empty removes. Errors: 422 for nothing."""
    named = {name: getattr(arguments, name) for name in _SOURCE}
    source: dict[str, Any] = {n: text or None for n, text in named.items() if text is not None}
    if arguments.note is not None:
        source["notes"] = [text for text in arguments.note if text]
    said = {"subtitle": arguments.subtitle, "source": source or None}
    given = {name: value for name, value in said.items() if value is not None}
    if not given:
        raise CoalescopeError(
            "nothing_to_change",
            "Nothing is said of the experiment.",
            advice="Say it with --subtitle, --citation, --url, --licence, --how-made or --note.",
        )
    return given


def _change(arguments: Namespace, typed: Mapping[str, Any]) -> None:
    said = _checked(typed).model_dump(exclude_unset=True)
    with changing(arguments) as place:
        experiment = place.change_experiment(arguments.experiment, said)
    if arguments.json:
        print_json(experiment)
    elif arguments.action == "rename":
        slug, title = experiment["slug"], printable(experiment["title"])
        print(f"{slug} is called {title!r} now; its name, and every link to it, stays {slug}")
    else:
        print(f"described {experiment['slug']}")


def _checked(typed: Mapping[str, Any]) -> ExperimentChangeIn:
    """Errors: 422 for what no experiment can be called, or be said to be."""
    try:
        return ExperimentChangeIn.model_validate(typed)
    except ValidationError as error:
        fault = error.errors()[0]
        name = next(str(part) for part in reversed(fault["loc"]) if isinstance(part, str))
        reason = fault["msg"].removeprefix("Value error, ").rstrip(".")
        raise CoalescopeError("invalid", f"The {name.replace('_', ' ')}: {reason}.") from None


def _delete(arguments: Namespace) -> None:
    with changing(arguments) as place:
        found = [place.delete_experiment(slug) for slug in _each(arguments)]
    if arguments.json:
        print_json(found)
        return
    for each in found:
        print(f"deleted {each['slug']}, {counted(each['runs'], 'run')}")
    print(f"`coalescope experiments restore {' '.join(each['slug'] for each in found)}` undoes it")


def _restore(arguments: Namespace) -> None:
    slugs = _each(arguments)
    with changing(arguments) as place:
        for slug in slugs:
            place.restore_experiment(slug)
        there = {each["slug"]: each for each in place.experiments()}
    for slug in slugs:
        if slug not in there:
            raise contradictory(f"{slug} was restored, and is not listed")
    found = [there[slug] for slug in slugs]
    if arguments.json:
        print_json(found)
        return
    for each in found:
        print(f"restored {each['slug']}, {counted(each['runs'], 'run')}")


def _each(arguments: Namespace) -> Sequence[str]:
    """Those that were typed, each once."""
    return list(dict.fromkeys(arguments.experiments))
