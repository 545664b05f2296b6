# SPDX-License-Identifier: Apache-2.0
"""Whatever is wrong: a clear message, the run marked failed, the sweep goes on, the hosts restored.

Over the real command line, on a veth pair with a peer; `hosts` sees that both ends are as before.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.schedule import schedule
from timeouts import TIMEOUT_S, wait_until

from .hosts_on_a_cable import INTERFACE, TOOL, Hosts, processes_with

pytestmark = [pytest.mark.network, pytest.mark.slow]

UNREACHABLE = "root@10.213.1.99"
WITHOUT_PERMISSION = ("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin")
UDP = """
[workloads.udp]
kind = "udp-fan-in"
rate_mbps = 50
"""
PING = """
[workloads.ping]
kind = "command"
command = ["ping", "-q", "-i", "0.02", "-c", "50", "{peer}"]
"""
FAILS = """
[workloads.fails]
kind = "command"
command = ["sh", "-c", "echo out of luck >&2; exit 3"]
"""
HANGS = """
[workloads.hangs]
kind = "command"
command = ["sh", "-c", "trap '' TERM; ping -q -i 0.02 {peer}"]
timeout_s = 1
"""


def unreachable(hosts: Hosts, plan: str) -> str:
    return plan.replace(hosts.lab.destination, UNREACHABLE)


def with_a_black_hole(hosts: Hosts, plan: str) -> str:
    """Without its interface in the plan the peer keeps an MTU of 1500."""
    before, peer = plan.split("[[peers]]")
    interface = f'interface = "{INTERFACE}"'
    return f"{before}[[peers]]{peer.replace(interface, '')}"


@dataclass(frozen=True)
class Bad:
    """What is wrong, what is said of it, and how many runs are done and marked failed with it."""

    factors: str
    reason: str
    done: int
    failed: int
    workloads: str = UDP
    change: Callable[[Hosts, str], str] = lambda hosts, plan: plan
    begun: bool = True
    """Whether the runs that failed were tried, or marked before they began."""
    tool: Sequence[str] = TOOL
    keys: dict[str, object] = field(default_factory=dict)


CASES = {
    "no such interface": Bad(
        "mtu_bytes = [1500, 4000]",
        "there is no interface nowhere0; there are lo",
        done=0,
        failed=2,
        begun=False,
        keys={"interface": '"nowhere0"'},
    ),
    "an interface without interrupts": Bad(
        "napi_defer_hard_irqs = [0, 2]",
        f"no interrupts of {INTERFACE} can be found, so nothing shows what napi_defer_hard_irqs",
        done=0,
        failed=2,
    ),
    "an interface that takes no delay": Bad(
        "delay_us = [0, 10]",
        "its driver has no rx-usecs",
        done=0,
        failed=2,
    ),
    "no permission": Bad(
        "mtu_bytes = [1500, 4000]",
        "A sweep changes settings, which needs root: run it with sudo.",
        done=0,
        failed=2,
        begun=False,
        tool=(*WITHOUT_PERMISSION, *TOOL),
    ),
    "no module": Bad(
        "mtu_bytes = [1500, 4000]",
        "the kernel module is not loaded: modprobe coalescope",
        done=0,
        failed=2,
        keys={"source": '"module"'},
    ),
    "a value that the device refuses": Bad(
        "mtu_bytes = [1500, 65536]",
        "mtu_bytes = 65536: the device allows 68 to 65535 bytes",
        done=1,
        failed=1,
    ),
    "a peer that cannot be reached, which not every run needs": Bad(
        'workload = ["udp", "ping"]',
        UNREACHABLE,
        done=1,
        failed=1,
        workloads=UDP + PING,
        change=unreachable,
        begun=False,
    ),
    "a peer that cannot be reached, which every run needs": Bad(
        'mtu_bytes = [1500]\nworkload = ["udp", "ping"]',
        UNREACHABLE,
        done=0,
        failed=2,
        workloads=UDP + PING,
        change=unreachable,
        begun=False,
    ),
    "a black hole": Bad(
        "mtu_bytes = [1500, 4000]",
        "a black hole",
        done=1,
        failed=1,
        change=with_a_black_hole,
    ),
    "a workload that fails": Bad(
        'workload = ["udp", "fails"]',
        "out of luck",
        done=1,
        failed=1,
        workloads=UDP + FAILS,
    ),
    "a workload that fails in its pilot run": Bad(
        'workload = ["udp", "fails"]',
        "workload fails does not work: ",
        done=1,
        failed=1,
        workloads=UDP + FAILS,
        begun=False,
        keys={"pilot_s": 0.3},
    ),
    "a workload that hangs": Bad(
        'workload = ["udp", "hangs"]',
        "1.5 s",
        done=1,
        failed=1,
        workloads=UDP + HANGS,
    ),
}


@pytest.mark.parametrize("bad", CASES.values(), ids=CASES.keys())
def test_bad_input(hosts: Hosts, bad: Bad) -> None:
    hosts.plan(bad.factors, bad.workloads, retries=0, **bad.keys)
    plan = hosts.folder / "plan.toml"
    plan.write_text(bad.change(hosts, plan.read_text()))
    ended = hosts.sweep(tool=bad.tool)
    failed = [entry for entry in hosts.entries() if entry["status"] == "failed"]
    assert ended.returncode == 1
    assert bad.reason in ended.stderr
    assert len(hosts.done()) == bad.done, ended.stderr
    assert len(failed) == bad.failed
    for entry in failed:
        assert bad.reason in entry["reason"]
        assert entry["attempt"] == bad.begun
    planned = {run.id for run in schedule(load_plan(plan), 3)}
    assert {entry["id"] for entry in hosts.entries()} == planned
    assert not list((hosts.folder / "state").rglob("*.json")), "nothing is left to put back"
    assert "Traceback" not in ended.stderr


def test_what_was_marked_before_it_began_is_done_once_it_is_mended(hosts: Hosts) -> None:
    """By the same command; and a plan that was wrong may change, for nothing was begun."""
    hosts.plan("mtu_bytes = [1500, 4000]", UDP, interface='"nowhere0"')
    said = hosts.sweep().stderr
    assert "Nothing was changed. 2 runs are marked failed; the same command tries again." in said
    hosts.plan("mtu_bytes = [1500, 4000]", UDP)
    assert hosts.sweep(tool=(*WITHOUT_PERMISSION, *TOOL)).returncode == 1
    assert hosts.done() == []
    mended = hosts.sweep()
    assert mended.returncode == 0, mended.stderr
    assert hosts.done() == hosts.scheduled()


def wait_for_runs(hosts: Hosts, count: int) -> None:
    wait_until(lambda: len(hosts.entries()) >= count, "there are too few runs")


def test_an_interface_that_vanishes_between_runs_and_comes_back(hosts: Hosts) -> None:
    ip = ("ip", "link", "set")
    hosts.plan("offload.gro = [true, false]", UDP, replicates=4, retries=0)
    with hosts.start() as process:
        wait_for_runs(hosts, 2)
        hosts.lab.inside(hosts.lab.here, *ip, INTERFACE, "down")
        hosts.lab.inside(hosts.lab.here, *ip, INTERFACE, "name", "gone0")
        wait_until(lambda: [e for e in hosts.entries() if e["status"] == "failed"], "none fails")
        hosts.lab.inside(hosts.lab.here, *ip, "gone0", "name", INTERFACE)
        hosts.lab.inside(hosts.lab.here, *ip, INTERFACE, "up")
        _, said = process.communicate(timeout=3 * TIMEOUT_S)
    assert process.returncode == 1, said
    failed = [entry for entry in hosts.entries() if entry["status"] == "failed"]
    assert any(INTERFACE in entry["reason"] for entry in failed)
    again = hosts.sweep()
    assert again.returncode == 0, again.stderr
    assert sorted(hosts.done()) == sorted(hosts.scheduled())


def test_a_peer_that_becomes_unreachable_between_blocks(hosts: Hosts) -> None:
    hosts.plan("mtu_bytes = [1500, 4000]", UDP, replicates=3, retries=0)
    ip = ("ip", "link", "set", "control0")
    before = hosts.settings()
    with hosts.start() as process:
        wait_for_runs(hosts, 2)
        hosts.lab.inside(hosts.lab.here, *ip, "down")
        try:
            for pid in processes_with(str(hosts.programs / "python")):
                os.kill(pid, signal.SIGKILL)
            _, said = process.communicate(timeout=3 * TIMEOUT_S)
        finally:
            hosts.lab.inside(hosts.lab.here, *ip, "up")
    assert process.returncode == 1, said
    failed = [entry for entry in hosts.entries() if entry["status"] == "failed"]
    assert len(hosts.done()) + len(failed) == len(hosts.scheduled()), (
        f"it went on to the end: {said}"
    )
    assert failed
    assert all(hosts.lab.destination in entry["reason"] for entry in failed)
    wait_until(lambda: hosts.settings() == before, "the peer does not put itself back")
    again = hosts.sweep()
    assert again.returncode == 0, again.stderr
    assert sorted(hosts.done()) == sorted(hosts.scheduled())


# Gives up CAP_NET_ADMIN (12) for good when it is told to, by capget and capset, capabilities(7).
LOSES_PERMISSION = """
import ctypes, signal, struct, sys
from coalescope_host.command_line import main
def lose(*_):
    capabilities, libc = ctypes.create_string_buffer(24), ctypes.CDLL(None)
    version = struct.pack("Ii", 0x20080522, 0)
    failed = libc.capget(version, capabilities)
    words = [word & ~(1 << 12) for word in struct.unpack("3I", capabilities.raw[:12])]
    struct.pack_into("3I", capabilities, 0, *words)
    if failed or libc.capset(version, capabilities):
        sys.exit("the permission stays")
