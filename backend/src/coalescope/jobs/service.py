# SPDX-License-Identifier: Apache-2.0
"""Ask for a job, say how it is, take one up, finish it. The rows are all there is of a job.

A worker writes every few seconds that it is still there. One that has not done so for a minute
is taken for dead, and its job goes back into the queue: what was computed is lost, the question
is not. The same question about the same data is the same job.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection, Row

from coalescope.db.timestamps import as_utc, utc_now
from coalescope.errors import CoalescopeError, conflict, not_found
from coalescope.experiments.service import get_experiment
from coalescope.jobs import repository
from coalescope.jobs.schemas import JobIn, JobOut, ListedJobOut
from coalescope.jobs.underway import Underway

_SILENT = timedelta(seconds=60)
_KEPT = timedelta(days=30)
_MOST_QUEUED = 100
_MOST_ATTEMPTS = 3
# What was computed is lost with the worker.
_AGAIN = {"state": "queued", "worker": None, "parts_done": None, "parts": None}
_KINDS = ("fit", "nonlinear_fit", "prediction")


@dataclass(frozen=True)
class Claim:
    """A job that a worker has taken up, for the how-manieth time."""

    uid: str
    worker: str
    question: JobIn
    attempt: int


def ask(connection: Connection, question: JobIn) -> tuple[JobOut, bool]:
    """Store a job, or find the one there is for this question; whether it is new.

    Errors: 404 for the experiment, 503 where too many are waiting.
    """
    slug, data_version = "", 0  # of no experiment
    if question.experiment is not None:
        experiment = get_experiment(connection, question.experiment)
        slug, data_version = experiment.slug, experiment.data_version
    text = question.model_dump_json()
    digest = hashlib.sha256(f"{data_version} {text}".encode()).hexdigest()
    there = repository.same_question(connection, digest)
    if there is not None:
        return _out(there), False
    if repository.count(connection, "queued") >= _MOST_QUEUED:
        raise CoalescopeError(
            "too_many_jobs",
            f"{_MOST_QUEUED} jobs are waiting already.",
            advice="Ask again when some are done.",
            status=503,
        )
    uid, now = secrets.token_hex(8), utc_now()
    values = {
        "uid": uid,
        "slug": slug,
        "question": json.loads(text),
        "question_sha256": digest,
        "state": "queued",
        "attempts": 0,
        "asked_at": now,
    }
    repository.insert(connection, values)
    repository.delete_finished(connection, as_utc(datetime.now(UTC) - _KEPT))
    return get(connection, uid), True


def get(connection: Connection, uid: str) -> JobOut:
    """The job of that identity. Errors: 404."""
    row = repository.get(connection, uid)
    if row is None:
        raise not_found("job", uid, "Jobs are kept for 30 days; ask again.")
    return _out(row)


def newest(connection: Connection, slug: str | None, limit: int) -> list[ListedJobOut]:
    """Jobs without their results, the newest first. Errors: 404 for the experiment."""
    if slug is not None:
        get_experiment(connection, slug)
    return [ListedJobOut(**_listed(row)) for row in repository.newest(connection, slug, limit)]


def cancel(connection: Connection, uid: str) -> JobOut:
    """End a job before it is done; nothing is kept of it. One that was cancelled stays so.

    Its worker sees it when it next says that it is there. Errors: 404; 409 for a job that ended
    in another way.
    """
    job = get(connection, uid)
    cancelled = {"state": "cancelled", "worker": None, "finished_at": utc_now()}
    if not repository.end(connection, uid, cancelled) and job.state != "cancelled":
        raise conflict(
            "job_ended",
            f"The job {uid} has ended: it is {job.state}.",
            where={"job": uid},
            advice="There is nothing to cancel.",
        )
    return get(connection, uid)


def any_to_take(connection: Connection) -> bool:
    """Whether there is anything to take up."""
    return repository.count(connection, "queued") > 0 or bool(
        repository.stale(connection, _long_ago())
    )


def take(connection: Connection, at_once: int) -> Claim | None:
    """Take up the oldest job, unless as many are running as may: over all servers."""
    for row in repository.stale(connection, _long_ago()):
        repository.update(connection, row.uid, _after_silence(row))
    if repository.count(connection, "running") >= at_once:
        return None
    waiting = repository.oldest_queued(connection)
    if waiting is None:
        return None
    worker, now, attempt = secrets.token_hex(8), utc_now(), waiting.attempts + 1
    values = {
        "state": "running",
        "worker": worker,
        "attempts": attempt,
        "started_at": now,
        "heard_at": now,
    }
    repository.update(connection, waiting.uid, values)
    return Claim(waiting.uid, worker, JobIn.model_validate(waiting.question), attempt)


def still_at_it(connection: Connection, claim: Claim, underway: Underway) -> bool:
    """Say that the worker is there, and how far; False where the job is no longer its own."""
    said = {"heard_at": utc_now(), **_how_far(underway)}
    return repository.update_own(connection, claim.uid, claim.worker, said)


def give_back(connection: Connection, claim: Claim) -> None:
    """Put the job back into the queue: the server ends, in order, which is no fault of the job."""
    values = {**_AGAIN, "attempts": claim.attempt - 1}
    repository.update_own(connection, claim.uid, claim.worker, values)


def finish(
    connection: Connection, claim: Claim, underway: Underway, result: Mapping[str, Any]
) -> None:
    """Keep the result, unless the job was cancelled, or another worker has it by now."""
    values = {"state": "done", "result": dict(result), "finished_at": utc_now()}
    values |= _how_far(underway)
    repository.update_own(connection, claim.uid, claim.worker, values)


def fail(connection: Connection, claim: Claim, error: CoalescopeError) -> None:
    """Keep why it failed."""
    repository.update_own(connection, claim.uid, claim.worker, _failed(error))


def _how_far(underway: Underway) -> dict[str, Any]:
    return {"parts_done": underway.done, "parts": underway.parts or None}


def _long_ago() -> str:
    return as_utc(datetime.now(UTC) - _SILENT)


def _after_silence(row: Row[Any]) -> dict[str, Any]:
    """Back into the queue, unless it took its workers with it time and again."""
    if row.attempts < _MOST_ATTEMPTS:
        return dict(_AGAIN)
    return _failed(
        CoalescopeError(
            "job_lost",
            f"The server ended {row.attempts} times while it computed this.",
            advice="Its memory may be too small for it: select fewer runs or resamples.",
            status=500,
        )
    )


def _failed(error: CoalescopeError) -> dict[str, Any]:
    return {"state": "failed", "error": error.as_json()["error"], "finished_at": utc_now()}


def _out(row: Row[Any]) -> JobOut:
    found: dict[str, Any] = {
        kind: row.result if row.question.get(kind) else None for kind in _KINDS
    }
    return JobOut(**_listed(row), **found)


def _listed(row: Row[Any]) -> dict[str, Any]:
    return {
        "id": row.uid,
        "experiment": row.slug or None,
        "state": row.state,
        "asked_at": row.asked_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "parts_done": row.parts_done if row.parts else None,
        "parts": row.parts,
        "error": row.error,
    }
