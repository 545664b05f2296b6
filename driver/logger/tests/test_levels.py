# SPDX-License-Identifier: Apache-2.0
"""What was asked for, against what is in force when recording starts; delays of a card in a guest:
test_environment_in_guest.py."""

import json
import runpy
import subprocess
from pathlib import Path

import pytest
from coalescope_host.run_log import check, read, said_by
from timeouts import TIMEOUT_S

pytestmark = [pytest.mark.network, pytest.mark.fault("A10")]

LOGGER = Path(__file__).resolve().parents[1]


def recorded(logger, path, *arguments, inside=()):
    done = subprocess.run(
        [*inside, logger, "-o", str(path), "-d", "20ms", "-e", "levels", *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return read(path), done.stderr


def test_another_mtu_is_said_when_recording_starts(logger, namespaces, tmp_path):
    inside = ("ip", "netns", "exec", namespaces[0])
    options = ("-i", "probe0", "-f", "mtu_bytes=9000")
    _, said = recorded(logger, tmp_path / "a.runlog", *options, inside=inside)
    assert "mtu_bytes=9000 was asked for, but the host has 1500 now" in said
    options = ("-i", "probe0", "-f", "mtu_bytes=1500")
    _, said = recorded(logger, tmp_path / "b.runlog", *options, inside=inside)
    assert "asked for" not in said


def test_an_mtu_that_changes_while_it_is_recorded_is_doubted(logger, namespaces, tmp_path):
    inside, path = ("ip", "netns", "exec", namespaces[0]), tmp_path / "a.runlog"
    change = ("ip", "link", "set", "probe0", "mtu")
    command = [*inside, logger, "-o", str(path), "-e", "levels", "-i", "probe0", "--start", "now"]
    try:
        done = subprocess.run([*command, "--", *change, "1400"], timeout=TIMEOUT_S, check=False)
    finally:
        subprocess.run([*inside, *change, "1500"], timeout=TIMEOUT_S, check=True)
    assert done.returncode == 0
    (said,) = (doubt for doubt in check(path).doubts if doubt.code == "changed_meanwhile")
    assert "mtu_bytes 1500 when recording began and 1400 when it ended" in said.message


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("delay_us=40", True),
        ("delay_us=0.05", True),
        ("factor.rx_frames=4", True),
        ("factor.adaptive_rx=on", True),
        ("delay_us=0", False),
        ("factor.adaptive_rx=off", False),
    ],
)
def test_what_an_interface_does_not_have_is_not_known_in_force(
    logger, namespaces, tmp_path, level, told
):
    """A veth has no coalescing: it has no delay, either."""
    inside = ("ip", "netns", "exec", namespaces[0])
    path = tmp_path / "a.runlog"
    log, said = recorded(logger, path, "-i", "probe0", "-f", level, inside=inside)
    name = level.partition("=")[0]
    sentence = f"{level} was asked for, but probe0 has no such setting (coalescing/"
    assert (sentence in said) is told, said
    assert doubts(path) == ({("not_in_force", name)} if told else set())
    assert log.header["factors"][name]["read_back"] is None


@pytest.mark.parametrize(
    "more",
    [
        ("--kind", "emulated", "--time-dilation", "20"),
        ("-f", "delay_control=wire"),
        ("--read-back", "delay_us=40"),
    ],
)
def test_delays_that_are_known_otherwise_are_not_doubted(logger, namespaces, tmp_path, more):
    """Of another clock, of another timer, and as whoever set them says."""
    inside = ("ip", "netns", "exec", namespaces[0])
    path = tmp_path / "a.runlog"
    options = ("-i", "probe0", "-f", "delay_us=40", *more)
    _, said = recorded(logger, path, *options, inside=inside)
    assert "asked for" not in said
    assert doubts(path) == set()


def test_a_fraction_is_not_known_in_force_where_nothing_is_read(logger, namespaces, tmp_path):
    """As of a log whose interface told nothing of coalescing."""
    path = tmp_path / "a.runlog"
    inside = ("ip", "netns", "exec", namespaces[0])
    recorded(logger, path, "-i", "probe0", "-f", "delay_us=0.05", inside=inside)
    log = read(path)
    del log.header["environment"]["coalescing"]
    (said,) = [doubt.message for doubt in said_by(log) if doubt.code == "not_in_force"]
    assert "the kernel takes whole numbers (coalescing/rx_usecs)" in said


