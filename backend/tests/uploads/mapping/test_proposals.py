# SPDX-License-Identifier: Apache-2.0
"""What a column is taken for: sure where the name says it, asked where it may be something else."""

import pytest
from coalescope.glossary.units import SYMBOLS, scale, unit_written, units_of
from coalescope.uploads.mapping.proposals import Proposal, propose
from coalescope_host.plan.registry import SETTINGS
from coalescope_models.vocabulary.quantity import QUANTITIES

SIZES, SHARES, RATES = ["1500", "3000", "9000"], ["71,4", "58,9", "38,2"], ["8,61", "9,37", "9,88"]


def proposed(column: str, texts: list[str]) -> Proposal:
    return propose(column, texts, None)


@pytest.mark.parametrize(
    ("column", "texts", "quantity", "unit"),
    [
        ("mtu", SIZES, "mtu_bytes", "bytes"),
        ("MTU", SIZES, "mtu_bytes", "bytes"),
        ("mtu_bytes", SIZES, "mtu_bytes", "bytes"),
        ("rx-usecs", ["10", "50"], "delay_us", "µs"),
        ("rx_usecs", ["10", "50"], "delay_us", "µs"),
        ("rx-frames", ["10", "50"], "factor.rx_frames", ""),
        ("gro-flush-timeout", ["0", "20000"], "factor.gro_flush_timeout_ns", ""),
        ("delay_ms", ["0,1", "0,5"], "delay_us", "ms"),
        ("Throughput (Gb/s)", RATES, "throughput_mbps", "Gb/s"),
        ("throughput_mbps", RATES, "throughput_mbps", "Mb/s"),
        ("Throughput [MB/s]", RATES, "throughput_mbps", "MB/s"),
        ("factor.cable", ["a", "b"], "factor.cable", ""),
        ("measure.misses [1/s]", ["1", "2"], "measure.misses", "1/s"),
        ("run", ["1", "2"], "replicate", ""),
        ("recorded_at", ["2026-01-31T12:00:00Z"] * 2, "recorded_at", ""),
    ],
)
def test_a_name_that_says_it_is_certain(
    column: str, texts: list[str], quantity: str, unit: str
) -> None:
    found = proposed(column, texts)
    assert (found.quantity, found.unit, found.certainty) == (quantity, unit, "certain")


@pytest.mark.parametrize(
    ("column", "texts", "quantity", "among"),
    [
        ("Gbps", RATES, "throughput_mbps", "goodput_mbps"),
        ("bandwidth", RATES, "throughput_mbps", "goodput_mbps"),
        ("cpu", SHARES, "", "host_cpu_percent"),
        ("CPU %", SHARES, "", "system_cpu_percent"),
        ("cpu", SHARES, "", "traffic_cpu_percent"),
        ("irq", ["10", "20"], "", "rx_line_interrupts"),
        ("throughputt_mbps", RATES, "", "throughput_mbps"),
        ("rtt", ["10", "20"], "latency_us", "latency_us"),
    ],
)
def test_what_may_be_something_else_is_asked(
    column: str, texts: list[str], quantity: str, among: str
) -> None:
    found = proposed(column, texts)
    assert found.quantity == quantity
    assert found.certainty in ("likely", "guess")
    assert among in found.candidates


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ("notes", ["", "", "backup was running"]),
        ("empty", ["", ""]),
        ("kernel", ["6.1.0-13", "6.1.0-13"]),
        ("date", ["2026-01-31", "2026-02-01"]),
    ],
)
def test_what_changes_nothing_is_left_out(column: str, texts: list[str]) -> None:
    found = proposed(column, texts)
    assert (found.role, found.certainty) == ("ignore", "certain")


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ("mtu", ["12", "1500"]),  # no packet is that small
        ("mtu", ["small", "large"]),
        ("throughput_mbps", ["1,234", "2,345"]),  # decimals, or thousands
        ("goodput", ["1", "2"]),  # in which unit?
        ("Throughput (mb/s)", RATES),  # bits or bytes
        ("threaded", ["0", "1"]),  # NAPI's, or the program's
        ("cable", ["a", "b", "a", "b"]),
        ("widgets", ["1", "2", "3"]),
    ],
)
def test_what_is_not_certain_is_marked(column: str, texts: list[str]) -> None:
    assert proposed(column, texts).certainty == "guess"


def test_each_setting_is_known_by_the_word_of_its_tool() -> None:
    """Of the registry itself, no second list: what several share is asked."""
    words = [setting.word for setting in SETTINGS]
    for setting in SETTINGS:
        if words.count(setting.word) == 1 and "-" in setting.word:
            found = proposed(setting.word, ["1", "2"])
            assert found.quantity in (setting.name, f"factor.{setting.name}"), setting.word


def test_aliases_are_of_quantities_that_tables_have() -> None:
    for quantity in QUANTITIES.values():
        for alias in quantity.aliases:
            assert quantity.role in ("factor", "measure")
            assert alias == alias.lower()
            assert alias not in QUANTITIES


def test_units_are_written_as_they_are_read() -> None:
    assert {unit_written(symbol) for symbol in SYMBOLS.values()} == set(SYMBOLS)
    for quantity in QUANTITIES.values():
        for unit in units_of(quantity):
            factor = scale(unit.replace("N", "4"), quantity)
            assert factor is not None and factor > 0, (quantity.name, unit)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("Mb/s", "mbps"), ("Mbit/s", "mbps"), ("Mbps", "mbps"), ("mbps", "mbps"),
        ("MB/s", "mbytes_per_s"), ("MBps", "mbytes_per_s"), ("GB/s", "gbytes_per_s"),
        ("mb/s", None), ("MBPS", None), ("Gbits/sec", "gbps"), ("μs", "us"), ("µs", "us"),
    ],
)  # fmt: skip
def test_a_letter_tells_bits_from_bytes(text: str, unit: str | None) -> None:
    assert unit_written(text) == unit
