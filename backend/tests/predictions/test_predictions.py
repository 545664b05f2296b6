# SPDX-License-Identifier: Apache-2.0
"""The catalogue and its predictions over HTTP."""

from typing import Any

import pytest
from coalescope.predictions.service import MAX_POINTS
from coalescope_models.catalogue import MODELS, evaluate

LINK = "/api/models/link-bound/predictions"


def test_the_catalogue(client: Any) -> None:
    listed = client.get("/api/models").json()
    assert [model["id"] for model in listed] == list(MODELS)
    overhead = next(model for model in listed if model["id"] == "cpu-overhead")
    assert [parameter["name"] for parameter in overhead["parameters"]] == ["alpha", "beta", "gamma"]
    assert overhead["parameters"][0]["unit"] == "jiffies/MB"
    assert all("kernels" not in model for model in listed)
    assert all(set(model["latex"]) == {o["name"] for o in model["outputs"]} for model in listed)


def test_a_single_point(client: Any) -> None:
    answer = client.post(LINK, json={"values": {"mtu_bytes": 1500}}).json()
    assert (answer["model"], answer["axes"], answer["shape"]) == ("link-bound", {}, [])
    # 10⁹ (MTU + 18)/(MTU + 38)
    assert answer["outputs"]["throughput_mbps"] == [pytest.approx(987.0, abs=0.05)]
    assert answer["units"]["throughput_mbps"] == "Mb/s"


def test_a_grid_has_its_last_axis_fastest(client: Any) -> None:
    over = {
        "mtu_bytes": {"lo": 1500, "hi": 9000, "n": 2},
        "delay_us": {"lo": 0, "hi": 100, "n": 3},
    }
    answer = client.post(
        "/api/models/timer-packets-per-interrupt/predictions", json={"over": over}
    ).json()
    assert answer["axes"] == {"mtu_bytes": [1500, 9000], "delay_us": [0, 50, 100]}
    assert answer["shape"] == [2, 3]
    model = MODELS["timer-packets-per-interrupt"]
    expected = [
        evaluate(model, {"mtu_bytes": mtu, "delay_us": delay})["packets_per_interrupt"]
        for mtu in (1500.0, 9000.0)
        for delay in (0.0, 50.0, 100.0)
    ]
    assert answer["outputs"]["packets_per_interrupt"] == expected


def test_parameters_replace_their_defaults(client: Any) -> None:
    body = {"values": {"mtu_bytes": 1500, "link_rate_mbps": 100}}
    answer = client.post(LINK, json=body).json()
    assert answer["outputs"]["throughput_mbps"] == [pytest.approx(98.70, abs=0.005)]


def test_what_is_not_finite_is_null(client: Any) -> None:
    values = {"mtu_bytes": 1500, "packets_per_interrupt": 2, "packet_fill": 1, "beta": 1e308}
    body = {"values": values | {"gamma": 1e308}}
    answer = client.post("/api/models/cpu-overhead-surface/predictions", json=body)
    assert answer.status_code == 200
    assert answer.json()["outputs"]["system_cpu_per_gb"] == [None]


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "missing_input", "mtu_bytes"),
        ({"values": {"mtu_bytes": 10}}, "out_of_domain", "mtu_bytes"),
        ({"values": {"mtu": 1500}}, "unknown_name", "mtu"),
        ({"over": {"mtu_bytes": {"lo": 10, "hi": 1500, "n": 2}}}, "out_of_domain", "mtu_bytes"),
        ({"over": {"mtu_bytes": {"lo": 9000, "hi": 1500, "n": 2}}}, "wrong_range", "mtu_bytes"),
        (
            {
                "values": {"mtu_bytes": 1500},
                "over": {"mtu_bytes": {"lo": 1500, "hi": 1500, "n": 1}},
            },
            "wrong_range",
            "mtu_bytes",
        ),
        (
            {
                "over": {
                    "mtu_bytes": {"lo": 1500, "hi": 9000, "n": 257},
                    "link_rate_mbps": {"lo": 10, "hi": 1000, "n": 256},
                }
            },
            "wrong_range",
            "mtu_bytes, link_rate_mbps",
        ),
        (
            {"over": {"mtu_bytes": {"lo": 1500, "hi": 9000, "n": MAX_POINTS + 1}}},
            "invalid_request",
            "over.mtu_bytes.n",
        ),
        ({"over": {"mtu_bytes": {"lo": 1500, "hi": 9000, "n": 0}}}, "invalid_request", None),
        ({"values": {"mtu_bytes": "wide"}}, "invalid_request", "values.mtu_bytes"),
        ({"valves": {}}, "invalid_request", "valves"),
    ],
)
def test_wrong_requests(client: Any, body: dict[str, Any], code: str, field: str | None) -> None:
    answer = client.post(LINK, json=body)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == code
    if field is not None:
        assert error["where"]["field"] == field


def test_the_largest_grid_still_goes(client: Any) -> None:
    over = {
        "mtu_bytes": {"lo": 1500, "hi": 9000, "n": 256},
        "link_rate_mbps": {"lo": 10, "hi": 1000, "n": 256},
    }
    answer = client.post(LINK, json={"over": over})
    assert answer.status_code == 200
    assert len(answer.json()["outputs"]["goodput_mbps"]) == MAX_POINTS


def test_a_grid_of_too_many_axes_is_refused(client: Any) -> None:
    over = {f"x{k}": {"lo": 0, "hi": 1, "n": 1} for k in range(70)}
    answer = client.post(LINK, json={"over": over})
    assert answer.status_code == 422
    assert "70 names" in answer.text


def test_infinity_is_no_value(client: Any) -> None:
    text = b'{"values": {"mtu_bytes": Infinity}}'
    answer = client.post(LINK, content=text, headers={"content-type": "application/json"})
    assert answer.status_code == 422


def test_an_unknown_model(client: Any) -> None:
    answer = client.post("/api/models/perpetual-motion/predictions", json={})
    assert answer.status_code == 404
    assert "link-bound" in answer.json()["error"]["advice"]
