# SPDX-License-Identifier: Apache-2.0
"""What nobody set: by the data's source, or by the driver that all runs had."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from coalescope.experiments.records import Factors
from coalescope.recommendations.defaults import Default, driver_default, said_default

DELAYS: list[Factors] = [{"mtu_bytes": 1500, "delay_us": delay} for delay in (0, 20, 50, 100)]
ADAPTIVE: list[Factors] = [
    *({**setting, "factor.adaptive_rx": "off"} for setting in DELAYS),
    {"mtu_bytes": 1500, "delay_us": 50, "factor.adaptive_rx": "on"},
]


def of(driver: str, kernel: str = "6.12.38+deb13-amd64") -> Mapping[str, str]:
    return {"driver": driver, "kernel_version": kernel}


def test_the_source_says_it_where_it_was_measured() -> None:
    said = {"default_setting": {"delay_us": 20}}
    assert said_default(said, DELAYS) == Default({"delay_us": 20}, "source")
    assert said_default({"default_setting": {"delay_us": 30}}, DELAYS) is None
    assert said_default({}, DELAYS) is None


@pytest.mark.parametrize(
    ("driver", "levels"),
    [
        ("gve", {"delay_us": 20}),
        ("ena", {"delay_us": 20}),
        ("r8169", {"delay_us": 0}),
        ("igb", None),  # rx-usecs 3 is a mode of it, no delay
        ("qede", None),  # 12 was not measured
        ("bnxt_en", None),  # whether adaptive moderation is on is not known
        ("ice", None),  # adaptive moderation, which was not measured
        ("no-such", None),
    ],
)
def test_the_driver_says_it_where_the_table_knows(driver: str, levels: Factors | None) -> None:
    found = driver_default([of(driver)], ["delay_us"], DELAYS)
    assert found == (None if levels is None else Default(levels, "driver"))


def test_adaptive_moderation_is_a_default_that_was_measured() -> None:
    names = ["delay_us", "factor.adaptive_rx"]
    assert driver_default([of("ice")], names, ADAPTIVE) == Default(
        {"factor.adaptive_rx": "on"}, "driver"
    )
    assert driver_default([of("ena")], names, ADAPTIVE) == Default(
        {"delay_us": 20.0, "factor.adaptive_rx": "off"}, "driver"
    )


def test_nothing_is_carried_over() -> None:
    """From another driver, an older kernel, or to factors that the table knows nothing of."""
    names = ["mtu_bytes", "delay_us"]
    assert driver_default([of("gve"), of("gve", "7.3.1")], names, DELAYS) is not None
    assert driver_default([of("gve"), of("r8169")], names, DELAYS) is None
    assert driver_default([of("gve"), None], names, DELAYS) is None
    assert driver_default([of("gve", "5.10.0")], names, DELAYS) is None
    assert driver_default([{"driver": "gve"}], names, DELAYS) is None
    assert driver_default([of("gve")], [*names, "factor.queues"], DELAYS) is None
    assert driver_default([of("gve")], ["delay_us", "factor.rx_frames"], DELAYS) is None
    assert driver_default([], names, DELAYS) is None


def ask(client: Any, **more: Any) -> Any:
    body = {"aims": [{"measure": "throughput_mbps"}], **more}
    return client.post("/api/experiments/lab/recommendations", json=body).json()


def test_an_answer_is_compared_with_the_drivers_default(
    client: Any, make_log: Callable[..., bytes]
) -> None:
    for delay in (10, 20, 50):
        for replicate in (1, 2, 3):
            rows = [(i * 10**9, i * 10**9, i * (125 * 10**6 + delay * 10**5 + replicate * 10**4),
                     i * 125_000, i * 31_250) for i in range(1, 11)]  # fmt: skip
            factors = {"mtu_bytes": 1500, "delay_us": delay, "workload": "udp"}
            log = make_log(factors=factors, replicate=replicate, rows=rows, environment=of("gve"))
            assert client.upload(log).status_code < 300
    found = ask(client)
    assert (found["reference"]["delay_us"], found["basis"]) == (20, "driver's default")
    now = ask(client, current={"delay_us": 10})
    assert (now["reference"]["delay_us"], now["basis"]) == (10, "now")
    limit = [{"measure": "delay_us", "limit": "at most", "value": 10}]
    none = client.post(
        "/api/experiments/lab/recommendations",
        json={"aims": [{"measure": "throughput_mbps"}], "constraints": limit},
    )
    assert none.status_code == 422, "one setting leaves no choice"


def test_a_table_says_its_default(client: Any) -> None:
    said = '"{""delay_us"": 50}"'
    lines = ["delay_us,workload,replicate,throughput_mbps,source.default_setting"]
    lines += [f"{d},udp,{r},{900 - d + r},{said}" for d in (10, 20, 50) for r in (1, 2, 3)]
    assert client.upload("\n".join(lines).encode(), "lab.csv").status_code < 300
    found = ask(client)
    assert (found["reference"]["delay_us"], found["basis"]) == (50, "default")
    # within 2 % of the best, and nearest to the default
    assert found["candidates"][found["answer"]]["factors"]["delay_us"] == 20
