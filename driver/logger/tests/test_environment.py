# SPDX-License-Identifier: Apache-2.0
"""What surrounds a run is in its header as the kernel shows it, or is not there."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from timeouts import TIMEOUT_S, wait_until

pytestmark = pytest.mark.network
STAT = Path("/proc/stat")


def environment(logger, interface, *before, options=()):
    command = [*before, logger, "-i", interface, "-o", "/none", "--preview", "--source", "proc"]
    done = subprocess.run(
        [*map(str, command), *options],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["environment"]


def hidden(path, files):
    """Command words that put these files where the directory of that path is, for what follows."""
    writes = [f"mkdir -p $(dirname {name}); printf '%s' '{text}' > {name}" for name, text in files]
    script = "; ".join(
        ["set -e", f"mount -t tmpfs none {path}", f"cd {path}", *writes, 'exec "$@"']
    )
    return ["unshare", "--mount", "sh", "-c", script, "sh"]


@pytest.mark.fault("I1")
def test_the_initial_network_namespace_is_told_from_others(logger, namespaces):
    inside = environment(logger, "lo", "ip", "netns", "exec", namespaces[0])
    assert inside["network_namespace"] == "other"
    assert "sysctls" not in inside  # the kernel does not show them there
    initial = Path("/proc/sys/net/core/netdev_budget").exists()
    outside = environment(logger, "lo")
    assert outside["network_namespace"] == ("initial" if initial else "other")
    if initial:
        budget = Path("/proc/sys/net/core/netdev_budget").read_text(encoding="ascii")
        assert outside["sysctls"]["net.core.netdev_budget"] == int(budget)


def test_where_the_namespace_cannot_be_seen_it_is_not_said(logger):
    assert "network_namespace" not in environment(logger, "lo", *hidden("/proc/sys", []))


def stat(ticks, interrupts):
    cpu = f"1 2 3 4 5 {ticks} 7 8 0 0"
    return f"cpu  {cpu}\ncpu0 {cpu}\nintr {interrupts} 0 0\n"


@pytest.mark.parametrize(
    ("config", "ticks", "interrupts", "expected"),
    [
        ("CONFIG_A=y\n# CONFIG_IRQ_TIME_ACCOUNTING is not set\n", 500, 10**6, False),
        ("CONFIG_A=y\nCONFIG_IRQ_TIME_ACCOUNTING=y\n", 1, 1000, True),
        ("CONFIG_IRQ_TIME_ACCOUNTING=y\nCONFIG_A=y\n", 0, 10**7, False),  # tsc=noirqtime
        ("CONFIG_IRQ_TIME_ACCOUNTING=y\n", 0, 1000, None),  # just started
        (None, 0, 10**7, False),
        (None, 1000, 10**7, True),
        (None, 1, 10**7, None),  # a tick that met an interrupt by chance
        (None, 100, 1000, None),
    ],
)
def test_whether_tasks_are_without_their_interrupts(
    logger, tmp_path, config, ticks, interrupts, expected
):
    shown = tmp_path / "stat"
    shown.write_text(stat(ticks, interrupts), encoding="ascii")
    release = os.uname().release
    files = [] if config is None else [(f"config-{release}", config)]
    command = hidden("/boot", files)
    command[4] = f"mount --bind {shown} /proc/stat; {command[4]}"
    if Path("/lib/modules").exists():
        command[4] = f"mount -t tmpfs none /lib/modules; {command[4]}"
    assert environment(logger, "lo", *command).get("irq_time_accounting") is expected


GOVERNED = [
    ("cpu/cpu0/cpufreq/scaling_governor", "performance"),
    ("cpu/cpu1/cpufreq/scaling_governor", "schedutil"),
    ("cpu/intel_pstate/no_turbo", "1"),
    ("cpu/vulnerabilities/meltdown", "Mitigation: PTI"),
]


def test_kernel_and_processors(logger):
    found = environment(logger, "lo", *hidden("/sys/devices/system", GOVERNED))
    cpus = os.sysconf("SC_NPROCESSORS_CONF")
    assert found["governors"] == (
        {"performance": 1, "schedutil": 1} if cpus > 1 else {"performance": 1}
    )
    assert found["turbo"] is False
    assert found["mitigations"] == {"meltdown": "Mitigation: PTI"}
    assert found["kernel_command_line"] == Path("/proc/cmdline").read_text(encoding="utf-8").strip()
    assert "governor" not in found, "one CPU's"
    bare = environment(logger, "lo", *hidden("/sys/devices/system", []))
    assert not {"governors", "turbo", "mitigations"} & bare.keys()


def idle(cpu, *names, deepest=1):
    """Files of a CPU's idle states, those beyond the deepest disabled."""
    return [
        (f"cpu/cpu{cpu}/cpuidle/state{state}/{file}", text)
        for state, name in enumerate(names)
        for file, text in (("name", name), ("disable", str(int(state > deepest))))
    ]


