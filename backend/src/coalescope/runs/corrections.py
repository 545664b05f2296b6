# SPDX-License-Identifier: Apache-2.0
"""What people change of a run that is stored: whether it counts, its factors, its number."""

from collections.abc import Mapping

from sqlalchemy.engine import Connection

from coalescope.errors import conflict
from coalescope.experiments.levels import canonical_factors, factor_key
from coalescope.experiments.records import FactorValue
from coalescope.runs import kept_summaries, repository
from coalescope.runs.history import note
from coalescope.runs.records import RunRecord
from coalescope.runs.service import get_run


def retract(connection: Connection, uid: str, reason: str) -> None:
    """Take a run out of its cell's summaries; the run and its log stay. Errors: 404, 409."""
    _set_status(connection, uid, "retracted", "retracted", reason)


def restore(connection: Connection, uid: str, reason: str) -> None:
    """Take a retraction back. Errors: 404; 409, also if its place was filled meanwhile."""
    run = get_run(connection, uid)
    _refuse_taken_place(connection, run, run.cell_id, run.replicate)
    _set_status(connection, uid, "current", "restored", reason)


def correct(
    connection: Connection,
    uid: str,
    factors: Mapping[str, FactorValue | None],
    replicate: int | None,
    reason: str,
) -> None:
    """Change a run's factors (None removes one) or replicate number: it moves to another cell.

    Errors: 404; 409 if nothing would change, or if another row has that place.
    """
    run = get_run(connection, uid)
    changed = {**run.factors, **factors}
    kept: dict[str, FactorValue] = {k: v for k, v in changed.items() if v is not None}
    kept = canonical_factors(kept)
    number = run.replicate if replicate is None else replicate
    before = {"factors": dict(run.factors), "replicate": run.replicate}
    after = {"factors": kept, "replicate": number}
    if before == after:
        raise conflict(
            "nothing_to_correct",
            "The run has these factors and this replicate number already.",
            where={"run": uid},
            advice="Give the factors that are wrong with their right levels.",
        )
    key = factor_key(kept)
    cell = repository.cell_ids(connection, run.experiment_id, {key: kept})[key]
    if run.status == "current":
        _refuse_taken_place(connection, run, cell, number)
    repository.update_run(connection, run.id, {"cell_id": cell, "replicate": number})
    note(connection, run, "corrected", reason, before, after)
    kept_summaries.refresh(connection, [run.cell_id, cell])


def _refuse_taken_place(
    connection: Connection, run: RunRecord, cell: int, replicate: int | None
) -> None:
    """A row of a table would be counted twice; two logs of one number are two recordings."""
    if run.content != "csv" or replicate is None:
        return
    other = repository.replicates_taken(connection, [cell]).get(cell, {}).get(replicate)
    if other is not None and other != run.uid:
        raise conflict(
            "replicate_exists",
            f"Replicate {replicate} of this cell is there already, as run {other}.",
            where={"run": other},
            advice="Retract that run first, or give this one another replicate number.",
        )


def _set_status(connection: Connection, uid: str, status: str, action: str, reason: str) -> None:
    run = get_run(connection, uid)
    if run.status == status:
        raise conflict(
            f"already_{status}",
            f"The run is {status} already.",
            where={"run": uid},
            advice="Its history says since when and why.",
        )
    repository.update_run(connection, run.id, {"status": status})
    note(connection, run, action, reason, {"status": run.status}, {"status": status})
    kept_summaries.refresh(connection, [run.cell_id])
