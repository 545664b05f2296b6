# SPDX-License-Identifier: Apache-2.0
"""What is checked of one experiment does not read what is kept of all others."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db.engine import Database, open_database
from coalescope.runs import summary_repository

from .. import stack as stacks

EXPERIMENTS, CELLS_OF_ONE, RUNS_OF_A_CELL, MEASURES = 200, 144, 4, 3
CELLS = EXPERIMENTS * CELLS_OF_ONE
# that what is named is there need not be looked up
FILL = f"""
SET LOCAL session_replication_role = replica;
INSERT INTO experiments (id, slug, title, kind, source, created_at, updated_at)
SELECT e, e, '', 'measured', '{{}}', '', '' FROM generate_series(1, {EXPERIMENTS}) e;
INSERT INTO cells (id, experiment_id, factor_key, factors)
SELECT c, 1 + c / {CELLS_OF_ONE}, c, '{{}}' FROM generate_series(0, {CELLS - 1}) c;
INSERT INTO summaries
SELECT id, 'measure.m' || m, {RUNS_OF_A_CELL}, 1, 0, 1, 1
FROM cells, generate_series(1, {MEASURES}) m;
INSERT INTO runs (id, uid, experiment_id, cell_id, content, warnings, created_at)
SELECT r, r, 1 + r / {CELLS_OF_ONE * RUNS_OF_A_CELL}, r / {RUNS_OF_A_CELL}, 'run_log', '[]', ''
FROM generate_series(0, {CELLS * RUNS_OF_A_CELL - 1}) r;
INSERT INTO run_measures (run_id, measure, value)
SELECT id, 'measure.m' || m, 1 FROM runs, generate_series(1, {MEASURES}) m;
"""


@pytest.fixture
def large(on_servers: stacks.Servers, tmp_path: Path) -> Iterator[Database]:
    database = open_database(on_servers.settings(tmp_path)["database_url"], tmp_path)
    with database.write() as connection:
        connection.exec_driver_sql(FILL)
        connection.exec_driver_sql("ANALYZE")
    yield database
    database.close()


def summaries_read(plan: dict[str, Any]) -> int:
    """Rows of that table that the plan's nodes gave, over all of their loops."""
    of_others = sum(summaries_read(part) for part in plan.get("Plans", ()))
    own = plan["Actual Rows"] * plan["Actual Loops"] if plan.get("Alias") == "summaries" else 0
    return int(of_others + own)


def test_postgresql_sums_with_the_summaries_of_these_cells_alone(large: Database) -> None:
    of_one = range(CELLS_OF_ONE)
    asked: list[tuple[str, Any]] = []
    with large.read() as connection:
        sa.event.listen(
            connection, "before_cursor_execute", lambda *all_of_it: asked.append(all_of_it[2:4])
        )
        found = list(summary_repository.summed(connection, of_one))
        ((text, values),) = asked
        explained = f"EXPLAIN (ANALYZE, FORMAT JSON) {text}"
        (((plan,),),) = connection.exec_driver_sql(explained, values).all()
    assert {(one.values, one.kept and one.kept.n) for one in found} == {(RUNS_OF_A_CELL,) * 2}
    assert len(found) == CELLS_OF_ONE * MEASURES
    assert summaries_read(plan["Plan"]) < 10 * len(found)
