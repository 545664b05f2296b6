# SPDX-License-Identifier: Apache-2.0
"""What tables and logs say of when runs were recorded decides over the intervals of a fit."""

import random
from typing import Any

import numpy as np
import pytest
from coalescope_models.inference.statistics import SEQUENCE_NOT_KNOWN

COLUMNS = (
    "mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s,"
    "order,block,recorded_at"
)
NIGHT_H = 12


def sequenced(
    order: str,
    blocks: bool = False,
    nights: bool = False,
    known: bool = True,
    set_back: bool = False,
    outlier: float = 1.0,
) -> bytes:
    """9 cells of 4 replicates in one of two orders, in blocks or over four nights, or not said.

    With `set_back` the host's clock was set back by eleven hours between the two halves. `outlier`
    is the factor by which one run is off.
    """
    rng = np.random.default_rng(7)
    places = [(m, d, r) for m in (1500, 3000, 9000) for d in (0, 50, 100) for r in (1, 2, 3, 4)]
    if order == "rounds":
        random.Random(3).shuffle(places)
        places.sort(key=lambda place: place[2])
    lines = [COLUMNS]
    for number, (mtu, delay, replicate) in enumerate(places, start=1):
        packets = 1e9 / (0.9 * mtu)
        interrupts = packets / (1 + delay / 15)
        shift = (0.0, 0.03, -0.03, 0.01, -0.01)[replicate] if blocks or nights else 0.0
        off = 1 + shift + 0.003 * rng.standard_normal()
        cpu = off * (2.0 + 3e-6 * packets + 5e-6 * interrupts)
        cpu *= outlier if (mtu, delay, replicate) == (3000, 50, 3) else 1.0
        hour = NIGHT_H * replicate if nights else NIGHT_H if set_back and replicate < 3 else 1
        moment = f"2026-01-{1 + hour // 24:02}T{hour % 24:02}:{number:02}:00Z"
        when = f"{number},{f'day {replicate}' if blocks else ''},{moment}" if known else ",,"
        lines.append(f"{mtu},{delay},{replicate},1000000000,{packets},{interrupts},{cpu},{when}")
    return "\n".join(lines).encode()


def fitted(client: Any, content: bytes, slug: str = "lab") -> Any:
    assert client.upload(content, f"{slug}.csv").status_code == 201
    asked = {"model": "cpu-overhead", "method": "ols", "resamples": 200, "seed": 1}
    return client.post(f"/api/experiments/{slug}/fits", json=asked).json()


def test_replicates_in_a_row_give_values_without_intervals(client: Any) -> None:
    found = fitted(client, sequenced("as they stand"))
    assert found["independence"]["verdict"] == "refused"
    assert "one after another" in found["message"]
    assert all(e["value"] is not None and e["ci95"] is None for e in found["estimates"].values())


def test_a_run_that_moves_the_fit_leaves_no_interval_and_is_the_reason(client: Any) -> None:
    found = fitted(client, sequenced("rounds", outlier=1.5))
    assert "1 run does not belong with the others of their cell, and" in found["message"]
    assert "no interval is given; compare the method robust" in found["message"]
    assert all(e["value"] is not None and e["ci95"] is None for e in found["estimates"].values())
    assert found["covariance"] is None


def test_rounds_in_no_order_give_intervals(client: Any) -> None:
    found = fitted(client, sequenced("rounds"))
    assert found["independence"]["clusters"] == 4
    assert found["independence"]["cluster_kind"] == "round"
    assert all(e["ci95"] or e["ci95_if_independent"] for e in found["estimates"].values())


@pytest.mark.parametrize(
    ("how", "kind", "verdict", "interval"),
    [
        ("blocks", "block", "too_few_clusters", "ci95_if_independent"),
        ("nights", "session", "by_cluster", "ci95"),
    ],
)
def test_blocks_and_nights_make_the_intervals(
    client: Any, how: str, kind: str, verdict: str, interval: str
) -> None:
    found = fitted(client, sequenced("rounds", **{how: True}))
    assert found["independence"]["verdict"] == verdict
    assert found["independence"]["cluster_kind"] == kind
    assert found["bootstrap"]["unit"] == "clusters"
    low, high = found["estimates"]["alpha"][interval]
    assert high - low > 0.02 * found["estimates"]["alpha"]["value"]


def test_a_clock_that_was_set_back_is_said(client: Any) -> None:
    found = fitted(client, sequenced("rounds", set_back=True))
    assert found["independence"]["cluster_kind"] == "session"
    assert "their order is not known. The numbers (order) and the clock" in found["message"]
    plain = fitted(client, sequenced("rounds"), "plain")
    assert "contradict" not in (plain["message"] or "")


def test_a_table_that_says_nothing_of_it_is_fitted_as_before_and_the_answer_says_it(
    client: Any,
) -> None:
    found = fitted(client, sequenced("rounds", known=False))
    assert found["independence"]["verdict"] == "not_known"
    assert found["independence"]["reason"] == SEQUENCE_NOT_KNOWN
    assert found["message"].endswith(SEQUENCE_NOT_KNOWN)
    assert all(e["ci95"] is not None for e in found["estimates"].values())


def test_a_drift_within_cells_of_an_unknown_sequence_is_not_passed_over(client: Any) -> None:
    """Replicates in a row while all drifts by 6 %: the intervals miss, and the answer says why."""
    steady = fitted(client, drifting(0.0), "steady")["estimates"]["alpha"]["value"]
    found = fitted(client, drifting(0.06))
    assert found["estimates"]["alpha"]["ci95"] is None, "the drift is a misfit, too"
    low, high = found["estimates"]["alpha"]["ci95_if_independent"]
    assert not low <= steady <= high
    assert "order, block or recorded_at" in found["message"]


def drifting(share: float) -> bytes:
    lines = [COLUMNS.removesuffix(",order,block,recorded_at")]
    rng = np.random.default_rng(3)
    places = [(m, d, r) for m in (1500, 3000, 9000) for d in (0, 50, 100) for r in range(1, 6)]
    for number, (mtu, delay, replicate) in enumerate(places):
        packets = 1e9 / (0.9 * mtu)
        interrupts = packets / (1 + delay / 15)
        off = 1 + share * number / len(places) + 0.003 * rng.standard_normal()
        cpu = off * (2.0 + 3e-6 * packets + 5e-6 * interrupts)
        lines.append(f"{mtu},{delay},{replicate},1000000000,{packets},{interrupts},{cpu}")
    return "\n".join(lines).encode()
