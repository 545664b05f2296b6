# SPDX-License-Identifier: Apache-2.0
"""SQL of lists of runs: chosen, sorted, a page at a time."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.tables import run_measures, runs
from coalescope.runs.records import Listing


def page(connection: Connection, listing: Listing, limit: int, offset: int) -> list[int]:
    """The row ids of one page, in order."""
    query = _in_order(_listed(listing), listing).limit(limit).offset(offset)
    return [run_id for (run_id,) in connection.execute(query)]


def count(connection: Connection, listing: Listing) -> int:
    """How many runs all pages have."""
    query = sa.select(sa.func.count()).select_from(_listed(listing).subquery())
    return connection.execute(query).scalar_one()


# Said as what they are not: for an equation, SQLite makes an index of its own of all runs, and
# looks through it once for every cell.
_CURRENT = runs.c.status != "retracted"
_STATES = {
    "current": (_CURRENT,),
    "whole": (_CURRENT, runs.c.partial != sa.true()),
    "partial": (_CURRENT, runs.c.partial != sa.false()),
    "retracted": (runs.c.status != "current",),
}


def _listed(listing: Listing) -> sa.Select[int]:
    """The row ids of a list, in no order; with the place of each one's cell where it has one."""
    query = sa.select(runs.c.id)
    if listing.places is None:
        query = query.where(runs.c.experiment_id == listing.experiment_id)
    else:
        # as literals: there may be more cells than a statement can have parameters
        columns = sa.column("cell_id", sa.BigInteger), sa.column("place", sa.Integer)
        places = sa.values(*columns, name="places", literal_binds=True)
        among = places.data(list(listing.places.items())).cte("places")
        query = query.join_from(among, runs, among.c.cell_id == runs.c.cell_id)
    if listing.state is not None:
        query = query.where(*_STATES[listing.state])
    if listing.warned is not None:
        query = query.where(runs.c.warned != sa.literal(not listing.warned))
    return query


def _in_order(query: sa.Select[int], listing: Listing) -> sa.Select[int]:
    key: sa.ColumnElement[Any]
    match listing.by:
        case "stored":
            return query.order_by(runs.c.id.desc() if listing.falling else runs.c.id)
        case "recorded":
            key = sa.func.coalesce(runs.c.recorded_at, runs.c.created_at)
        case "replicate":
            key = runs.c.replicate
        case "place":
            # the places are in the order that was asked for
            return query.order_by(sa.literal_column("places.place"), runs.c.id)
        case name:
            of_run = sa.and_(run_measures.c.run_id == runs.c.id, run_measures.c.measure == name)
            query = query.outerjoin(run_measures, of_run)
            key = run_measures.c.value
    return query.order_by(key.is_(None), key.desc() if listing.falling else key, runs.c.id)
