# SPDX-License-Identifier: Apache-2.0
"""What commands keep in order in the local store, without a server.

What loads more than most commands need is imported where it is used: fits with jobs, the server's
own guards with who changed what.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from sqlalchemy.engine import Connection

from coalescope.client.source import Document
from coalescope.experiments import changing
from coalescope.experiments.description import describe_experiment, summarise_experiment
from coalescope.experiments.schemas import (
    DeletedExperimentOut,
    ExperimentOut,
    ExperimentSummaryOut,
)
from coalescope.experiments.service import get_experiment, list_cells, list_experiments
from coalescope.runs import corrections
from coalescope.runs.listing import listing_of, page_of
from coalescope.runs.records import RunRecord, State


class LocalPlace:
    """A store by one connection: what is asked of it is one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def experiments(self) -> Sequence[Document]:
        """Each of them, published first."""
        return [
            _document(
                ExperimentSummaryOut.model_validate(
                    summarise_experiment(record, list_cells(self._connection, record))
                )
            )
            for record in list_experiments(self._connection)
        ]

    def deleted_experiments(self) -> Sequence[Document]:
        """Those that can be restored, the last one first."""
        return [vars(each) for each in changing.list_deleted(self._connection)]

    def change_experiment(self, slug: str, said: Mapping[str, Any]) -> Document:
        """Say anew what an experiment is."""
        record = changing.change(
            self._connection, slug, said.get("title"), said.get("subtitle"), said.get("source")
        )
        cells = list_cells(self._connection, record)
        return _document(ExperimentOut.model_validate(describe_experiment(record, cells)))

    def delete_experiment(self, slug: str) -> Document:
        """Show an experiment no more."""
        deleted = changing.delete(self._connection, slug)
        return _document(DeletedExperimentOut.model_validate(deleted, from_attributes=True))

    def restore_experiment(self, slug: str) -> None:
        """Take a deletion back."""
        changing.restore(self._connection, slug)

    def list_runs(
        self, slug: str, where: Sequence[tuple[str, str]], state: State | None, limit: int
    ) -> Document:
        """The first runs of an experiment, and how many there are."""
        experiment = get_experiment(self._connection, slug)
        listing = listing_of(self._connection, experiment, where, state=state)
        total, found = page_of(self._connection, listing, limit)
        return {"total": total, "runs": [_run(record) for record in found]}

    def retract_run(self, uid: str, reason: str) -> None:
        """Let a run count no more."""
        corrections.retract(self._connection, uid, reason)

    def restore_run(self, uid: str, reason: str) -> None:
        """Let it count again."""
        corrections.restore(self._connection, uid, reason)

    def correct_run(
        self, uid: str, factors: Mapping[str, Any], replicate: int | None, reason: str
    ) -> None:
        """Set right what it says of its setting."""
        corrections.correct(self._connection, uid, factors, replicate, reason)

    def jobs(self, slug: str | None, limit: int) -> Sequence[Document]:
        """Jobs, the newest first."""
        from coalescope.jobs.service import newest  # noqa: PLC0415

        return [_document(job) for job in newest(self._connection, slug, limit)]

    def job(self, uid: str) -> Document:
        """One of them."""
        from coalescope.jobs.service import get  # noqa: PLC0415

        return _document(get(self._connection, uid))

    def cancel_job(self, uid: str) -> Document:
        """End it before it is done; the server that computes it hears of it."""
        from coalescope.jobs.service import cancel  # noqa: PLC0415

        return _document(cancel(self._connection, uid))

    def changes(self, limit: int) -> Sequence[Document]:
        """Who changed the store, the newest change first."""
        from coalescope.tokens.service import newest_changes  # noqa: PLC0415

        return [vars(change) for change in newest_changes(self._connection, limit)]


def _document(answer: BaseModel) -> Document:
    return answer.model_dump(mode="json")


def _run(record: RunRecord) -> Document:
    return {
        "id": record.uid,
        "status": record.status,
        "factors": dict(record.factors),
        "replicate": record.replicate,
        "recorded_at": record.recorded_at,
        "filename": record.filename,
    }
