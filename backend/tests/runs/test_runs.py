# SPDX-License-Identifier: Apache-2.0
"""Runs: listed in pages, retracted, restored and corrected, with their history."""

from collections.abc import Callable
from typing import Any

import pytest
from coalescope.experiments.levels import canonical_level, factor_key
from hypothesis import given
from hypothesis import strategies as st

MakeLog = Callable[..., bytes]
RUN = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11"
OTHER = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c12"


@pytest.fixture
def lab(client: Any, make_log: MakeLog) -> Any:
    """Two runs in one cell."""
    client.upload(make_log(run_id=RUN))
    client.upload(make_log(run_id=OTHER, replicate=2))
    return client


def cells(client: Any) -> list[tuple[dict[str, Any], int, int]]:
    found = client.get("/api/experiments/lab/cells").json()["cells"]
    return [(c["factors"], c["runs"], c["measures"]["rx_bytes"]["n"]) for c in found]


FACTORS = {"mtu_bytes": 1500, "delay_us": 10, "workload": "udp"}


def change(client: Any, what: str, run: str = RUN, **body: Any) -> Any:
    return client.post(f"/api/runs/{run}/{what}", json={"reason": "a reason", **body})


def test_a_retracted_run_does_not_count_and_comes_back(lab: Any) -> None:
    assert cells(lab) == [(FACTORS, 2, 2)]
    answer = change(lab, "retraction")
    assert (answer.status_code, answer.json()["status"]) == (200, "retracted")
    assert cells(lab) == [(FACTORS, 1, 1)]
    assert lab.get(f"/api/runs/{RUN}/log").status_code == 200
    assert change(lab, "restoration").json()["status"] == "current"
    assert cells(lab) == [(FACTORS, 2, 2)]


def test_a_cell_without_current_runs_is_not_shown(lab: Any) -> None:
    change(lab, "retraction", RUN)
    change(lab, "retraction", OTHER)
    assert lab.get("/api/experiments/lab/cells").json()["cells"] == []
    described = lab.get("/api/experiments/lab").json()
    assert (described["cells"], described["runs"], described["default_view"]) == (0, 0, None)
    assert described["replicates_label"] == "none"
    assert lab.get("/api/experiments").json()[0]["glance"] == []
    assert lab.get("/api/experiments/lab/runs").json()["total"] == 2


@pytest.mark.parametrize("what", ["retraction", "restoration"])
def test_a_change_that_changes_nothing_is_refused(lab: Any, what: str) -> None:
    if what == "retraction":
        change(lab, "retraction")
    before = lab.get(f"/api/runs/{RUN}").json()
    answer = change(lab, what)
    assert answer.status_code == 409
    assert lab.get(f"/api/runs/{RUN}").json() == before
    assert change(lab, "restoration" if what == "retraction" else "retraction").status_code == 200


def test_a_corrected_run_moves_to_its_cell(lab: Any) -> None:
    answer = change(lab, "correction", factors={"mtu_bytes": 9000, "delay_us": None}, replicate=9)
    assert answer.json()["factors"] == {"mtu_bytes": 9000, "workload": "udp"}
    assert answer.json()["replicate"] == 9
    assert cells(lab) == [(FACTORS, 1, 1), ({"mtu_bytes": 9000, "workload": "udp"}, 1, 1)]
    assert change(lab, "correction", factors=FACTORS, replicate=1).json()["factors"] == FACTORS
    assert cells(lab) == [(FACTORS, 2, 2)]


@pytest.mark.parametrize(
    ("factors", "code"),
    [
        ({"mtu": 9000}, "unknown_factor"),
        ({"mtu_bytes": "big"}, "wrong_type"),
        ({"mtu_bytes": -1}, "out_of_domain"),
        ({"workload": 7}, "wrong_type"),
        ({"workload": ""}, "bad_text"),
        ({"factor.x": 1e31}, "not_finite"),
        ({"throughput_mbps": 7}, "unknown_factor"),
        ({"mtu_bytes": 1500}, "nothing_to_correct"),
        ({}, "nothing_to_correct"),
    ],
)
def test_a_wrong_correction_is_refused(lab: Any, factors: dict[str, Any], code: str) -> None:
    before = lab.get(f"/api/runs/{RUN}").json()
    answer = change(lab, "correction", factors=factors)
    assert answer.json()["error"]["code"] == code
    assert lab.get(f"/api/runs/{RUN}").json() == before
    assert change(lab, "correction", factors={"factor.cable": "blue"}).status_code == 200


def test_every_change_is_in_the_history(lab: Any) -> None:
    change(lab, "retraction", reason="cable was loose")
    change(lab, "restoration", reason="it was not")
    change(lab, "correction", reason="wrong MTU", factors={"mtu_bytes": 9000})
    history = lab.get(f"/api/runs/{RUN}").json()["history"]
    assert [change["action"] for change in history] == [
        "stored",
        "retracted",
        "restored",
        "corrected",
    ]
    assert [change["reason"] for change in history[1:]] == [
        "cable was loose",
        "it was not",
        "wrong MTU",
    ]
    assert history[3]["before"] == {"factors": FACTORS, "replicate": 1}
    assert history[3]["after"] == {"factors": FACTORS | {"mtu_bytes": 9000}, "replicate": 1}
    assert [change["at"] for change in history] == sorted(change["at"] for change in history)


