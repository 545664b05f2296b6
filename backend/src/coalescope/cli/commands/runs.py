# SPDX-License-Identifier: Apache-2.0
"""coalescope runs list, retract, restore and correct: what of an experiment counts, and as what."""

from argparse import Namespace
from collections.abc import Callable

from sqlalchemy.engine import Connection

from coalescope.cli.local_store import changed_store, local_store
from coalescope.cli.output import counted, print_json, print_table, shown
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import get_experiment
from coalescope.foreign.given import read_given
from coalescope.runs import corrections
from coalescope.runs.listing import listing_of, page_of
from coalescope.runs.records import RunRecord


def run(arguments: Namespace) -> int:
    """Do what the second word says."""
    match arguments.action:
        case "retract":
            return _change(arguments, corrections.retract, "retracted")
        case "restore":
            return _change(arguments, corrections.restore, "restored")
        case "correct":
            return _change(arguments, _correction(arguments), "corrected")
        case _:
            return _list(arguments)


def _list(arguments: Namespace) -> int:
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = get_experiment(connection, arguments.experiment)
        listing = listing_of(connection, experiment, arguments.where, state=arguments.state)
        total, found = page_of(connection, listing, arguments.limit)
    if arguments.json:
        print_json({"total": total, "runs": [_described(each) for each in found]})
        return 0
    print_table(
        ("run", "status", "setting", "replicate", "recorded", "file"),
        [
            (r.uid, r.status, _setting(r), r.replicate, r.recorded_at, r.filename or "")
            for r in found
        ],
    )
    if total > len(found):
        print(f"… and {total - len(found)} more")
    return 0


def _setting(record: RunRecord) -> str:
    return ", ".join(f"{name} {shown(level)}" for name, level in record.factors.items())


def _described(record: RunRecord) -> dict[str, object]:
    return {
        "id": record.uid,
        "status": record.status,
        "factors": dict(record.factors),
        "replicate": record.replicate,
        "recorded_at": record.recorded_at,
        "filename": record.filename,
    }


def _correction(arguments: Namespace) -> Callable[[Connection, str, str], None]:
    """What sets a run right. Errors: 422 for factors that are none, or nothing to set right."""
    given = read_given(arguments.set)
    if given.joining:
        raise CoalescopeError(
            "unknown_factor",
            f"{next(iter(given.joining))!r} is not a factor of a run.",
            advice="It is for files of other tools, when they are imported.",
        )
    if not given.factors and arguments.replicate is None:
        raise CoalescopeError(
            "nothing_to_correct",
            "Nothing is said of what is right.",
            advice="Say it with --set FACTOR=LEVEL or --replicate N.",
        )
    if arguments.replicate is not None and len(set(arguments.runs)) > 1:
        raise CoalescopeError(
            "one_run",
            "Several runs cannot have one replicate number.",
            advice="Give --replicate with one run at a time.",
        )

    def correct(connection: Connection, uid: str, reason: str) -> None:
        corrections.correct(connection, uid, given.factors, arguments.replicate, reason)

    return correct


def _change(arguments: Namespace, change: Callable[[Connection, str, str], None], done: str) -> int:
    """Change all of the runs, or none of them."""
    with local_store(arguments):
        pass  # there is one: nothing is changed where there is nothing
    runs = list(dict.fromkeys(arguments.runs))
    with changed_store(arguments) as store, store.database.write() as connection:
        for uid in runs:
            change(connection, uid, arguments.reason)
    print(f"{done} {counted(len(runs), 'run')}")
    return 0
