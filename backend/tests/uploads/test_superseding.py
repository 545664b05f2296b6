# SPDX-License-Identifier: Apache-2.0
"""The whole log of a run takes the place of a copy that was cut off, whichever comes first."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from coalescope_host import run_log

RUN = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11"
SECOND = 1_000_000_000
# traffic doubles half-way, so that a part of the log measures something else than the whole
ROWS = [
    (
        i * SECOND,
        i * SECOND,
        (i + max(0, i - 300)) * 1_000_000,
        (i + max(0, i - 300)) * 1000,
        i * 100,
    )
    for i in range(1, 601)
]

MakeLog = Callable[..., bytes]


@pytest.fixture
def whole(make_log: MakeLog) -> bytes:
    return make_log(run_id=RUN, rows=ROWS, window=(0, 599))


@pytest.fixture
def partial(whole: bytes) -> bytes:
    """That log, cut off inside its records."""
    cut = next(
        cut
        for cut in range(len(whole) * 2 // 3, len(whole))
        if run_log.read(whole[:cut]).records > 1
    )
    assert not run_log.read(whole[:cut]).complete
    return whole[:cut]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def state(client: Any) -> dict[str, Any]:
    run = client.get(f"/api/runs/{RUN}").json()
    cells = client.get("/api/experiments/lab/cells").json()
    uploads = client.get("/api/uploads").json()
    return {"run": run, "cells": cells, "uploads": uploads}


def test_the_whole_log_takes_the_place_of_a_part(client: Any, whole: bytes, partial: bytes) -> None:
    first = client.upload(partial, "cut.runlog")
    assert (first.status_code, first.json()["runs"][0]["partial"]) == (201, True)
    before = state(client)
    answer = client.upload(whole, "whole.runlog")
    receipt = answer.json()
    assert (answer.status_code, receipt["outcome"]) == (201, "stored")
    assert receipt["sha256"] == digest(whole)
    assert [run["id"] for run in receipt["runs"]] == [RUN]
    (note,) = receipt["warnings"]
    assert (note["code"], note["where"]["run"]) == ("supersedes", RUN)
    assert "cut.runlog" in note["message"]

    after = state(client)
    run = after["run"]
    assert (run["partial"], run["status"], run["filename"]) == (False, "current", "whole.runlog")
    assert run["warnings"] == []
    assert [event["action"] for event in run["history"]] == ["stored", "stored"]
    assert "superseded" in run["history"][1]["reason"]
    assert client.get(f"/api/runs/{RUN}/log").content == whole
    assert after["cells"]["data_version"] > before["cells"]["data_version"]
    (cell,) = after["cells"]["cells"]
    assert (cell["runs"], cell["partial_runs"]) == (1, 0)
    assert cell["measures"]["elapsed_s"]["mean"] == 599
    assert before["cells"]["cells"][0]["measures"]["elapsed_s"]["mean"] < 599
    store = client.app.state.object_store
    assert store.path(digest(partial), "runlog").read_bytes() == partial


@pytest.mark.parametrize("cut_again", [0, 1, 40])
def test_a_part_that_comes_afterwards_changes_nothing(
    client: Any, whole: bytes, partial: bytes, cut_again: int
) -> None:
    client.upload(partial, "cut.runlog")
    client.upload(whole, "whole.runlog")
    before = state(client)
    sent = partial[: len(partial) - cut_again]
    answer = client.upload(sent, "again.runlog")
    receipt = answer.json()
    assert (answer.status_code, receipt["outcome"]) == (200, "known")
    assert receipt["sha256"] == digest(sent)
    assert "superseded" in {warning["code"] for warning in receipt["warnings"]}
    assert [(run["id"], run["partial"]) for run in receipt["runs"]] == [(RUN, False)]
    assert state(client) == before


def test_a_part_that_comes_second_is_known(client: Any, whole: bytes, partial: bytes) -> None:
    client.upload(whole, "whole.runlog")
    before = state(client)
    answer = client.upload(partial, "cut.runlog")
    assert (answer.status_code, answer.json()["outcome"]) == (200, "known")
    assert state(client) == before
    assert client.app.state.object_store.path(digest(partial), "runlog") is None


def test_what_was_decided_about_the_run_stays(client: Any, whole: bytes, partial: bytes) -> None:
    client.upload(partial, "cut.runlog")
    correction = {"factors": {"delay_us": 20}, "replicate": 7, "reason": "the label was wrong"}
    client.post(f"/api/runs/{RUN}/correction", json=correction)
    client.post(f"/api/runs/{RUN}/retraction", json={"reason": "the fan was off"})
    receipt = client.upload(whole, "whole.runlog", experiment="elsewhere").json()
    assert receipt["experiment"]["slug"] == "lab"
    assert "stays retracted" in receipt["warnings"][0]["message"]
    run = client.get(f"/api/runs/{RUN}").json()
    assert (run["status"], run["replicate"], run["partial"]) == ("retracted", 7, False)
    assert run["factors"]["delay_us"] == 20
    assert client.get("/api/experiments/elsewhere").status_code == 404


def test_another_log_of_the_same_run_is_still_refused(
    client: Any, make_log: MakeLog, whole: bytes, partial: bytes
) -> None:
    """Negative control: longer, of the same run and with the same header, but not its end."""
    client.upload(partial, "cut.runlog")
    before = state(client)
    other = [(*row[:4], row[4] + 1) for row in ROWS]
    changed = make_log(run_id=RUN, rows=other, window=(0, 599))
    answer = client.upload(changed, "other.runlog")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "run_exists")
    assert state(client) == before
    assert client.upload(whole, "whole.runlog").status_code == 201
