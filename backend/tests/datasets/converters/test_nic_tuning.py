# SPDX-License-Identifier: Apache-2.0
"""The converter of nic-tuning-experiments, on a small file made by hand in its format."""

import csv
import io

import pytest
from coalescope.datasets.converters.nic_tuning import convert_memcached
from coalescope.errors import CoalescopeError
from coalescope.uploads.tidy_csv import read_table

HEADER = (
    "sys i itr dvfs rapl read_5th read_10th read_50th read_90th read_95th read_99th measure_QPS "
    "target_QPS time joules rx_desc rx_bytes tx_desc tx_bytes instructions cycles ref_cycles "
    "llc_miss c1 c1e c3 c6 c7 num_interrupts"
)
# made up; only the form is theirs
LINES = (
    "linux_tuned 0 50 0x1d00 135 40.5 41 60.25 80 90 105.5 199999.5 200000 20.0 1000.5 "
    "11 2000 13 4000 1 1 1 1 0 0 0 0 5 600",
    "linux_tuned 0 50 0x1d00 135 40 41 61 80 90 106 200000.5 200000 20 1001 "
    "11 2001 13 4001 1 1 1 1 0 0 0 0 5 601.0",
    "ebbrt_tuned 1 2 0xd00 55 40 41 62 80 90 107 400000 400000 20.01 900 "
    "11 2002 13 4002 1 1 1 1 0 0 0 0 5 602",
    "ebbrt_tuned 0 100 0x1300 95 0 0 0 0 0 0 0 0 9.76 615.71 11 9 13 9 1 1 1 1 0 0 0 0 5 603",
    "linux_default 2 1 0xffff 135 48 51 62 85 98 139 600028 600000 20.0 2594 "
    "11 9 13 9 1 1 1 1 0 0 0 0 5 604",
)
SAMPLE = "\n".join((HEADER, *LINES, "")).encode()


def rows(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode())))


def test_each_column_is_what_its_name_says() -> None:
    found = convert_memcached(SAMPLE)
    first, second, third = rows(found.table)
    assert first == {
        "workload": "memcached",
        "factor.system": "linux_tuned",
        "delay_us": "50",
        "factor.cpu_mhz": "2900",
        "factor.power_limit_w": "135",
        "factor.offered_requests_hz": "200000",
        "replicate": "1",
        "elapsed_s": "20",
        "rx_bytes": "2000",
        "rx_packets": "11",
        "tx_bytes": "4000",
        "rx_line_interrupts": "600",
        "request_rate_hz": "199999.5",
        "latency_p50_us": "60.25",
        "latency_p90_us": "80",
        "latency_p95_us": "90",
        "latency_p99_us": "105.5",
        "package_energy_j": "1000.5",
    }
    assert (second["replicate"], second["latency_p99_us"]) == ("2", "106")
    assert (third["factor.cpu_mhz"], third["delay_us"], third["replicate"]) == ("1300", "2", "1")


def test_rows_without_a_delay_or_a_load_are_passed_over_and_counted() -> None:
    found = convert_memcached(SAMPLE)
    assert (found.rows, sum(found.passed_over.values())) == (3, 2)
    assert "linux_default" not in found.table.decode()


def test_the_table_is_a_tidy_csv() -> None:
    table = read_table(io.BytesIO(convert_memcached(SAMPLE).table))
    assert len(table.rows) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (SAMPLE.replace(b"num_interrupts", b"interrupts"), "no column num_interrupts"),
        (SAMPLE.replace(b" 600\n", b"\n"), "Line 2 has 28 fields"),
        (SAMPLE.replace(b"0xd00", b"fast"), "Line 4: dvfs 'fast'"),
        (SAMPLE.replace(b"105.5", b"much"), "Line 2: read_99th 'much'"),
        (b"\xff\xfe", "not plain text"),
        (b"", "no column"),
    ],
)
def test_what_is_in_another_format_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(CoalescopeError, match=said):
        convert_memcached(content)
