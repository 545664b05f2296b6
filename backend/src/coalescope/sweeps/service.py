# SPDX-License-Identifier: Apache-2.0
"""Announce a sweep, say how far it is, and see what an experiment's sweeps do."""

import re
from typing import Any

from sqlalchemy.engine import Connection, Row

from coalescope.db.engine import tell
from coalescope.db.timestamps import utc_now
from coalescope.errors import CoalescopeError, not_found
from coalescope.experiments.service import check_not_deleted
from coalescope.sweeps import repository
from coalescope.sweeps.schemas import ChangeOut, ProgressIn, SweepIn, SweepOut

_SHOWN = 5
ID = re.compile(r"[A-Za-z0-9_-]{8,64}")

Version = tuple[int | None, str | None]


def announce(connection: Connection, uid: str, sweep: SweepIn) -> SweepOut:
    """Store a sweep, or what changed of one.

    Errors: 422 for an identity that is none; 409 for a new one of an experiment that was
    deleted, as all of its uploads would be refused.
    """
    if not ID.fullmatch(uid):
        raise CoalescopeError(
            "invalid_sweep_id",
            f"{uid[:80]!r} cannot identify a sweep.",
            where={"field": "id"},
            advice="Use 8 to 64 letters, digits, - and _.",
            status=422,
        )
    now = utc_now()
    values = sweep.model_dump(exclude={"experiment"}) | {
        "slug": sweep.experiment,
        "updated_at": now,
    }
    if not repository.put(connection, uid, values):
        check_not_deleted(connection, sweep.experiment)
        repository.insert(connection, values | {"uid": uid, "started_at": now})
        tell(connection, f"{sweep.experiment}: sweep {uid} announced")
    return _get(connection, uid)


def report(connection: Connection, uid: str, progress: ProgressIn) -> SweepOut:
    """Store how far a sweep is. Errors: 404 for one that was not announced."""
    if not repository.put(connection, uid, progress.model_dump() | {"updated_at": utc_now()}):
        raise not_found("sweep", uid, "Announce it first, with PUT /api/sweeps/{id}.")
    return _get(connection, uid)


def change(connection: Connection, slug: str) -> ChangeOut:
    """What an experiment's data and sweeps are now."""
    data_version, _ = repository.version(connection, slug)
    found = repository.newest(connection, slug, _SHOWN)
    return ChangeOut(data_version=data_version, sweeps=[_out(row) for row in found])


def version(connection: Connection, slug: str) -> Version:
    """Cheaper than `change`, and different whenever that is."""
    return repository.version(connection, slug)


def _get(connection: Connection, uid: str) -> SweepOut:
    row = repository.get(connection, uid)
    assert row is not None
    return _out(row)


def _out(row: Row[Any]) -> SweepOut:
    values = dict(row._mapping)
    del values["id"]
    return SweepOut(id=values.pop("uid"), experiment=values.pop("slug"), **values)
