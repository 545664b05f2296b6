# SPDX-License-Identifier: Apache-2.0
"""Surfaces over HTTP: which axes, which cells, and what is said when that is not clear."""

from collections.abc import Callable
from typing import Any

import pytest
from coalescope.db.engine import Database
from coalescope.surfaces import service

TABLE = b"""workload,mtu_bytes,delay_us,replicate,throughput_mbps,rx_packets
udp,1500,0,1,900,100
udp,1500,0,2,904,100
udp,1500,100,1,950,
udp,9000,0,1,980,100
udp,9000,100,1,990,100
tcp,1500,0,1,800,100
tcp,9000,100,1,970,100
"""


@pytest.fixture
def lab(client: Any) -> Any:
    assert client.upload(TABLE, "lab.csv").status_code == 201
    return client


def surface(client: Any, measure: str = "throughput_mbps", **query: object) -> Any:
    return client.get(f"/api/experiments/lab/surfaces/{measure}", params=query)


def test_a_measure_over_delay_and_mtu(lab: Any) -> None:
    answer = surface(lab, workload="udp").json()
    assert answer["experiment"] == "lab"
    assert answer["kind"] == "measured"
    assert answer["measure"]["unit"] == "Mb/s"
    assert (answer["x"]["name"], answer["x"]["unit"]) == ("delay_us", "µs")
    assert (answer["y"]["name"], answer["y"]["levels"]) == ("mtu_bytes", [1500, 9000])
    assert answer["where"] == {"workload": "udp"}
    places = [(cell["x"], cell["y"]) for cell in answer["cells"]]
    assert places == [(0, 1500), (100, 1500), (0, 9000), (100, 9000)]
    first = answer["cells"][0]
    assert (first["n"], first["mean"]) == (2, 902)
    low, high = first["ci95"]
    # t with one degree of freedom: 12.706 × 2.828/√2
    assert (low + high) / 2 == pytest.approx(902)
    assert (high - low) / 2 == pytest.approx(25.412, abs=1e-3)
    assert answer["cells"][1]["ci95"] is None


def test_settings_are_not_mixed(lab: Any) -> None:
    answer = surface(lab)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "ambiguous_surface"
    assert error["advice"] == "Choose one level of each (workload: tcp, udp)."
    assert surface(lab, workload="tcp").status_code == 200, "control: one level each is clear"


def test_the_axes_can_be_chosen(lab: Any) -> None:
    answer = surface(lab, x="workload", y="mtu_bytes", delay_us="100").json()
    assert answer["x"] == {
        "name": "workload",
        "label": "Workload",
        "unit": "",
        "levels": ["tcp", "udp"],
    }
    assert [(c["x"], c["y"]) for c in answer["cells"]] == [
        ("udp", 1500),
        ("tcp", 9000),
        ("udp", 9000),
    ]
    swapped = surface(lab, x="mtu_bytes", y="delay_us", workload="udp").json()
    assert (swapped["x"]["name"], swapped["y"]["name"]) == ("mtu_bytes", "delay_us")


@pytest.mark.fault("B3")
def test_numbers_are_axes_before_words(client: Any) -> None:
    """A word with more levels than the number beside it is chosen by --where, not laid out."""
    rows = [
        f"{mtu},{streams},{workload},1,{mtu + streams}\n"
        for mtu in (1500, 9000)
        for streams in (1, 4)
        for workload in ("rr", "tcp", "udp")
    ]
    content = "mtu_bytes,streams,workload,replicate,throughput_mbps\n" + "".join(rows)
    client.upload(content.encode(), "lab.csv")
    refused = surface(client, "throughput_mbps").json()["error"]
    assert refused["advice"] == "Choose one level of each (workload: rr, tcp, udp)."
    answer = surface(client, "throughput_mbps", workload="rr").json()
    assert (answer["x"]["name"], answer["y"]["name"]) == ("streams", "mtu_bytes")


def test_one_factor_gives_a_line(client: Any) -> None:
    client.upload(b"mtu_bytes,replicate,drops\n1500,1,3\n9000,1,1\n", "lab.csv")
    answer = surface(client, "drops").json()
    assert (answer["x"]["name"], answer["y"]) == ("mtu_bytes", None)
    assert [cell["mean"] for cell in answer["cells"]] == [3, 1]


def test_register_ticks_and_frames_are_axes_too(client: Any) -> None:
    client.upload(
        b"frame_bytes,delay_ticks,workload,replicate,drops\n256,10,a,1,3\n256,20,a,1,1\n", "lab.csv"
    )
    answer = surface(client, "drops").json()
    assert (answer["x"]["name"], answer["y"]["name"]) == ("delay_ticks", "frame_bytes")


def test_a_varying_delay_is_preferred_to_a_constant_one(client: Any) -> None:
    client.upload(
        b"mtu_bytes,delay_us,moderation_rate_hz,replicate,drops\n"
        b"1500,5,8000,1,3\n1500,5,20000,1,1\n",
        "lab.csv",
    )
    assert surface(client, "drops").json()["x"]["name"] == "moderation_rate_hz"


