# SPDX-License-Identifier: Apache-2.0
"""What a log says of the host under test it says of the peer, too."""

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.remote import connect
from coalescope_host.remote.environment import OF_THE_LINK, environment
from coalescope_host.remote.machine_facts import machine_facts
from coalescope_host.settings import open_host
from coalescope_host.settings.groups import GROUPS, OF_THE_MACHINE

pytestmark = pytest.mark.network

ROOT = Path(__file__).resolve().parents[3]
OF_THE_LOG = {
    *("counter_source", "counter_sources_refused", "command", "notes", "probe_cost"),
    *("ebpf_missing", "module_version", "network_namespace", "irq_time_accounting"),
}
"""What a log says of itself."""
OTHERWISE = {
    "host": "address",  # the peer's, as the plan names it
    "ring": "rings",
    "queues": "channels",
    "rps_cpus": "steering",
    "xps_cpus": "steering",
    "rfs": "steering",
    "sysctls": "sysctl",
    "gro_flush_timeout_ns": "napi",
    "napi_defer_hard_irqs": "napi",
    "napi_threaded": "napi",
    "interrupt_affinity": "interrupts",
    "turbo": "machine",
    "idle_states": "machine",
    "idle_state_sets": "machine",
    "irqbalance": "machine",
    "mtu_bytes": None,  # a factor, which is set at the peer as well
    "bus": "bus_address",
}
"""What a log says of the host by another name → its name at a peer."""

# Attaches programs that pass everything, says so, and waits for its end.
ATTACH = """
import ctypes, os, socket, struct, sys
XDP, TCX, GENERIC = 37, 46, 2
bpf = lambda command, attributes: ctypes.CDLL(None, use_errno=True).syscall(
    {"x86_64": 321, "aarch64": 280}[os.uname().machine], command, attributes, len(attributes))
def load(kind, verdict):
    code = ctypes.create_string_buffer(struct.pack("<BBhiBBhi", 0xb7, 0, 0, verdict, 0x95, 0, 0, 0))
    words = ctypes.create_string_buffer(b"GPL")
    pointers = ctypes.addressof(code), ctypes.addressof(words)
    return bpf(5, struct.pack("<IIQQ", kind, 2, *pointers).ljust(48, b"\\0"))
index = socket.if_nametoindex(sys.argv[1])
link = bpf(28, struct.pack("<IIII", load(6, 2), index, XDP, GENERIC))
assert link >= 0 and bpf(8, struct.pack("<IIII", index, load(3, -1), TCX, 0)) == 0
print("attached", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def interface() -> Iterator[str]:
    """An interface in this process's namespace, down: nothing leads over it."""
    if os.geteuid() != 0:
        pytest.skip("interfaces need root")
    subprocess.run(
        ["ip", "link", "add", "told0", "type", "veth", "peer", "name", "told1"], check=True
    )
    yield "told0"
    subprocess.run(["ip", "link", "del", "told0"], check=True)


def told_by_the_logger(interface: str, folder: Path) -> set[str]:
    subprocess.run(["make", "-s", "-C", str(ROOT / "driver/logger"), f"BUILD={folder}"], check=True)
    logger = folder / "coalescope-logger"
    command = [logger, "-i", interface, "-o", "/none", "--preview", "--source", "proc"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)["environment"]
    return {name for name, value in told.items() if value is not None}


def test_all_that_is_told_of_the_host_is_told_of_the_peer(interface: str, tmp_path: Path) -> None:
    of_host = told_by_the_logger(interface, tmp_path) - OF_THE_LOG
    assert {"kernel_command_line", "mitigations", "preemption", "rps_cpus"} <= of_host
    of_peer = {"address", "bus_address", *environment(open_host(interface))}
    assert "driver_version" in of_peer
    missing = {name for name in of_host if OTHERWISE.get(name, name) not in {None, *of_peer}}
    assert missing == set()


def documented() -> set[str]:
    """All that a log can say of where it ran, on whatever host."""
    text = (ROOT / "docs/run-log-format.md").read_text(encoding="utf-8")
    section = text.partition("### Environment\n")[2].partition("\n## ")[0]
    list_, _, table = re.sub(r"\([^()]*\)", "", section).partition("Some of these")
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return set(re.findall(r"`([a-z_]+)`", " ".join([list_, *rows])))


def test_all_that_a_log_can_tell_is_told_of_a_peer_and_nothing_else(interface: str) -> None:
    """On any host: by the names that the format has, and those that the peer's side has."""
    of_log = documented()
    assert {"coalescing", "turbo", "xdp", "irqbalance", "napi", "rss"} <= of_log
    groups = {group.name for group in GROUPS} - {"mtu"}
    facts = machine_facts_told() | {"address", "driver", "interface", "speed_mbps", "bus_address"}
    link = {"driver_version", "firmware_version", "xdp", "tc_programs", *OF_THE_LINK}
    can_tell = groups | facts | link
    of_host = of_log - OF_THE_LOG
    missing = {name for name in of_host if OTHERWISE.get(name, name) not in {None, *can_tell}}
    assert missing == set()
    assert OTHERWISE.keys() | OF_THE_LOG <= of_log
    by_the_same_name = of_host | set(OTHERWISE.values()) | {"queues_rx"}
    assert can_tell - by_the_same_name == set()
    assert environment(open_host(interface)).keys() <= can_tell | {"queues_rx"}


def machine_facts_told() -> set[str]:
    """The names in machine_facts, also of what this machine does not have."""
    tree = ast.parse(inspect.getsource(machine_facts))
    (names,) = (node for node in ast.walk(tree) if isinstance(node, ast.Dict) and node.keys)
    return {str(ast.literal_eval(key)) for key in names.keys if key is not None}


def test_a_peer_tells_it_over_ssh(lab: Any) -> None:
    peer = connect(lab.spec)
    told = peer.environment()
    peer.close()
    of_here = machine_facts()  # the same machine
    assert {name: told.get(name) for name in of_here} == dict(of_here)
    assert told["kernel_command_line"] == Path("/proc/cmdline").read_text().strip()
    assert told["steering"]["rps_cpus[0]"]
    assert told["driver"] == "veth"


def test_programs_on_the_way_of_the_packets_are_told(interface: str) -> None:
    assert not {"xdp", "tc_programs"} & environment(open_host(interface)).keys()
    attached = [sys.executable, "-c", ATTACH, interface]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(attached, **pipes) as attacher:  # type: ignore[call-overload]
        assert attacher.stdout.readline() == b"attached\n"
        found = environment(open_host(interface))
    assert found["xdp"]["mode"] == "generic"
    assert found["xdp"]["program_id"] > 0
    (program,) = found["tc_programs"]
    assert (program["direction"], program["kind"]) == ("ingress", "tcx")
    assert program["program_id"] > 0


def test_filters_are_told_with_their_direction(interface: str) -> None:
    every = "protocol ip u32 match u32 0 0"
    for words in (
        f"qdisc add dev {interface} clsact",
        f"filter add dev {interface} egress {every}",
    ):
        subprocess.run(["tc", *words.split()], check=True)
    found = environment(open_host(interface))["tc_programs"]
    assert {(program["direction"], program["kind"]) for program in found} == {("egress", "u32")}


def test_a_peer_without_an_interface_tells_what_is_set_of_its_machine() -> None:
    """Half of what a round trip takes is its sysctls' and its idle states'."""
    told, of_an_interface = environment(None), environment(open_host("lo"))
    assert "busy_poll_us[0]" in told["sysctl"]
    for name in OF_THE_MACHINE & of_an_interface.keys():
        assert told[name] == of_an_interface[name]
