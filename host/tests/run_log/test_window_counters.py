# SPDX-License-Identifier: Apache-2.0
"""Counters of the window alone, and whether any traffic passed in it."""

import io

from coalescope_host.run.recording import traffic_faults
from coalescope_host.run_log import (
    RunLog,
    Writer,
    make_header,
    read,
    standard_field,
    window_counters,
)


def log_of(received: list[int], window: tuple[int, int] | None) -> RunLog:
    file = io.BytesIO()
    fields = [standard_field(name) for name in ("t_monotonic_ns", "rx_packets")]
    header = make_header(
        run_id="3b7a0c14-b370-5099-8c24-22342d0fcf75",
        experiment=None,
        factors={},
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False, "description": ""}],
    )
    with Writer(file, header) as log:
        for second, count in enumerate(received, 1):
            moment = second * 1_000_000_000
            log.sample(moment, count)
            for name, at in zip(("window_start", "window_end"), window or (), strict=False):
                if at == second:
                    log.mark(name, moment)
    return read(file.getvalue())


def test_only_the_window_counts() -> None:
    counters = window_counters(log_of([0, 10, 30, 60, 100], (2, 4)))
    assert counters == {"elapsed_s": 2.0, "rx_packets": 50}


def test_without_marks_the_window_is_the_whole_log() -> None:
    counters = window_counters(log_of([5, 10, 30], None))
    assert counters == {"elapsed_s": 2.0, "rx_packets": 25}


def test_a_counter_that_wrapped_advanced() -> None:
    counters = window_counters(log_of([2**64 - 10, 2], None))
    assert counters["rx_packets"] == 12


def test_a_window_with_one_record_shows_nothing() -> None:
    counters = window_counters(log_of([0, 10, 30], (2, 2)))
    assert counters == {}
    assert traffic_faults(counters, "eth1") == [
        "the measurement window holds fewer than two samples"
    ]


def test_an_idle_interface_is_a_fault_and_a_busy_one_is_not() -> None:
    assert (
        "no traffic passed eth1" in traffic_faults({"elapsed_s": 1.0, "rx_packets": 1}, "eth1")[0]
    )
    assert traffic_faults({"elapsed_s": 1.0, "rx_packets": 100}, "eth1") == []
    assert traffic_faults({"elapsed_s": 1.0, "rx_packets": 0, "tx_packets": 5}, "eth1") == []
