# SPDX-License-Identifier: Apache-2.0
"""Files of other tools are named, not taken for tables with odd columns."""

import io

import pytest
from coalescope.errors import CoalescopeError
from coalescope.uploads.tidy_csv import read_table

FOREIGN = {
    "iperf3 -J": (
        '{\n\t"start":\t{\n\t\t"connected":\t[],\n\t\t"version":\t"iperf 3.12",\n',
        "the JSON of iperf3",
    ),
    "perf stat -j": (
        '{"counter-value" : "12.5", "unit" : "msec", "event" : "task-clock"}\n',
        "the JSON of perf stat",
    ),
    "perf stat -j -I": ('{"interval" : 1.000, "counter-value" : "12"}\n', "the JSON of perf stat"),
    "mpstat -o JSON": ('{"sysstat": {\n\t"hosts": [\n', "the JSON of sysstat (mpstat, sar)"),
    "ethtool --json -c": ('[ {\n  "ifname": "eth0",\n', "the JSON of ethtool or ip"),
    "any JSON": ('{"a": 1}\n', "JSON"),
    "a list": ("[1, 2]\n", "JSON"),
    "ethtool -c": (
        "Coalesce parameters for eth0:\nAdaptive RX: off  TX: off\n",
        "the output of ethtool",
    ),
    "ethtool -S": ("NIC statistics:\n     rx_packets: 1\n", "the output of ethtool"),
    "iperf3": ("Connecting to host 10.0.0.1, port 5201\n", "the output of iperf3"),
    "mpstat": ("Linux 6.1.0 (host)\t11/23/26\t_x86_64_\t(2 CPU)\n", "the output of sysstat"),
    "a page": ("<!DOCTYPE html>\n<html>\n", "XML or HTML"),
}


@pytest.mark.fault("B1")
@pytest.mark.parametrize(("text", "name"), FOREIGN.values(), ids=FOREIGN.keys())
def test_a_foreign_file_is_named(text: str, name: str) -> None:
    with pytest.raises(CoalescopeError) as caught:
        read_table(io.BytesIO(text.encode()))
    assert caught.value.code == "foreign_file"
    assert name in caught.value.message
    assert "factor." not in str(caught.value.advice)
    assert not caught.value.problems


def test_a_table_is_not_foreign() -> None:
    table = read_table(io.BytesIO(b"mtu_bytes,replicate,throughput_mbps\n1500,1,941\n"))
    assert len(table.rows) == 1
