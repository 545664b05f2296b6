# SPDX-License-Identifier: Apache-2.0
"""The logger on a veth pair in network namespaces."""

import signal
import subprocess

import pytest
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S

pytestmark = pytest.mark.network

SEND = """
import socket
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(500):
    out.sendto(b"x" * 1000, ("10.214.0.2", 9))
"""


def around(namespace, *command):
    return subprocess.run(
        ["ip", "netns", "exec", namespace, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


@pytest.mark.parametrize("counters", ["netlink", "sysfs"])
def test_every_byte_and_packet_is_counted_with_its_link_header(
    logger, namespaces, tmp_path, counters, recording
):
    path = tmp_path / "a.runlog"
    options = ["-i", "probe0", "-o", path, "-t", "10ms", "--counters", counters]
    with subprocess.Popen(
        ["ip", "netns", "exec", namespaces[1], logger, *map(str, options)]
    ) as process:
        recording(path)
        assert around(namespaces[0], "python3", "-c", SEND).returncode == 0
        process.send_signal(signal.SIGINT)  # its last sample is taken after that
        assert process.wait(TIMEOUT_S) == 0
    log = read(path)
    octets, packets = log.streams[0].column("rx_bytes"), log.streams[0].column("rx_packets")
    arp = packets[-1] - packets[0] - 500
    assert 0 <= arp <= 4
    assert octets[-1] - octets[0] == 500 * (1000 + 8 + 20 + 14) + arp * 42
    assert log.field("rx_bytes").bytes_include == ("link_header",)
    assert log.field("rx_interrupts") is None
    assert log.field("rx_bytes").source == counters
    assert log.header["environment"]["driver"] == "veth"


def test_mtu_is_read_back(logger, namespaces, tmp_path):
    subprocess.run(["ip", "-n", namespaces[0], "link", "set", "probe0", "mtu", "9000"], check=True)
    path = tmp_path / "a.runlog"
    done = around(
        namespaces[0], logger, "-i", "probe0", "-o", path, "-d", "20ms", "-f", "mtu_bytes=4500"
    )
    assert done.returncode == 0, done.stderr
    log = read(path)
    assert log.header["factors"]["mtu_bytes"] == {"requested": 4500, "read_back": 9000}
    assert log.footer["after"]["mtu_bytes"] == 9000


def test_a_namespace_whose_sysfs_is_another_ones_is_not_mixed_up(logger, namespaces, tmp_path):
    """nsenter does not mount /sys again: the counters must still be those of the namespace."""
    path = tmp_path / "a.runlog"
    command = ["nsenter", f"--net=/run/netns/{namespaces[0]}", logger, "-i", "lo", "-o", str(path)]
    command += ["--source", "proc"]
    done = subprocess.run(
        [*command, "-d", "20ms"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    log = read(path)
    assert log.field("rx_packets").source == "netlink"
    assert log.streams[0].column("rx_packets")[0] < 100  # a fresh namespace
    refused = subprocess.run(
        [*command, "-d", "20ms", "--force", "--counters", "sysfs"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert refused.returncode == 1
    assert "cannot be read" in refused.stderr


def test_a_full_disk_ends_the_recording_with_a_message(logger, namespaces, tmp_path):
    mount = f"mount -t tmpfs -o size=256k none {tmp_path}"
    record = f"{logger} -i probe0 -o {tmp_path}/a.runlog -t 1ms -d 60s --source proc"
    keep = f"cat {tmp_path}/a.runlog > /proc/self/fd/1"
    script = f"{mount} && {{ {record}; echo status $? >&2; {keep}; }}"
    command = ["ip", "netns", "exec", namespaces[0], "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
    assert b"No space left on device" in done.stderr
    assert b"status 1" in done.stderr
    log = read(done.stdout)
    assert not log.complete
    assert log.records > 100


def test_the_drivers_own_counters_are_kept_from_start_and_end(logger, namespaces, tmp_path):
    path = tmp_path / "a.runlog"
    done = around(namespaces[0], logger, "-i", "probe0", "-o", path, "-d", "20ms")
    assert done.returncode == 0, done.stderr
    said = around(namespaces[0], "ethtool", "-S", "probe0").stdout
    shown = {line.partition(":")[0].strip() for line in said.splitlines()[1:]}
    results = {result.name: result.json() for result in read(path).results}
    assert list(results) == ["ethtool_statistics_start", "ethtool_statistics_end"]
    for counters in results.values():
        assert {name for name in counters if not name.startswith("qstats.")} == shown
        assert counters["peer_ifindex"] > 0


def test_an_interface_that_goes_away_ends_the_log_properly(logger, namespaces, tmp_path, recording):
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "probe0", "-o", str(path), "-t", "10ms", "-d", "600s"]
    command += ["--source", "proc"]
    with subprocess.Popen(
        ["ip", "netns", "exec", namespaces[0], *command], stderr=subprocess.PIPE, text=True
    ) as process:
        recording(path)
        subprocess.run(["ip", "-n", namespaces[0], "link", "del", "probe0"], check=True)
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 1
    assert "probe0 can no longer be observed" in said
    assert "No such device" in said
    log = read(path)
    assert log.complete
    assert log.footer["ended"] == "source lost"
