# SPDX-License-Identifier: Apache-2.0
"""The numbers that the logger gives to netlink, beside those of a kernel's headers."""

import json
import re
import struct
import subprocess
from pathlib import Path

import pytest
from guest.folders import alone
from guest.kernel import NEWEST, debian_kernel
from guest.kernel_numbers import kernel_numbers

LOGGER = Path(__file__).resolve().parents[1]
FAMILIES = {
    **dict.fromkeys(("COALESCE", "RINGS", "PAUSE", "CHANNELS"), "ETHTOOL"),
    **dict.fromkeys(("NAPI", "QSTATS"), "NETDEV"),
}
NO_COUNTERS = {"IFINDEX", "QUEUE_TYPE", "QUEUE_ID", "SCOPE"}
QUEUE_ID, RX_PACKETS, TX_STOP, LATER = 3, 8, 33, 99


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Under the sanitizers: a byte too far ends it."""
    out = tmp_path_factory.mktemp("netlink") / "netlink_tables"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    linked = ["genetlink.c", "interface.c", "ethtool_query.c", "text.c", "text_file.c"]
    sources = ["-I.", "-I../include", "tests/netlink_tables.c", *linked]
    command = ["cc", *flags, *sanitizers, *sources, "-o", str(out)]
    subprocess.run(command, cwd=LOGGER, check=True)
    return str(out)


@pytest.fixture(scope="module")
def tables(program):
    """Group → name → number."""
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    found = {}
    for group, number, name in map(str.split, said.splitlines()):
        found.setdefault(group, {})[name] = int(number)
    return found


@pytest.fixture(scope="module")
def numbers():
    with alone():
        return kernel_numbers(debian_kernel(NEWEST).headers)


def kernels_name(group, name):
    """What the kernel calls a setting or a counter, without its prefix."""
    name = re.sub(r"^(rx|tx)_frames", r"\1_max_frames", name)
    name = re.sub(r"^(adaptive_|cqe_mode_)", r"use_\1", name)
    name = name.replace("sample_interval", "rate_sample_interval")
    if group == "CHANNELS":
        name += "_count"
    return (name.removesuffix("_ns") if group == "NAPI" else name).upper()


@pytest.mark.guest
@pytest.mark.parametrize("group", FAMILIES)
def test_each_number_of_a_table_is_the_kernels(tables, numbers, group):
    prefix = f"{FAMILIES[group]}_A_{group}_"
    assert {
        name: numbers.get(prefix + kernels_name(group, name)) for name in tables[group]
    } == tables[group]


@pytest.mark.guest
def test_the_numbers_of_questions_are_the_kernels(tables, numbers):
    assert {name: numbers.get(name) for name in tables["constant"]} == tables["constant"]


@pytest.mark.guest
def test_no_counter_of_a_queue_is_left_out(tables, numbers):
    prefix = "NETDEV_A_QSTATS_"
    counters = {name.removeprefix(prefix) for name in numbers if name.startswith(prefix)}
    assert {name.upper() for name in tables["QSTATS"]} == counters - NO_COUNTERS


def attribute(number, content):
    return struct.pack("=HH", 4 + len(content), number) + content


def test_counters_of_a_queue_have_names_of_their_own(program):
    """`rx_packets.q0` is a field of a log, of a NAPI instance."""
    parts = [
        attribute(RX_PACKETS, struct.pack("=Q", 1 << 40)),  # the kernel gives 4 bytes or 8
        attribute(TX_STOP, struct.pack("=I", 7)),
        attribute(LATER, struct.pack("=I", 5)),  # of a kernel to come
        attribute(QUEUE_ID, struct.pack("=I", 2)),
    ]
    done = subprocess.run(
        [program, "answer"], input=b"".join(parts), capture_output=True, check=True
    )
    assert json.loads(done.stdout) == {"qstats.rx_packets.q2": 1 << 40, "qstats.tx_stop.q2": 7}