@pytest.mark.parametrize("reason", ["", "   ", None])
def test_a_change_needs_a_reason(lab: Any, reason: str | None) -> None:
    body = {} if reason is None else {"reason": reason}
    answer = lab.post(f"/api/runs/{RUN}/retraction", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert lab.get(f"/api/runs/{RUN}").json()["status"] == "current"


@pytest.mark.parametrize("what", ["", "/log", "/retraction", "/restoration", "/correction"])
def test_a_run_that_is_not_there(client: Any, what: str) -> None:
    method = "GET" if what in ("", "/log") else "POST"
    answer = client.request(method, f"/api/runs/{RUN}{what}", json={"reason": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_runs_come_in_pages_in_the_order_they_were_stored(client: Any) -> None:
    rows = "".join(f"{1500 + i % 2},{i},1\n" for i in range(25))
    client.upload(f"mtu_bytes,replicate,drops\n{rows}".encode(), "t.csv")
    numbers: list[int] = []
    for offset in range(0, 30, 10):
        page = client.get("/api/experiments/t/runs", params={"limit": 10, "offset": offset}).json()
        assert page["total"] == 25
        numbers += [run["replicate"] for run in page["runs"]]
    assert numbers == list(range(25))
    cell = client.get("/api/experiments/t/cells").json()["cells"][0]["id"]
    page = client.get("/api/experiments/t/runs", params={"cell": cell}).json()
    assert (page["total"], {run["cell"] for run in page["runs"]}) == (13, {cell})


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "offset=-1", "cell=x", "limit=1e3"])
def test_a_bad_page_is_refused(lab: Any, query: str) -> None:
    answer = lab.get(f"/api/experiments/lab/runs?{query}")
    assert answer.status_code == 422
    assert lab.get("/api/experiments/lab/runs?limit=1000").status_code == 200


# --- equal settings have equal keys

LEVELS = st.one_of(
    st.integers(-(10**9), 10**9), st.floats(allow_nan=False, allow_infinity=False), st.text()
)


@given(st.dictionaries(st.text(min_size=1), LEVELS))
def test_a_setting_has_one_key(factors: dict[str, Any]) -> None:
    as_floats = {
        name: float(value) if isinstance(value, int) else value for name, value in factors.items()
    }
    shuffled = dict(reversed(as_floats.items()))
    assert factor_key(factors) == factor_key(shuffled)


@given(LEVELS, LEVELS)
def test_other_settings_have_other_keys(one: Any, other: Any) -> None:
    same = one == other and isinstance(one, str) == isinstance(other, str)
    assert (factor_key({"x": one}) == factor_key({"x": other})) == same
    assert factor_key({"x": one}) != factor_key({"y": one})


def test_levels_in_their_one_form() -> None:
    assert repr(canonical_level(1500.0)) == "1500"
    assert repr(canonical_level(-0.0)) == "0"
    assert repr(canonical_level(33.5)) == "33.5"
    assert repr(canonical_level(1e30)) == "1e+30"
    assert canonical_level("1500") == "1500"
    with pytest.raises(ValueError, match="finite"):
        canonical_level(float("nan"))


def rows_of(lab: Any, value: float, replicate: int = 1) -> str:
    """Upload a table of one row; the identity of its run."""
    text = f"workload,mtu_bytes,replicate,throughput_mbps\nudp,3000,{replicate},{value}\n"
    answer = lab.upload(text.encode(), f"table-{value}.csv", experiment="table", kind="measured")
    assert answer.status_code == 201, answer.text
    return str(answer.json()["runs"][0]["id"])


def test_a_row_is_not_restored_to_a_place_that_was_filled(lab: Any) -> None:
    first = rows_of(lab, 900)
    change(lab, "retraction", first)
    second = rows_of(lab, 950)
    answer = change(lab, "restoration", first)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "replicate_exists")
    assert answer.json()["error"]["where"] == {"run": second}
    # the control: once the other is gone, the place is free
    change(lab, "retraction", second)
    assert change(lab, "restoration", first).status_code == 200


def test_a_row_is_not_corrected_to_a_place_that_is_filled(lab: Any) -> None:
    rows_of(lab, 900)
    second = rows_of(lab, 950, replicate=2)
    answer = change(lab, "correction", second, replicate=1)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "replicate_exists")
    assert change(lab, "correction", second, replicate=3).status_code == 200


def test_outliers_of_a_cell_are_flagged_and_stay(client: Any) -> None:
    values = [100.1, 99.9, 100.0, 100.2, 99.8, 100.05, 99.95, 150.0]
    lines = ["mtu_bytes,replicate,throughput_mbps"]
    lines += [f"1500,{r},{value}" for r, value in enumerate(values, 1)]
    client.upload("\n".join(lines).encode(), "lab.csv")
    everything = client.get("/api/experiments/lab/runs").json()["runs"]
    assert {run["outlying"] for run in everything} == {None}
    cell = everything[0]["cell"]
    runs = client.get(f"/api/experiments/lab/runs?cell={cell}").json()["runs"]
    assert [run["outlying"] for run in runs] == [[]] * 7 + [["throughput_mbps"]]
    assert client.get(f"/api/runs/{runs[7]['id']}").json()["outlying"] == ["throughput_mbps"]
    summary = client.get("/api/experiments/lab/cells").json()["cells"][0]["measures"]
    assert summary["throughput_mbps"]["n"] == 8, "flagged, not dropped"
    client.post(f"/api/runs/{runs[7]['id']}/retraction", json={"reason": "a cable was loose"})
    assert client.get(f"/api/runs/{runs[7]['id']}").json()["outlying"] == []
