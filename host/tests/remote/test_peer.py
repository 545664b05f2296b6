# SPDX-License-Identifier: Apache-2.0
"""A peer is set, put back and made to run programs, over a real ssh."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.missing_program import not_installed
from coalescope_host.remote import Peer, PeerError, PeerLostError, connect, verify_mtu
from coalescope_host.run.factory import reconnect
from coalescope_host.settings.device import Device
from timeouts import retried_if_disturbed

pytestmark = pytest.mark.network

Soon = Callable[..., bool]


def agents() -> set[int]:
    """Processes of agents on this machine."""
    listed = subprocess.run(
        ["pgrep", "-f", "coalescope_host.remote.agent /tmp"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return {int(pid) for pid in listed.stdout.split()}


def agent_of(lab: Any) -> int:
    """The agent in the peer's namespace."""
    inside = subprocess.run(
        ["ip", "netns", "pids", lab.hosts.there], capture_output=True, text=True, check=True
    )
    (pid,) = agents() & {int(pid) for pid in inside.stdout.split()}
    return pid


def test_levels_are_set_there_and_put_back(lab: Any, peer: Peer) -> None:
    assert peer.problems({"mtu_bytes": 9000}) == []
    assert peer.changes({"mtu_bytes": 9000}) == ["ip link set lab0 mtu 9000"]
    assert peer.now(["mtu_bytes", "delay_us"]) == {"mtu_bytes": 1500}, "a veth has no delay"
    state = peer.save()
    assert peer.apply({"mtu_bytes": 9000}) == {"mtu_bytes": 9000}
    assert peer.now(["mtu_bytes"]) == {"mtu_bytes": 9000}
    assert lab.mtu_bytes() == 9000
    assert lab.state_files() == ["lab0.json"], "the way back is on the peer's own disk"
    peer.restore(state)
    assert lab.mtu_bytes() == 1500
    assert lab.state_files() == []
    assert peer.facts()["driver"] == "veth"


def test_problems_and_refusals_carry_the_peers_name(lab: Any, peer: Peer) -> None:
    name = lab.spec.ssh
    assert peer.problems({"delay_us": 5})[0].startswith(f"{name}: lab0: delay_us = 5: its driver")
    with pytest.raises(PeerError, match=f"{name}: lab0: mtu_bytes = 10 refused: mtu less than"):
        peer.apply({"mtu_bytes": 10})
    with pytest.raises(PeerError, match=f"{name}: no-such-program is not installed"):
        peer.run(["no-such-program"])
    (absent,) = peer.missing(["true", "no-such-program"])
    assert absent == f"{name}: no-such-program is not installed there."


def test_how_to_get_the_programs_of_workloads_is_said() -> None:
    assert "`make traffic` builds" in not_installed("coalescope-traffic", " there")
    assert not_installed("iperf3").endswith(" On Debian: apt-get install iperf3.")


def test_programs_run_there_without_root(peer: Peer) -> None:
    assert peer.run(["id", "-un"]) == (0, "nobody\n")
    assert peer.run(["id", "-u"], user="root") == (0, "0\n")
    assert peer.run(["sh", "-c", "echo ü; exit 3"]) == (3, "ü\n")
    assert peer.run(["sh", "-c", "echo why >&2; exit 1"]) == (1, "why")
    assert "lab0" in peer.run(["ip", "-br", "link"])[1]


def test_a_server_runs_until_it_is_stopped(lab: Any, peer: Peer, soon: Soon) -> None:
    server = peer.start_server(["sh", "-c", "echo listening >&2; sleep 97 & wait"])
    assert server.alive()
    assert peer.run(["true"]) == (0, "")
    assert "listening" in server.stop()
    left = subprocess.run(["pgrep", "-f", "sleep 97"], capture_output=True, check=False)
    assert left.returncode == 1, "what it started ends with it"
    ended = peer.start_server(["sh", "-c", "echo no port >&2; exit 1"])
    assert soon(lambda: not ended.alive())
    assert ended.stop() == "no port"


@retried_if_disturbed
def test_a_start_at_an_instant(peer: Peer, soon: Soon) -> None:
    clock = "import time; print(time.monotonic_ns(), file=__import__('sys').stderr)"
    at_ns = time.monotonic_ns() + 1_500_000_000
    server = peer.start_server([sys.executable, "-c", clock], at_ns=at_ns, user="root")
    assert server.alive()
    assert soon(lambda: not server.alive())
    started_ns = int(server.stop())  # one machine has one clock, whatever the offset measured
    assert 0 <= started_ns - at_ns < 600_000_000
    assert abs(peer.clock_offset.offset_ns) <= peer.clock_offset.uncertainty_ns


