# SPDX-License-Identifier: Apache-2.0
"""What is advised for a column that the glossary does not know."""

import re

import pytest
from coalescope.glossary.units import UNITS, split
from coalescope.uploads.columns import classify, unknown_column
from coalescope_models.vocabulary.quantity import QUANTITIES
from hypothesis import example, given
from hypothesis import strategies as st

DIMENSIONS = {
    "µs": "time", "s": "time", "ticks": "register time", "jiffies": "kernel time",
    "Mb/s": "bit rate", "bytes": "size", "Hz": "frequency", "packets/s": "frequency",
    "interrupts/s": "frequency", "requests/s": "frequency", "%": "share", "J": "energy",
    "W": "power",
}  # fmt: skip

STEMS = sorted(
    {split(name)[0] for name in QUANTITIES}
    | {"rx", "tx", "rx_delay", "coalesce", "bandwidth", "cpu", "duration", "rtt", "loss", "jitter"}
)


@pytest.mark.fault("A5")
@given(stem=st.sampled_from(STEMS), unit=st.sampled_from(sorted(UNITS)))
@example("rx", "usecs")
@example("tx", "usecs")
@example("rx", "mbps")
@example("lost", "percent")
@example("coalesce", "us")
def test_a_hint_never_changes_the_dimension(stem: str, unit: str) -> None:
    name = f"{stem}_{unit}"
    if classify(name) is None and not stem.endswith("_per"):
        for hint in hints(name):
            assert DIMENSIONS[QUANTITIES[hint].unit] == UNITS[unit].dimension, f"{name} → {hint}"


@pytest.mark.fault("P14")
@pytest.mark.fault("A5")
@pytest.mark.fault("D3")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("retransmits", ["retransmitted_segments"]),
        ("lost_percent", ["datagram_loss_percent"]),
        ("cpu", ["system_cpu_percent", "host_cpu_percent"]),
        ("irqs", ["rx_interrupts", "rx_line_interrupts"]),
        ("rx_usecs", ["delay_us"]),
        ("rx-usecs", ["delay_us"]),
        ("tx_usecs", []),
        ("rx_mbps", ["throughput_mbps"]),
        ("rx_frames", []),
        ("coalesce_us", ["delay_us"]),
        ("mbps", ["throughput_mbps"]),
        ("bandwidth", ["throughput_mbps"]),
        ("pps", ["packet_rate_hz"]),
        ("duration", ["elapsed_s"]),
        ("jitter_ms", []),
        ("throughputt_mbps", ["throughput_mbps", "tx_throughput_mbps"]),
    ],
)
def test_other_tools_names_are_known(name: str, meant: list[str]) -> None:
    assert hints(name) == meant


@pytest.mark.fault("A5")
@pytest.mark.parametrize("name", ["retransmits", "lost_percent", "irqs", "cpu"])
def test_no_hint_is_better_than_a_wrong_one(name: str) -> None:
    assert not set(hints(name)) & {"streams", "cycles_per_packet", "rx_bytes", "latency_us"}


@pytest.mark.fault("A5")
def test_it_is_asked_whether_a_column_was_set_or_observed() -> None:
    problem = unknown_column("notes", 1)
    assert problem.advice is not None
    assert "Was it set, or observed?" in problem.advice
    assert "factor.notes" in problem.advice
    assert "measure of your own" in problem.advice


def test_a_value_in_another_unit_is_converted() -> None:
    assert "delay_us (in µs; multiply by 1000)" in (unknown_column("rx_ms", 1).advice or "")
    assert "elapsed_s (in s; divide by 1000)" in (unknown_column("duration_ms", 1).advice or "")


@pytest.mark.parametrize("name", ["factor.{", "factor.", "factor.a b", "factor.x:", "factor.a/b"])
def test_a_factor_of_ones_own_is_named_with_a_word(name: str) -> None:
    assert classify(name) is None
    assert "factor.NAME" in (unknown_column(name, 1).advice or "")


def hints(name: str) -> list[str]:
    """The names that the advice offers, without what it says of factors of one's own."""
    problem = unknown_column(name, 1)
    said = (problem.advice or "").partition("Was it set")[0]
    return [word for word in re.findall(r"[a-z][a-z0-9_]+", said) if word in QUANTITIES]