def test_idle_states_are_those_of_all_cpus(logger):
    """A list where they agree, else how many CPUs have which: of the first alone is nobody's."""
    if os.sysconf("SC_NPROCESSORS_CONF") < 2:
        pytest.skip("one CPU agrees with itself")
    states = [{"name": "POLL", "disabled": False}, {"name": "C6", "disabled": False}]
    shallow = [{"name": "POLL", "disabled": False}, {"name": "C6", "disabled": True}]

    def found(*files):
        told = environment(logger, "lo", *hidden("/sys/devices/system", files))
        return told.get("idle_states"), told.get("idle_state_sets")

    one, same, other = (
        idle(0, "POLL", "C6"),
        idle(1, "POLL", "C6"),
        idle(1, "POLL", "C6", deepest=0),
    )
    assert found(*one, *same) == (states, None)
    assert found(*one) == (states, None), "the other one is offline"
    sets = [{"cpus": 1, "states": states}, {"cpus": 1, "states": shallow}]
    assert found(*one, *other) == (None, sets)
    assert found() == (None, None)


def test_irqbalance_that_is_paused_does_not_balance(logger, tmp_path):
    """A sweep pauses it: the log says that it is off, as the sweep's factor does."""
    program = tmp_path / "irqbalance"
    shutil.copy(shutil.which("sleep"), program)
    with subprocess.Popen([program, "60"]) as process:
        try:
            wait_until(lambda: environment(logger, "lo").get("irqbalance"), "it does not run")
            process.send_signal(signal.SIGSTOP)
            wait_until(lambda: not environment(logger, "lo").get("irqbalance"), "it still runs")
        finally:
            process.kill()


FEATURES = {
    "rx-checksumming": "rx_checksum",
    "generic-segmentation-offload": "tx_generic_segmentation",
    "generic-receive-offload": "rx_gro",
    "large-receive-offload": "rx_lro",
    "rx-vlan-offload": "rx_vlan_hw_parse",
    "tx-vlan-offload": "tx_vlan_hw_insert",
    "ntuple-filters": "rx_ntuple_filter",
    "receive-hashing": "rx_hashing",
}
"""What ethtool shows in words of its own, as the kernel calls it."""
FAMILIES = {"tx-checksumming", "scatter-gather", "tcp-segmentation-offload"}