def test_an_absent_measure_is_said_and_never_zero(lab: Any) -> None:
    answer = surface(lab, "rx_interrupts")
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["code"] == "no_such_measure"
    assert "throughput_mbps" in error["advice"]
    cells = surface(lab, "rx_packets", workload="udp").json()["cells"]
    assert (100, 1500) not in [(cell["x"], cell["y"]) for cell in cells]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"mtu": "1500"}, "unknown_factor"),
        ({"workload": "sctp"}, "no_such_cells"),
        ({"mtu_bytes": "big"}, "not_a_number"),
        ({"mtu_bytes": "nan"}, "not_a_number"),
        ({"x": "mtu"}, "unknown_factor"),
        ({"y": "throughput_mbps"}, "unknown_factor"),
    ],
)
def test_wrong_queries(lab: Any, query: dict[str, str], code: str) -> None:
    answer = surface(lab, **query)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["advice"]


def test_an_unknown_experiment(client: Any) -> None:
    assert surface(client).status_code == 404


def test_unchanged_surfaces_are_not_sent_again(lab: Any) -> None:
    url = "/api/experiments/lab/surfaces/throughput_mbps?workload=udp"
    etag = lab.get(url).headers["etag"]
    assert lab.get(url, headers={"if-none-match": etag}).status_code == 304
    lab.upload(
        b"workload,mtu_bytes,delay_us,replicate,throughput_mbps\nudp,3000,0,1,1\n", "lab.csv"
    )
    assert lab.get(url, headers={"if-none-match": etag}).status_code == 200


def test_published_points(make_client: Callable[..., Any], datasets: Any) -> None:
    client = make_client(datasets_dir=datasets)
    answer = client.get(
        "/api/experiments/geist-2005-points/surfaces/throughput_mbps?workload=udp"
    ).json()
    found = {(cell["y"], cell["x"]): cell["mean"] for cell in answer["cells"]}
    assert found == {(1500, 160): 986.7, (3000, 80): 993.1, (4500, 80): 995.3, (6000, 10): 996.4}
    assert {cell["n"] for cell in answer["cells"]} == {10}
    assert all(cell["sd"] is None and cell["ci95"] is None for cell in answer["cells"])


def test_what_is_kept_ends_with_its_data(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[object] = []
    real = service.get_surface

    def counted(*given: Any) -> Any:
        computed.append(given)
        return real(*given)

    monkeypatch.setattr(service, "get_surface", counted)
    first = surface(lab, workload="udp")
    assert surface(lab, workload="udp").content == first.content
    assert len(computed) == 1
    assert surface(lab, workload="udp", x="mtu_bytes", y="delay_us").content != first.content
    more = TABLE.splitlines()[0] + b"\nudp,1500,0,3,1000,100\n"
    assert lab.upload(more, "more.csv", experiment="lab").status_code == 201
    assert surface(lab, workload="udp").json()["cells"][0]["n"] == 3
    assert len(computed) == 3


@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_kept_is_the_same_answer_and_ends_with_changes_by_others(
    make_client: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, *, at_once: bool
) -> None:
    """Two servers of one store: each keeps answers, and each hears of the other's uploads."""
    if not at_once:  # as on a database server
        monkeypatch.setattr(Database, "at_once", lambda *_: None)
    here, there = make_client(), make_client()
    here.upload(TABLE, "lab.csv")
    url = "/api/experiments/lab/surfaces/throughput_mbps?workload=udp"
    first, again = here.get(url), here.get(url)
    assert again.content == first.content
    assert again.headers == first.headers
    tag = first.headers["etag"]
    unchanged = here.get(url, headers={"if-none-match": tag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged.headers["etag"] == tag
    more = TABLE.splitlines()[0] + b"\nudp,1500,0,3,1000,100\n"
    assert there.upload(more, "more.csv", experiment="lab").status_code == 201
    assert here.get(url, headers={"if-none-match": tag}).json()["cells"][0]["n"] == 3
    route = 'route="/api/experiments/{slug}/surfaces/{measure}",status="200"'
    assert f"{route}}} 3.0" in here.get("/metrics").text


@pytest.mark.parametrize(
    "twice", ["workload=udp&x=delay_us&x=rate", "workload=udp&y=mtu_bytes&y=rate"]
)
def test_a_parameter_that_is_given_twice_is_refused(lab: Any, twice: str) -> None:
    answer = lab.get(f"/api/experiments/lab/surfaces/throughput_mbps?{twice}")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "repeated_parameter"
    assert error["where"]["field"] == twice.rpartition("&")[2].partition("=")[0]
    once = twice.rpartition("&")[0]
    assert lab.get(f"/api/experiments/lab/surfaces/throughput_mbps?{once}").status_code == 200