def test_a_level_read_back_that_is_no_longer_in_force_is_said(logger, namespaces, tmp_path):
    inside = ("ip", "netns", "exec", namespaces[0])
    options = ("-i", "probe0", "-f", "mtu_bytes=9000", "--read-back", "mtu_bytes=8000")
    _, said = recorded(logger, tmp_path / "a.runlog", *options, inside=inside)
    assert "mtu_bytes=8000 was read back, but the host has 1500 now" in said


def doubts(path):
    return {(doubt.code, doubt.details["field"]) for doubt in check(path).doubts} & {
        (code, field)
        for code in ("not_in_force", "not_as_requested")
        for field in read(path).header["factors"]
    }


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("offload_gro=off", "offload_gro=on"),
        ("offload_sg=true", "offload_sg=0"),
        ("offload_rx_gro_list=off", "offload_rx_gro_list=on"),  # of no row: by its own name
        ("napi_defer_hard_irqs=0", "napi_defer_hard_irqs=2"),
        ("napi_threaded=off", "napi_threaded=busy-poll"),
        ("gro_flush_timeout_ns=0", "gro_flush_timeout_ns=20000"),
        ("gro_flush_timeout_ns=0", "gro_flush_timeout_ns=0.5"),  # none is not a short time
        ("rps_flows=0", "rps_flows=16"),
    ],
)
def test_each_plain_level_is_compared(logger, namespaces, tmp_path, right, wrong):
    inside = ("ip", "netns", "exec", namespaces[0])
    for number, level in enumerate((right, wrong)):
        path = tmp_path / f"{number}.runlog"
        options = ("-i", "probe0", "-f", f"factor.{level}")
        _, said = recorded(logger, path, *options, inside=inside)
        assert (f"factor.{level} was asked for, but the host has" in said) is (level == wrong), said
        assert bool(doubts(path)) is (level == wrong)


WITHOUT_POWER_MANAGEMENT = """
cd /sys/devices/system/cpu
for each in cpufreq cpu[0-9]*/cpufreq cpu[0-9]*/cpuidle; do
    if [ -d "$each" ]; then mount -t tmpfs none "$each"; fi
done
cd "$OLDPWD"
exec "$@"
"""
"""A shell's program, in a mount namespace of its own as `ip netns exec` makes one."""
STATES = [{"name": name, "disabled": name == "C6"} for name in ("POLL", "C1", "C6")]


@pytest.mark.parametrize(
    ("told", "right", "wrong"),
    [
        ({"interrupt_affinity": {"30": "0-2,8", "31": "0-2,8"}}, "irq_cpus=0,1,2,8", "irq_cpus=0"),
        ({"interrupt_affinity": {"30": "0", "31": "1"}}, None, "irq_cpus=0"),
        ({"governors": {"performance": 4}}, "governor=performance", "governor=powersave"),
        ({"governors": {"performance": 3, "powersave": 1}}, None, "governor=performance"),
        ({"rss": {"entries": {"0": 64, "1": 64}}}, "rss_queues=2", "rss_queues=4"),
        ({"rss": {"entries": {"1": 64, "2": 64}}}, None, "rss_queues=2"),
        ({"rss": {"entries": {"0": 120, "1": 8}}}, None, "rss_queues=2"),
        ({"idle_states": STATES}, "deepest_idle_state=1", "deepest_idle_state=0"),
        ({"idle_states": STATES}, None, "deepest_idle_state=2"),
        ({"ring": {"tcp_data_split": 2}}, "tcp_data_split=on", "tcp_data_split=auto"),
    ],
)
def test_levels_of_other_forms_are_compared(logger, namespaces, tmp_path, told, right, wrong):
    """Of what a veth lacks, and a processor that is hidden; the check says the same."""
    file = tmp_path / "told.json"
    file.write_text(json.dumps(told))
    inside = ("ip", "netns", "exec", namespaces[0], "sh", "-c", WITHOUT_POWER_MANAGEMENT, "sh")
    for number, level in enumerate(filter(None, (right, wrong))):
        path = tmp_path / f"{number}.runlog"
        options = ("-i", "probe0", "--environment-file", str(file), "-f", f"factor.{level}")
        log, said = recorded(logger, path, *options, inside=inside)
        (name,) = told
        assert log.header["environment"][name] == told[name]
        assert (f"factor.{level} was asked for, but the host has" in said) is (level == wrong), said
        assert bool(doubts(path)) is (level == wrong)