signal.signal(signal.SIGUSR1, lose)
sys.exit(main())
"""


def test_a_permission_that_is_lost_between_runs(hosts: Hosts, tmp_path: Path) -> None:
    """The sweep cannot put back either: who waits for its end does."""
    program = tmp_path / "loses_permission.py"
    program.write_text(LOSES_PERMISSION)
    hosts.plan("mtu_bytes = [3000, 4000]", UDP, replicates=3, retries=0)
    before = hosts.settings()
    with hosts.start((sys.executable, str(program))) as process:
        wait_for_runs(hosts, 1)
        process.send_signal(signal.SIGUSR1)
        _, said = process.communicate(timeout=3 * TIMEOUT_S)
    assert process.returncode == 1, said
    failed = [entry for entry in hosts.entries() if entry["status"] == "failed"]
    assert len(hosts.done()) + len(failed) == len(hosts.scheduled()), (
        f"it went on to the end: {said}"
    )
    assert any("settings need root (CAP_NET_ADMIN)" in entry["reason"] for entry in failed), said
    wait_until(lambda: hosts.settings() == before, "not put back")
    state = hosts.folder / "state"
    wait_until(lambda: not list(state.rglob("*.json")), "not said to be put back")


def test_a_disk_that_is_full_while_one_run_lasts(hosts: Hosts) -> None:
    small = hosts.folder / "small"
    small.mkdir()
    ballast = small / "ballast"
    fill = f"dd if=/dev/zero of={ballast} bs=4k; truncate -s -8192 {ballast}; ping -q -i 0.02 $0"
    empty = f"rm -f {ballast}; exec ping -q -i 0.02 -c 50 $0"
    workloads = "".join(
        f'[workloads.{name}]\nkind = "command"\nuser = "root"\ntimeout_s = {timeout_s}\n'
        f'command = ["sh", "-c", "{script}", "{{peer}}"]\n'
        for name, script, timeout_s in (("fills", fill, 3), ("empties", empty, TIMEOUT_S))
    )
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(small)]
    subprocess.run(mount, check=True)
    try:
        hosts.plan(
            'workload = ["fills", "empties"]', workloads, interval_ms=1, replicates=2, retries=0
        )
        ended = hosts.sweep(str(hosts.folder / "plan.toml"), "--out", str(small / "out"))
        inside = Hosts(hosts.lab, small, hosts.programs)
        statuses = {entry["reason"]: entry for entry in inside.entries() if "reason" in entry}
        done = len(inside.done())
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert ended.returncode == 1
    assert done == 2, ended.stderr
    assert len(statuses) == 2, ended.stderr
    assert all("No space left on device" in reason for reason in statuses)
