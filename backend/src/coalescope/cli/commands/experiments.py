# SPDX-License-Identifier: Apache-2.0
"""coalescope experiments list, rename, describe, delete and restore."""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError
from sqlalchemy.engine import Connection

from coalescope.cli.local_store import changed_store, local_store
from coalescope.cli.output import counted, print_json, print_table, printable
from coalescope.errors import CoalescopeError
from coalescope.experiments import changing
from coalescope.experiments.description import describe_experiment, summarise_experiment
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.schemas import (
    DeletedExperimentOut,
    ExperimentChangeIn,
    ExperimentOut,
    ExperimentSummaryOut,
)
from coalescope.experiments.service import list_cells, list_experiments

_SOURCE = ("citation", "url", "licence", "how_made")

T = TypeVar("T")


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
    with local_store(arguments) as store, store.database.read() as connection:
        found = [_summary(connection, record) for record in list_experiments(connection)]
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
                " × ".join(factor.name for factor in experiment.factors),
                experiment.title,
            )
            for experiment in found
        ],
    )


def _list_deleted(arguments: Namespace) -> None:
    with local_store(arguments) as store, store.database.read() as connection:
        found = changing.list_deleted(connection)
    if arguments.json:
        print_json([vars(each) for each in found])
        return
    print_table(
        ("experiment", "kind", "runs", "deleted", "title"),
        [(each.slug, each.kind, each.runs, each.deleted_at, each.title) for each in found],
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
    said = _checked(typed)
    source = None if said.source is None else said.source.model_dump(exclude_unset=True)

    def changed(connection: Connection) -> ExperimentOut:
        record = changing.change(
            connection, arguments.experiment, said.title, said.subtitle, source
        )
        return ExperimentOut.model_validate(
            describe_experiment(record, list_cells(connection, record))
        )

    experiment = _in_one_go(arguments, changed)
    if arguments.json:
        print_json(experiment)
    elif arguments.action == "rename":
        slug, title = experiment.slug, printable(experiment.title)
        print(f"{slug} is called {title!r} now; its name, and every link to it, stays {slug}")
    else:
        print(f"described {experiment.slug}")


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
    def deleted(connection: Connection) -> list[DeletedExperimentOut]:
        return [
            DeletedExperimentOut.model_validate(
                changing.delete(connection, slug), from_attributes=True
            )
            for slug in _each(arguments)
        ]

    found = _in_one_go(arguments, deleted)
    if arguments.json:
        print_json(found)
        return
    for each in found:
        print(f"deleted {each.slug}, {counted(each.runs, 'run')}")
    print(f"`coalescope experiments restore {' '.join(each.slug for each in found)}` undoes it")


def _restore(arguments: Namespace) -> None:
    def restored(connection: Connection) -> list[ExperimentSummaryOut]:
        return [
            _summary(connection, changing.restore(connection, slug)) for slug in _each(arguments)
        ]

    found = _in_one_go(arguments, restored)
    if arguments.json:
        print_json(found)
        return
    for each in found:
        print(f"restored {each.slug}, {counted(each.runs, 'run')}")


def _each(arguments: Namespace) -> Sequence[str]:
    """Those that were typed, each once."""
    return list(dict.fromkeys(arguments.experiments))


def _in_one_go(arguments: Namespace, change: Callable[[Connection], T]) -> T:
    """All of it, or nothing; where there is no store, none is made."""
    with local_store(arguments):
        pass
    with changed_store(arguments) as store, store.database.write() as connection:
        return change(connection)


def _summary(connection: Connection, record: ExperimentRecord) -> ExperimentSummaryOut:
    return ExperimentSummaryOut.model_validate(
        summarise_experiment(record, list_cells(connection, record))
    )
