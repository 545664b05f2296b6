# SPDX-License-Identifier: Apache-2.0
"""Summaries are exactly those of the current runs, whatever was done to them."""

import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db import compiled_sql
from coalescope.db.tables import cells, summaries
from coalescope.runs import kept_summaries
from coalescope.runs.records import MeasuredValue
from coalescope.runs.summaries import summarise_values
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

MakeLog = Callable[..., bytes]
HEADER = "mtu_bytes,replicate,throughput_mbps,drops\n"
NUMBERS = st.floats(-1e9, 1e9)


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_runs_are_summarised_as_the_textbook_says(values: Sequence[float]) -> None:
    summary = summarise_values([MeasuredValue(value) for value in values])
    assert summary.n == len(values)
    assert summary.mean == pytest.approx(statistics.fmean(values))
    if len(values) == 1:
        assert (summary.sd, summary.ci95) == (None, None)
        return
    deviation = statistics.stdev(values)
    assert summary.sd == pytest.approx(deviation, rel=1e-9, abs=1e-6)
    half = stats.t.ppf(0.975, len(values) - 1) * deviation / len(values) ** 0.5
    low, high = summary.ci95 or (0, 0)
    assert (low, high) == pytest.approx(
        (summary.mean - half, summary.mean + half), rel=1e-9, abs=1e-5
    )


@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=6), min_size=2, max_size=5))
def test_pooled_means_are_those_of_the_runs_behind_them(groups: list[list[float]]) -> None:
    rows = [
        MeasuredValue(
            statistics.fmean(group), statistics.stdev(group) if len(group) > 1 else None, len(group)
        )
        for group in groups
    ]
    pooled = summarise_values(rows)
    plain = summarise_values([MeasuredValue(value) for group in groups for value in group])
    assert pooled.n == plain.n
    assert pooled.mean == pytest.approx(plain.mean, rel=1e-9, abs=1e-5)
    assert pooled.sd == pytest.approx(plain.sd, rel=1e-6, abs=1e-3)


def test_a_mean_without_deviation_leaves_the_deviation_unknown() -> None:
    known = [MeasuredValue(1.0, 0.1, 5), MeasuredValue(2.0, 0.1, 5)]
    assert summarise_values(known).sd is not None
    assert summarise_values([known[0], MeasuredValue(2.0, None, 5)]).sd is None
    assert summarise_values([MeasuredValue(2.0, None, 5)]).n == 5
    assert summarise_values([known[0], MeasuredValue(2.0)]).sd is not None


# --- in the store


def recomputed(client: Any) -> dict[tuple[int, str], tuple[int, float, float | None]]:
    """Summaries from the runs that the API lists, independently of those stored."""
    values: dict[tuple[int, str], list[float]] = {}
    for experiment in client.get("/api/experiments").json():
        path = f"/api/experiments/{experiment['slug']}/runs"
        for run in client.get(path, params={"limit": 1000}).json()["runs"]:
            for name, measured in run["measures"].items() if run["status"] == "current" else ():
                values.setdefault((run["cell"], name), []).append(measured["value"])
    return {
        place: (
            len(found),
            statistics.fmean(found),
            statistics.stdev(found) if len(found) > 1 else None,
        )
        for place, found in values.items()
    }


def check_summaries(client: Any) -> None:
    with client.app.state.database.read() as connection:
        rows = connection.execute(sa.select(summaries)).all()
        counts = dict(connection.execute(sa.select(cells.c.id, cells.c.current_runs)).all())
    stored = {(row.cell_id, row.measure): (row.n, row.mean, row.sd) for row in rows}
    for (cell_id, measure), summary in stored.items():
        assert measure != "drops" or summary[0] == counts[cell_id]
    expected = recomputed(client)
    assert stored.keys() == expected.keys()
    for place, found in stored.items():
        assert found == pytest.approx(expected[place]), place


def table(rows: Sequence[tuple[int, int, float]]) -> bytes:
    lines = [f"{mtu},{replicate},{value},{replicate}\n" for mtu, replicate, value in rows]
    return (HEADER + "".join(lines)).encode()


def shuffle_changes(client: Any, seed: int) -> None:
    """Uploads, retractions, restorations and corrections in random order."""
    source = random.Random(seed)
    runs: list[str] = []
    for step in range(40):
        action = source.choice(["upload", "retraction", "restoration", "correction"])
        if action == "upload" or not runs:
            rows = [(source.choice([1500, 9000]), 10 * step + i, source.random()) for i in (0, 1)]
            receipt = client.upload(table(rows), "t.csv", experiment="t").json()
            runs += [run["id"] for run in receipt["runs"]]
            continue
        body: dict[str, Any] = {"reason": "because"}
        if action == "correction":
            body["factors"] = {"mtu_bytes": source.choice([1500, 3000, 9000])}
        client.post(f"/api/runs/{source.choice(runs)}/{action}", json=body)


@pytest.mark.parametrize("seed", [1, 2])
def test_summaries_follow_every_change(client: Any, seed: int) -> None:
    shuffle_changes(client, seed)
    check_summaries(client)


def test_a_store_that_forgets_a_cell_is_caught(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: only the last touched cell is brought up to date."""
    real = kept_summaries.refresh
    monkeypatch.setattr(
        kept_summaries, "refresh", lambda connection, cells: real(connection, list(cells)[-1:])
    )
    shuffle_changes(client, 1)
    with pytest.raises(AssertionError):
        check_summaries(client)


def test_a_store_that_counts_retracted_runs_is_caught(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control."""
    monkeypatch.setattr(kept_summaries, "refresh", lambda *_: None)
    shuffle_changes(client, 1)
    with pytest.raises(AssertionError):
        check_summaries(client)


def test_wrong_numbers_are_caught(client: Any) -> None:
    """Negative control."""
    shuffle_changes(client, 1)
    with client.app.state.database.write() as connection:
        connection.execute(sa.update(summaries).values(mean=summaries.c.mean + 1e-3))
    with pytest.raises(AssertionError):
        check_summaries(client)


def test_many_cells_are_refreshed_in_pieces(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_sql, "_CHUNK", 3)
    rows = [(1500 + cell, replicate, cell * 1.0) for cell in range(11) for replicate in (1, 2)]
    assert client.upload(table(rows), "t.csv").status_code == 201
    check_summaries(client)
    assert len(client.get("/api/experiments/t/cells").json()["cells"]) == 11
