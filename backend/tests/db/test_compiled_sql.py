# SPDX-License-Identifier: Apache-2.0
"""Statements given to the driver as they are do what SQLAlchemy would do with them."""

from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db import compiled_sql
from coalescope.db.engine import Database
from coalescope.db.tables import cells, links
from coalescope.experiments.service import create_experiment
from sqlalchemy.exc import IntegrityError, OperationalError

_NAMED = (
    sa.select(links.c.token)
    .where(
        links.c.token.in_(sa.bindparam("among", expanding=True)),
        links.c.token.not_in(sa.bindparam("without", expanding=True)),
        links.c.created_at == "now",
        links.c.path != sa.bindparam("path"),
    )
    .order_by(links.c.token)
)


def rows_of_links(*named: str) -> list[dict[str, Any]]:
    return [{"token": name, "path": f"/{name}", "created_at": "now"} for name in named]


def test_lists_are_expanded_whatever_their_length(database: Database) -> None:
    with database.write() as connection:
        compiled_sql.insert(connection, links, rows_of_links("a", "b", "c"))
        for among, without in ((["a", "c", "x"], []), (["a"], ["b"]), ([], ["a"]), (["a"], ["a"])):
            given = {"among": among, "without": without, "path": "/c"}
            found = compiled_sql.run(connection, _NAMED, **given)
            assert found == [tuple(row) for row in connection.execute(_NAMED, given)], given
        assert compiled_sql.run(connection, _NAMED, among=["c", "a"], without=[], path="") == [
            ("a",),
            ("c",),
        ]


def test_json_is_written_as_sqlalchemy_writes_it(database: Database) -> None:
    factors = {"mtu_bytes": 1500, "workload": "µ", "none": None}
    with database.write() as connection:
        experiment = create_experiment(connection, "a", "a", "measured")
        row = {"experiment_id": experiment.id, "factor_key": "plain", "factors": factors}
        compiled_sql.insert(connection, cells, [row])
        connection.execute(sa.insert(cells).values({**row, "factor_key": "sqlalchemy's"}))
        texts = connection.execute(sa.text("SELECT factors, typeof(factors) FROM cells")).all()
        assert texts[0] == texts[1]
        assert connection.scalars(sa.select(cells.c.factors)).all() == [factors, factors]


def test_what_more_than_a_statement_takes_is_stored_and_returned(database: Database) -> None:
    named = [f"{number:05d}" for number in range(4000)]
    with database.write() as connection:
        found = compiled_sql.insert(
            connection, links, rows_of_links(*named), links.c.path, links.c.token
        )
        assert sorted(found) == [(f"/{name}", name) for name in named]
        assert compiled_sql.insert(connection, links, [], links.c.token) == []


def test_errors_are_those_of_sqlalchemy(database: Database) -> None:
    with pytest.raises(IntegrityError, match="UNIQUE"), database.write() as connection:
        compiled_sql.insert(connection, links, rows_of_links("a", "a"))
    with database.read() as connection:
        assert not connection.execute(sa.select(links)).all(), "all of the transaction is undone"
        connection.exec_driver_sql("PRAGMA query_only=1")
        with pytest.raises(OperationalError, match="readonly"):
            compiled_sql.run(
                connection, sa.update(links).values(token=sa.bindparam("other")), other="b"
            )
        connection.exec_driver_sql("PRAGMA query_only=0")
