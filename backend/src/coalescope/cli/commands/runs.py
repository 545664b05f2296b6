# SPDX-License-Identifier: Apache-2.0
"""coalescope runs list, retract, restore and correct: what of an experiment counts, and as what."""

from argparse import Namespace
from collections.abc import Callable

from coalescope.cli.output import counted, print_json, print_table, shown
from coalescope.cli.places import Place, changing, reading
from coalescope.client.source import Document
from coalescope.errors import CoalescopeError
from coalescope.foreign.given import read_given

_SHOWN = ("id", "status", "factors", "replicate", "recorded_at", "filename")
_Change = Callable[[Place, str], None]


def run(arguments: Namespace) -> int:
    """Do what the second word says."""
    reason = getattr(arguments, "reason", "")
    match arguments.action:
        case "retract":
            _change(arguments, lambda place, uid: place.retract_run(uid, reason), "retracted")
        case "restore":
            _change(arguments, lambda place, uid: place.restore_run(uid, reason), "restored")
        case "correct":
            _change(arguments, _correction(arguments), "corrected")
        case _:
            _list(arguments)
    return 0


def _list(arguments: Namespace) -> None:
    with reading(arguments) as place:
        listed = place.list_runs(
            arguments.experiment, arguments.where, arguments.state, arguments.limit
        )
    total, found = listed["total"], listed["runs"]
    if arguments.json:
        print_json({"total": total, "runs": [{name: r[name] for name in _SHOWN} for r in found]})
        return
    print_table(
        ("run", "status", "setting", "replicate", "recorded", "file"),
        [
            (
                run["id"],
                run["status"],
                _setting(run),
                run["replicate"],
                run["recorded_at"],
                run["filename"] or "",
            )
            for run in found
        ],
    )
    if total > len(found):
        print(f"… and {total - len(found)} more")


def _setting(run: Document) -> str:
    return ", ".join(f"{name} {shown(level)}" for name, level in run["factors"].items())


def _correction(arguments: Namespace) -> _Change:
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
    return lambda place, uid: place.correct_run(
        uid, given.factors, arguments.replicate, arguments.reason
    )


def _change(arguments: Namespace, change: _Change, done: str) -> None:
    """Change each of the runs that were typed, once."""
    runs = list(dict.fromkeys(arguments.runs))
    with changing(arguments) as place:
        for uid in runs:
            change(place, uid)
    print(f"{done} {counted(len(runs), 'run')}")
