# SPDX-License-Identifier: Apache-2.0
"""What was done to a run, when and why: noted beside it, and in the record of changes."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.engine import Connection

from coalescope.db.engine import tell
from coalescope.db.timestamps import utc_now
from coalescope.experiments.service import touch
from coalescope.runs import repository
from coalescope.runs.records import HistoryRecord, RunRecord


def history_of(connection: Connection, record: RunRecord) -> list[HistoryRecord]:
    """All changes of a run, oldest first."""
    return repository.history_of(connection, record.id)


def happened_to(slug: str, uid: str, what: str, count: int = 1) -> str:
    """A sentence for the record of changes: of one run, or of so many."""
    named = f"run {uid}" if count == 1 else f"{count} runs"
    return f"{slug}: {named} {what}"


def note(
    connection: Connection,
    run: RunRecord,
    action: str,
    reason: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    """Note a change of a run, and that its experiment changed."""
    tell(connection, happened_to(run.experiment, run.uid, f"{action}: {reason}"))
    row = history_row(run.id, utc_now(), action, reason, before, after)
    repository.insert_history(connection, [row])
    touch(connection, run.experiment_id)


def history_row(
    run_id: int,
    at: str,
    action: str,
    reason: str,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A change of a run as a row; `at` in UTC."""
    return {
        "run_id": run_id,
        "at": at,
        "action": action,
        "reason": reason,
        "before": before,
        "after": after,
    }
