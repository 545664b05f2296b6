# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in a run log, the answer is a receipt or a refusal, never a failure."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from coalescope.untrusted.bounds import read_as_stored
from coalescope.uploads import run_logs
from coalescope.uploads.parsed_upload import UploadRequest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MakeLog = Callable[..., bytes]
SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

ODD_TEXTS = st.sampled_from(
    ["\ud800", "\x00", "\u202e", "", " ", "<script>alert(1)</script>", "=1+1", "é" * 300, "nan"]
) | st.text(max_size=30)
ODD_NUMBERS = st.sampled_from([0, -1, 1e308, 10**30, 2**63, 2**64, 10**400, 1e-320]) | st.floats(
    allow_nan=False, allow_infinity=False
)
FACTORS = st.dictionaries(
    st.sampled_from(["mtu_bytes", "delay_us", "workload", "factor.cable", "streams", "speed"]),
    st.fixed_dictionaries(
        {"requested": ODD_TEXTS | ODD_NUMBERS | st.none()},
        optional={
            "read_back": ODD_TEXTS | ODD_NUMBERS | st.none(),
            "effective": ODD_TEXTS | ODD_NUMBERS | st.none(),
        },
    ),
    max_size=3,
)


def check(answer: Any) -> None:
    assert answer.status_code in (200, 201, 409, 413, 422), answer.text
    if answer.status_code >= 400:
        assert answer.json()["error"]["message"]


def check_readable(client: Any, answer: Any) -> None:
    """What was stored can be shown."""
    if answer.status_code != 201:
        return
    slug = answer.json()["experiment"]["slug"]
    for path in ("", "/cells", "/runs"):
        assert client.get(f"/api/experiments/{slug}{path}").status_code == 200
    assert client.get("/api/experiments").status_code == 200
    for run in answer.json()["runs"]:
        assert client.get(f"/api/runs/{run['id']}").status_code == 200


@settings(max_examples=60, deadline=None, suppress_health_check=SHARED)
@given(
    factors=FACTORS,
    title=st.none() | ODD_TEXTS,
    replicate=st.none() | st.integers(0, 2**63 - 1),
    environment=st.dictionaries(ODD_TEXTS, ODD_TEXTS | ODD_NUMBERS, max_size=3),
    result=st.none() | st.binary(max_size=30) | ODD_NUMBERS.map(lambda n: json.dumps(n).encode()),
)
def test_odd_headers(
    client: Any,
    make_log: MakeLog,
    factors: dict[str, Any],
    title: str | None,
    replicate: int | None,
    environment: dict[str, Any],
    result: bytes | None,
) -> None:
    try:
        content = make_log(
            factors=factors,
            experiment_title=title,
            replicate=replicate,
            environment=environment,
            result=result,
        )
    except Exception:  # the writer refuses it already
        return
    answer = client.upload(content, "odd.runlog")
    check(answer)
    check_readable(client, answer)


@settings(max_examples=150, deadline=None, suppress_health_check=SHARED)
@given(data=st.data())
def test_damaged_bytes(client: Any, make_log: MakeLog, data: st.DataObject) -> None:
    good = make_log(result=b'{"end": {}}')
    at = data.draw(st.integers(0, len(good) - 1), label="at")
    damaged = data.draw(
        st.sampled_from(
            [
                good[:at],
                good[at:],
                good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :],
                good[:at] + good[at : at + 64] + good[at:],
                good[:at] + good[at + 8 :],
            ]
        )
    )
    answer = client.upload(damaged, "damaged.runlog")
    check(answer)
    if damaged != good and answer.status_code == 201:
        assert answer.json()["runs"][0]["partial"]


@settings(max_examples=60, deadline=None, suppress_health_check=SHARED)
@given(
    values=st.lists(
        st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), min_size=2, max_size=6
    )
)
def test_odd_counters(client: Any, make_log: MakeLog, values: list[tuple[int, int]]) -> None:
    rows = [(i + 1, i + 1, a, b, a ^ b) for i, (a, b) in enumerate(values)]
    answer = client.upload(make_log(rows=rows, window=(0, len(rows) - 1)), "odd.runlog")
    assert answer.status_code == 201, answer.text
    check_readable(client, answer)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "=1+1", "'; DROP TABLE"])
def test_text_stays_text(client: Any, make_log: MakeLog, text: str) -> None:
    factors = {"mtu_bytes": 1500, "workload": text}
    answer = client.upload(make_log(factors=factors, experiment_title=text), text)
    assert answer.json()["experiment"]["title"] == text
    cell = client.get("/api/experiments/lab/cells", params={"workload": text}).json()["cells"][0]
    assert cell["factors"]["workload"] == text


def test_a_log_of_too_many_blocks_is_read_no_further(
    make_log: MakeLog, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one that was stored before, all are read."""
    content = make_log()
    blocks = content.count(b"CBLK")
    monkeypatch.setattr(run_logs, "LOG_BLOCKS", blocks - 1)
    refused = client.upload(content, "lab.clog")
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (422, "too_many_blocks")
    assert f"{blocks - 1} blocks" in error["message"]
    assert "several logs" in error["advice"]
    with read_as_stored():
        assert run_logs.parse_run_log(content, UploadRequest("lab.clog")).runs
    monkeypatch.setattr(run_logs, "LOG_BLOCKS", blocks)
    assert client.upload(content, "lab.clog").status_code == 201
