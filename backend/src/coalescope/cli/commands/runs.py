# SPDX-License-Identifier: Apache-2.0
"""coalescope runs list, retract and restore: what of an experiment counts."""

from argparse import Namespace

from coalescope.cli.local_store import changed_store, local_store
from coalescope.cli.output import counted, print_json, print_table, shown
from coalescope.experiments.service import get_experiment
from coalescope.runs import corrections
from coalescope.runs.listing import listing_of, page_of
from coalescope.runs.records import RunRecord


def run(arguments: Namespace) -> int:
    """Do what the second word says."""
    return _list(arguments) if arguments.action == "list" else _change(arguments)


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


def _change(arguments: Namespace) -> int:
    """Change all of the runs, or none of them."""
    change = corrections.retract if arguments.action == "retract" else corrections.restore
    with local_store(arguments):
        pass  # there is one: nothing is changed where there is nothing
    runs = list(dict.fromkeys(arguments.runs))
    with changed_store(arguments) as store, store.database.write() as connection:
        for uid in runs:
            change(connection, uid, arguments.reason)
    done = "retracted" if arguments.action == "retract" else "restored"
    print(f"{done} {counted(len(runs), 'run')}")
    return 0