@pytest.mark.parametrize("asked", ["0", "none", "0-1", "0,64"])
def test_cpus_of_packet_steering_are_compared(logger, namespaces, tmp_path, asked):
    """What the kernel has as a mask."""
    inside = ("ip", "netns", "exec", namespaces[0])
    file = "/sys/class/net/probe0/queues/rx-0/rps_cpus"
    for mask, cpus in (("1", "0"), ("0", "none")):
        command = [*inside, "sh", "-c", f"echo {mask} > {file}"]
        subprocess.run(command, check=True, timeout=TIMEOUT_S)
        path = tmp_path / f"{mask}.runlog"
        options = ("-i", "probe0", "-f", f"factor.rps_cpus={asked}")
        _, said = recorded(logger, path, *options, inside=inside)
        assert ("was asked for, but the host has" in said) is (asked != cpus), said
        assert bool(doubts(path)) is (asked != cpus)


def test_switches_are_read_back_as_they_were_asked_for(logger, namespaces, tmp_path):
    inside = ("ip", "netns", "exec", namespaces[0])
    options = ("-i", "probe0", "-f", "factor.offload_gro=false", "-f", "factor.offload_sg=off")
    log, _ = recorded(logger, tmp_path / "a.runlog", *options, inside=inside)
    assert log.header["factors"]["factor.offload_gro"]["read_back"] == "false"
    assert log.header["factors"]["factor.offload_sg"]["read_back"] == "on"


def test_a_number_that_is_read_back_is_that_of_the_host(logger, namespaces, tmp_path):
    inside = ("ip", "netns", "exec", namespaces[0])
    file = "/sys/class/net/probe0/gro_flush_timeout"
    subprocess.run([*inside, "sh", "-c", f"echo 20000 > {file}"], check=True, timeout=TIMEOUT_S)
    try:
        options = ("-i", "probe0", "-f", "factor.gro_flush_timeout_ns=20000.9")
        log, said = recorded(logger, tmp_path / "a.runlog", *options, inside=inside)
    finally:
        subprocess.run([*inside, "sh", "-c", f"echo 0 > {file}"], check=True, timeout=TIMEOUT_S)
    assert "asked for" not in said
    level = log.header["factors"]["factor.gro_flush_timeout_ns"]
    assert level == {"requested": 20000.9, "read_back": 20000}
    assert doubts(tmp_path / "a.runlog") == {("not_as_requested", "factor.gro_flush_timeout_ns")}


def test_what_the_environment_is_told_is_no_trap(logger, namespaces, tmp_path):
    """A file's text may be spread over lines, and is looked at after what the logger found.

    Which is no sysctl in this namespace, whatever the host is.
    """
    told = tmp_path / "told.json"
    told.write_text(
        '{ "peers" : [ {"mtu_bytes" : 9000 , "x":"\\"}" } ],\n'
        ' "sysctls" : { "net.core.busy_poll" : 50 } }'
    )
    inside = ("ip", "netns", "exec", namespaces[0])
    options = ("-i", "probe0", "--environment-file", str(told), "-f", "mtu_bytes=1500")
    asked = ("-f", "factor.busy_poll_us=20")
    _, said = recorded(logger, tmp_path / "a.runlog", *options, *asked, inside=inside)
    assert "mtu_bytes" not in said
    assert "factor.busy_poll_us=20 was asked for, but the host has 50 now" in said


def test_the_loggers_table_is_that_of_the_checks():
    program = runpy.run_path(str(LOGGER / "recorded_settings.py"))
    assert program["FILE"].read_text(encoding="ascii") == program["header"]()