def test_offloads_are_what_ethtool_shows(logger, namespaces):
    """Scatter-gather is off although a kind of it that veth fixes stays on."""
    inside = ["ip", "netns", "exec", namespaces[0]]
    words = ["sg", "off", "gro", "on", "rxvlan", "off"]
    subprocess.run([*inside, "ethtool", "-K", "probe0", *words], check=True, capture_output=True)
    found = environment(logger, "probe0", *inside)["offloads"]
    shown = subprocess.run(
        [*inside, "ethtool", "-k", "probe0"], check=True, capture_output=True, text=True
    ).stdout
    lines = re.findall(r"^\s*([\w-]+): (on|off)(.*)", shown, re.MULTILINE)
    features = {name: state for name, state, _ in lines}
    own = {
        FEATURES.get(name, name.replace("-", "_")): state
        for name, state, rest in lines
        if "[fixed]" not in rest and name not in FAMILIES
    }
    assert {"rx_gro_list", "tx_tcp6_segmentation"} <= own.keys()
    assert {name: "on" if on else "off" for name, on in found.items()} == own | {
        "rx_checksum": features["rx-checksumming"],
        "tx_checksum": features["tx-checksumming"],
        "scatter_gather": features["tx-scatter-gather"],
        "tso": features["tcp-segmentation-offload"],
        "gso": features["generic-segmentation-offload"],
        "gro": features["generic-receive-offload"],
        "gro_hw": features["rx-gro-hw"],
        "lro": features["large-receive-offload"],
        "rxhash": features["receive-hashing"],
        "rxvlan": features["rx-vlan-offload"],
        "txvlan": features["tx-vlan-offload"],
        "ntuple": features["ntuple-filters"],
    }
    assert (found["scatter_gather"], found["gro"], found["rxvlan"]) == (False, True, False)


def test_the_command_line_of_the_kernel_may_name_the_host(logger):
    assert "kernel_command_line" not in environment(logger, "lo", options=["--redact", "host"])


def test_steering_by_software_is_listed_by_queue(logger, namespaces):
    set_mask = "echo 1 > /sys/class/net/probe0/queues/rx-0/rps_cpus"
    inside = ["ip", "netns", "exec", namespaces[0]]
    subprocess.run([*inside, "sh", "-c", set_mask], check=True)
    command = ["sh", "-c", f'{set_mask}; exec "$@"', "sh"]
    found = environment(logger, "probe0", *inside, *command)
    assert int(found["rps_cpus"]["0"], 16) == 1
    assert found["rfs"]["flow_count"]["0"] == 0
    assert "numa_node" not in found


# Attaches programs that pass everything, and becomes the command.
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
os.set_inheritable(link, True)
os.execvp(sys.argv[2], sys.argv[2:])
"""


def test_programs_on_the_way_of_the_packets_are_listed(logger, namespaces):
    inside = ["ip", "netns", "exec", namespaces[0]]
    bare = environment(logger, "probe0", *inside)
    assert not {"xdp", "tc_programs"} & bare.keys()
    found = environment(logger, "probe0", *inside, sys.executable, "-c", ATTACH, "probe0")
    assert found["xdp"]["mode"] == "generic"
    assert found["xdp"]["program_id"] > 0
    assert [(p["direction"], p["kind"]) for p in found["tc_programs"]] == [("ingress", "tcx")]


def test_filters_are_listed_with_their_direction(logger, namespaces):
    inside = ["ip", "netns", "exec", namespaces[0]]
    every = ["protocol", "ip", "u32", "match", "u32", "0", "0"]
    for words in (["qdisc", "add"], ["filter", "add"]):
        rest = ["clsact"] if words[0] == "qdisc" else ["egress", *every]
        subprocess.run([*inside, "tc", *words, "dev", "probe0", *rest], check=True)
    found = environment(logger, "probe0", *inside)["tc_programs"]
    assert {(p["direction"], p["kind"]) for p in found} == {("egress", "u32")}


def test_napi_instances_have_their_own_settings(logger, namespaces):
    inside = ["ip", "netns", "exec", namespaces[0]]
    subprocess.run([*inside, "ethtool", "-K", "probe0", "gro", "on"], check=True)
    setting = "echo 7 > /sys/class/net/probe0/napi_defer_hard_irqs"
    subprocess.run([*inside, "sh", "-c", setting], check=True)
    found = environment(logger, "probe0", *inside).get("napi")
    if tuple(map(int, os.uname().release.split(".")[:2])) < (6, 13):
        pytest.skip("this kernel does not say")
    assert [napi["defer_hard_irqs"] for napi in found] == [7] * len(found)
    assert all(napi["id"] > 0 for napi in found)
    assert "irq" not in found[0]  # not seen is absent
