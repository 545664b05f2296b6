# SPDX-License-Identifier: Apache-2.0
"""Intervals of cells follow from when their runs were recorded, wherever they are shown."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from coalescope.copies.answers import evaluate
from coalescope.datasets.bundles import read_bundle
from coalescope.experiments.service import get_experiment
from coalescope.exports.service import write_parquet
from coalescope_host import run_log
from coalescope_models.inference.statistics import interval_by_cluster, summarise

MEASURE = "throughput_mbps"
DELAYS = range(0, 120, 10)


def table(*, blocks: bool = False, in_a_row: bool = False, known: bool = True) -> bytes:
    """12 delays of 6 runs: in rounds of no order, in three blocks of two rounds, or in a row."""
    rng = np.random.default_rng(5)
    places = [(d, r) for r in range(6) for d in rng.permutation(DELAYS)]
    if in_a_row:
        places = [(d, r) for d in DELAYS for r in range(6)]
    shift = 6.0 * rng.normal(size=3)
    lines = [f"delay_us,replicate,order,block,{MEASURE}"]
    for order, (delay, replicate) in enumerate(places, start=1):
        block = replicate // 2
        value = float(500.0 - delay + rng.normal() + (shift[block] if blocks else 0.0))
        named = f"day {block}" if blocks else ""
        told = f"{order},{named}" if known else ","
        lines.append(f"{delay},{replicate + 1},{told},{value!r}")
    return "\n".join(lines).encode()


BUNDLE = Path(__file__).parents[3] / "datasets/virtual-testbed/raw/run-logs.tar.xz"


def test_samples_of_one_run_are_no_replicates(client: Any) -> None:
    """Real logs: one with many samples is one run without spread; two of a cell are two."""
    alike: dict[str, list[bytes]] = {}
    for _, content in read_bundle(BUNDLE):
        log = run_log.read(content)
        assert log.records > 10
        factors = json.dumps(log.header["factors"], sort_keys=True)
        alike.setdefault(factors, []).append(content)
        if len(alike[factors]) == 2:
            break
    first, second = alike[factors]
    assert client.upload(first, "one.runlog", experiment="one", kind="emulated").status_code == 201
    (cell,) = client.get("/api/experiments/one/cells").json()["cells"]
    assert len(cell["measures"]) > 15
    for found in cell["measures"].values():
        assert (found["n"], found["sd"], found["ci95"]) == (1, None, None)
    assert client.upload(second, "two.runlog", experiment="one", kind="emulated").status_code == 201
    (cell,) = client.get("/api/experiments/one/cells").json()["cells"]
    assert {found["n"] for found in cell["measures"].values()} == {2}


def stored(client: Any, content: bytes) -> Any:
    assert client.upload(content, "lab.csv").status_code == 201
    return client.get("/api/experiments/lab/cells").json()


def replicates(client: Any, **query: str) -> Any:
    query |= {"measure": MEASURE}
    return client.get("/api/experiments/lab/replicates", params=query).json()


def of(cells: Any, delay: int) -> Any:
    (found,) = (c for c in cells["cells"] if c["factors"]["delay_us"] == delay)
    return found["measures"][MEASURE]


def test_blocks_make_the_intervals_of_cells(client: Any) -> None:
    cells = stored(client, table(blocks=True))
    runs = next(c for c in replicates(client)["cells"] if c["factors"]["delay_us"] == 50)
    values = [run["value"] for run in runs["replicates"]]
    blocks = [(run["replicate"] - 1) // 2 for run in runs["replicates"]]
    found = of(cells, 50)
    assert found["ci95"] == pytest.approx(interval_by_cluster(values, blocks))
    assert found["ci95"] != pytest.approx(summarise(values).ci95)
    assert "3 blocks" in cells["independence"][MEASURE]["reason"]


@pytest.mark.parametrize("known", [True, False])
def test_replicates_in_a_row_have_no_interval(client: Any, known: bool) -> None:
    """The control: of the same runs with nothing known of their sequence."""
    cells = stored(client, table(in_a_row=True, known=known))
    assert all((of(cells, d)["ci95"] is None) is known for d in DELAYS)
    assert all(of(cells, d)["sd"] > 0.0 for d in DELAYS)
    reason = "one after another" if known else "do not say in which order"
    assert reason in cells["independence"][MEASURE]["reason"]


def test_rounds_that_nothing_speaks_against_keep_their_intervals(client: Any) -> None:
    cells = stored(client, table())
    assert cells["independence"] == {}
    values = [run["value"] for run in replicates(client)["cells"][0]["replicates"]]
    assert of(cells, 0)["ci95"] == pytest.approx(summarise(values).ci95)


@pytest.mark.parametrize("how", ["blocks", "in_a_row"])
def test_a_cell_has_the_same_interval_wherever_it_is_shown(client: Any, how: str) -> None:
    cells = stored(client, table(**{how: True}))
    own = {d: of(cells, d)["ci95"] for d in DELAYS}
    reason = cells["independence"][MEASURE]["reason"]
    surface = client.get(f"/api/experiments/lab/surfaces/{MEASURE}").json()
    assert {c["x"]: c["ci95"] for c in surface["cells"]} == own
    assert surface["independence"]["reason"] == reason
    for query in ({}, {"delay_us": "0,10"}):
        found = replicates(client, **query)
        shown = {c["factors"]["delay_us"]: c["summary"]["ci95"] for c in found["cells"]}
        assert shown == {d: own[d] for d in shown}
        assert found["independence"]["reason"] == reason
    export = "/api/experiments/lab/export?what=cells&format="
    told = client.get(f"{export}json").json()
    assert {c["factors"]["delay_us"]: c["measures"][MEASURE]["ci95"] for c in told["cells"]} == own
    assert told["intervals"] == {MEASURE: reason}
    sink = io.BytesIO()
    with client.app.state.database.read() as connection:
        write_parquet(connection, get_experiment(connection, "lab"), "cells", sink)
    parquet = pq.read_table(io.BytesIO(sink.getvalue()))
    lows = dict(
        zip(*(parquet[c].to_pylist() for c in ("delay_us", f"{MEASURE}_ci95_low")), strict=True)
    )
    assert lows == {d: ends and ends[0] for d, ends in own.items()}
    assert json.loads(parquet.schema.metadata[b"coalescope"])["intervals"] == {MEASURE: reason}


def test_leaving_runs_out_is_judged_anew_by_server_and_copy(client: Any) -> None:
    """Without two blocks' runs there is one block, so that rounds are judged."""
    stored(client, table(blocks=True))
    runs = client.get("/api/experiments/lab/runs?limit=1000").json()
    gone = ",".join(run["id"] for run in runs["runs"] if run["replicate"] > 2)
    query = {"without": gone}
    found = client.get("/api/experiments/lab/cells", params=query).json()
    assert found["independence"][MEASURE]["verdict"] == "too_few"
    kept = {
        "experiment": client.get("/api/experiments/lab").json(),
        "cells": client.get("/api/experiments/lab/cells").json(),
        "runs": runs,
    }
    own = json.loads(json.dumps(evaluate("experiments/lab/cells", [*query.items()], {"lab": kept})))
    assert own == {**found, "left_out": sorted(found["left_out"])}


def test_of_runs_that_never_differ_it_is_not_said_that_their_sequence_is_unknown(
    client: Any,
) -> None:
    """There is nothing to judge in what all replicates agree on."""
    lines = ["delay_us,replicate,order,throughput_mbps"]
    lines += [f"{d},{r},{2 * r + d},900" for r in range(1, 6) for d in (0, 1)]
    cells = stored(client, "\n".join(lines).encode())
    assert all(cell["measures"]["throughput_mbps"]["ci95"] for cell in cells["cells"])
    assert cells["independence"] == {}