def test_a_path_that_carries_the_mtu(lab: Any, peer: Peer) -> None:
    try:
        lab.here("ip", "link", "set", "lab0", "mtu", "9000")
        peer.apply({"mtu_bytes": 9000})
        assert verify_mtu(peer, 9000, Device("lab0", lab.hosts.here)) == []
        assert verify_mtu(peer, 1500, Device("lab0", lab.hosts.here)) == []
    finally:
        lab.here("ip", "link", "set", "lab0", "mtu", "1500")


def test_a_path_that_does_not(lab: Any, peer: Peer) -> None:
    here, name = Device("lab0", lab.hosts.here), lab.spec.ssh
    (own_mtu,) = verify_mtu(peer, 4000, here)
    assert own_mtu.startswith(f"{name}: MTU 4000 to {lab.spec.address}: only 1500 bytes pass")
    lab.here("ip", "link", "set", "lab0", "mtu", "4000")
    try:
        (black_hole,) = verify_mtu(peer, 4000, here)
        assert f"{name}: MTU 4000 to {lab.spec.address}: a black hole: packets up to " in black_hole
        largest = int(black_hole.split("up to ")[1].split()[0])
        assert 1500 - 16 <= largest <= 1500 + 16
    finally:
        lab.here("ip", "link", "set", "lab0", "mtu", "1500")
    lab.there("ip", "link", "set", "lab0", "down")
    try:
        (silence,) = verify_mtu(peer, 1500, here)
        assert "has no carrier: is the cable in, and the other end up?" in silence
    finally:
        lab.there("ip", "link", "set", "lab0", "up")
    elsewhere = type("Elsewhere", (), {"spec": lab.changed_spec(address="198.51.100.1")})()
    (no_route,) = verify_mtu(elsewhere, 1500, here)
    place = f"{name}: 198.51.100.1 (namespace {here.netns})"
    assert no_route == f"{place}: no route: Network is unreachable"


def test_the_interface_of_the_ssh_session_is_refused(lab: Any) -> None:
    peer = connect(lab.changed_spec(interface="control0"))
    try:
        assert any("this ssh session" in problem for problem in peer.problems({}))
        with pytest.raises(PeerError, match="this ssh session came in on control0"):
            peer.apply({"mtu_bytes": 1400})
    finally:
        peer.close()
    assert "mtu 1500" in lab.there("ip", "link", "show", "control0")


def test_a_peer_whose_interface_is_not_set(lab: Any) -> None:
    peer = connect(lab.changed_spec(interface=None))
    assert peer.problems({"mtu_bytes": 9000}) == []
    assert peer.run(["true"]) == (0, "")
    with pytest.raises(PeerError, match="the plan names no interface for this peer"):
        peer.apply({"mtu_bytes": 9000})
    peer.close()


def test_no_such_interface_there(lab: Any) -> None:
    peer = connect(lab.changed_spec(interface="eth77"))
    (problem,) = peer.problems({"mtu_bytes": 9000})
    assert problem.startswith(f"{lab.spec.ssh}: there is no interface eth77; there are ")
    peer.close()


@pytest.mark.parametrize(
    ("options", "python", "complaint"),
    [
        (
            ("-i", "/nonexistent", "-o", "IdentityAgent=none"),
            None,
            "Permission denied.*ssh here is root's.*`sudo ssh-copy-id ",
        ),
        (("-p", "1", "-o", "ProxyCommand=none"), None, "refused|timed out|unreachable"),
        ((), "/etc/passwd", "Permission denied$"),
        ((), "python9.99", "python9.99: .*not found — Python is missing there"),
        ((), "false #", "the connection was cut"),
    ],
)
def test_a_peer_that_cannot_be_used(
    lab: Any, options: tuple[str, ...], python: str | None, complaint: str
) -> None:
    kept = lab.spec.ssh_options
    if "-i" in options:
        key = kept.index("-i")
        kept = kept[:key] + kept[key + 2 :]
    spec = lab.changed_spec(
        ssh_options=(*options, "-o", "ConnectTimeout=2", *kept), python=python or lab.spec.python
    )
    with pytest.raises(PeerError, match=complaint) as refused:
        connect(spec)
    assert str(refused.value).startswith(lab.spec.ssh)


SWEEP = """
import sys, time
from coalescope_host.remote import connect
from coalescope_host.plan.plan import PeerSpec
spec = eval(sys.argv[1])
peer = connect(spec)
peer.apply({"mtu_bytes": 9000})
peer.start_server(["sleep", "96"])
print("changed", flush=True)
time.sleep(600)
"""


def a_sweep(lab: Any) -> subprocess.Popen[str]:
    """A process that has changed the peer and started a program there."""
    process = subprocess.Popen(
        [sys.executable, "-c", SWEEP, repr(lab.spec)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "changed\n"
    process.stdout.close()
    return process


def nothing_is_left(lab: Any) -> bool:
    programs = subprocess.run(["pgrep", "-f", "^sleep 96"], capture_output=True, check=False)
    return lab.mtu_bytes() == 1500 and lab.state_files() == [] and programs.returncode == 1


def test_a_killed_sweep_leaves_the_peer_as_it_was(lab: Any, soon: Soon) -> None:
    sweep = a_sweep(lab)
    assert lab.mtu_bytes() == 9000
    sweep.kill()
    sweep.wait()
    assert soon(lambda: nothing_is_left(lab))


def test_a_killed_agent_leaves_the_peer_as_it_was(lab: Any, soon: Soon) -> None:
    peer = connect(lab.spec)
    peer.apply({"mtu_bytes": 9000})
    peer.start_server(["sleep", "96"])
    folder = Path("/proc", str(agent_of(lab)), "cmdline").read_text().split("\0")[-2]
    os.kill(agent_of(lab), signal.SIGKILL)
    with pytest.raises(PeerLostError, match=lab.spec.ssh):
        peer.apply({"mtu_bytes": 4000})
    assert soon(lambda: nothing_is_left(lab))
    with pytest.raises(PeerLostError):
        peer.close()
    subprocess.run(["rm", "-rf", folder], check=True)


def test_a_lost_connection_is_closed_before_another_is_made(lab: Any, soon: Soon) -> None:
    lost = connect(lab.spec)
    agent = agent_of(lab)
    folder = Path("/proc", str(agent), "cmdline").read_text().split("\0")[-2]
    os.kill(agent, signal.SIGKILL)
    with pytest.raises(PeerLostError) as error:
        lost.facts()
    peers = [lost]
    reconnect(peers, error.value)
    (again,) = peers
    try:
        assert again is not lost
        assert again.facts()["driver"] == "veth"
        with pytest.raises(PeerLostError, match="the connection was closed"):
            lost.facts()
    finally:
        again.close()
        subprocess.run(["rm", "-rf", folder], check=True)


@pytest.mark.slow
def test_a_cut_network_leaves_the_peer_as_it_was(lab: Any, soon: Soon) -> None:
    quick = ("-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2")
    peer = connect(lab.changed_spec(ssh_options=(*quick, *lab.spec.ssh_options)))
    peer.apply({"mtu_bytes": 9000})
    lab.here("ip", "link", "set", "control0", "down")
    try:
        with pytest.raises(PeerLostError, match=lab.spec.ssh):
            peer.run(["sleep", "60"])
        assert lab.mtu_bytes() == 9000, "it has not noticed yet"
        assert soon(lambda: nothing_is_left(lab))
        with pytest.raises(PeerLostError):
            peer.close()
    finally:
        lab.here("ip", "link", "set", "control0", "up")


def test_what_nobody_put_back_is_put_back_at_the_next_connection(lab: Any, soon: Soon) -> None:
    peer = connect(lab.spec)
    peer.apply({"mtu_bytes": 9000})
    agent = agent_of(lab)
    os.kill(agent, signal.SIGSTOP)
    subprocess.run(["pkill", "-KILL", "-P", str(agent)], check=True)  # the process beside it
    folder = Path("/proc", str(agent), "cmdline").read_text().split("\0")[-2]
    os.kill(agent, signal.SIGKILL)
    with pytest.raises(PeerLostError):
        peer.close()
    assert lab.mtu_bytes() == 9000
    connect(lab.spec).close()
    assert nothing_is_left(lab)
    subprocess.run(["rm", "-rf", folder], check=True)


def test_nothing_of_the_tools_stays_there(lab: Any, peer: Peer, soon: Soon) -> None:
    folder = Path("/proc", str(agent_of(lab)), "cmdline").read_text().split("\0")[-2]
    assert Path(folder).stat().st_mode & 0o77 == 0
    peer.close()
    assert soon(lambda: not Path(folder).exists())


def test_a_closed_connection_says_so(lab: Any) -> None:
    peer = connect(lab.spec)
    peer.close()
    peer.close()
    with pytest.raises(PeerLostError, match="the connection was closed"):
        peer.run(["true"])
