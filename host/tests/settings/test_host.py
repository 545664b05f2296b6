# SPDX-License-Identifier: Apache-2.0
"""Settings are read, written, read back and put back, on real devices."""

import json
import random
import subprocess
import sys
from typing import Any

import pytest
from coalescope_host.settings import SettingError, open_host, open_saved

pytestmark = pytest.mark.network

LEVELS = {
    "mtu_bytes": 9000,
    "offload.gro": True,
    "offload.tso": False,
    "offload.tx-udp-segmentation": False,
    "gro_flush_timeout_ns": 20_000,
    "napi_defer_hard_irqs": 2,
    "queues_rx": 2,
    "workload": "udp",
    "factor.day": "Monday",
}


def test_levels_are_set_and_read_back(namespace: Any) -> None:
    host = namespace.host()
    assert host.problems(LEVELS) == []
    read_back = host.apply(LEVELS)
    settings = {k: v for k, v in LEVELS.items() if k not in ("workload", "factor.day")}
    assert dict(read_back) == settings
    assert list(read_back) == list(settings), "in the order of the levels"
    assert host.remarks(LEVELS, read_back) == []
    assert namespace.mtu_bytes() == 9000
    features = namespace.run("ethtool", "-k", "veth0")
    assert "generic-receive-offload: on" in features
    assert "tcp-segmentation-offload: off" in features
    assert "tx-udp-segmentation: off" in features
    assert namespace.run("cat", "/sys/class/net/veth0/gro_flush_timeout").strip() == "20000"
    assert "RX:\t\t2" in namespace.run("ethtool", "-l", "veth0").split("Current")[1]


def test_changes_are_the_commands_that_do_the_same(namespace: Any) -> None:
    host = namespace.host()
    commands = host.changes(LEVELS)
    before = namespace.everything()
    assert len(commands) == 5
    assert namespace.everything() == before, "to say is not to do"
    for command in commands:
        subprocess.run(command, shell=True, check=True)
    assert host.changes(LEVELS) == []


def test_only_what_differs_is_changed(namespace: Any) -> None:
    host = namespace.host()
    assert host.changes({"mtu_bytes": 1500}) == []
    host.apply({"mtu_bytes": 3000})
    assert host.changes({"mtu_bytes": 3000, "offload.gro": True}) == [
        f"ip netns exec {namespace.name} ethtool -K veth0 gro on"
    ]


def rx_frames(namespace: Any) -> int:
    lines = namespace.run("ethtool", "-c", "tap0").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("rx-frames:")))


def test_coalescing_of_a_device_that_has_it(namespace: Any) -> None:
    host = namespace.host("tap0")
    state = host.save()
    assert host.apply({"rx_frames": 16}) == {"rx_frames": 16}
    assert rx_frames(namespace) == 16
    host.restore(state)
    assert rx_frames(namespace) == 0


def test_a_value_that_the_device_rounds_is_told(namespace: Any) -> None:
    host = namespace.host("tap0")
    read_back = host.apply({"rx_frames": 100})  # the tap driver takes at most 64
    assert read_back == {"rx_frames": 64}
    assert host.remarks({"rx_frames": 100}, read_back) == [
        f"tap0 (namespace {namespace.name}): rx_frames = 100 was asked for, the device took 64"
    ]


@pytest.mark.parametrize(
    ("levels", "complaint"),
    [
        ({"mtu_bytes": 70_000}, "mtu_bytes = 70000: the device allows 68 to 65535 bytes"),
        ({"delay_us": 50}, "delay_us = 50: its driver has no rx-usecs (`ethtool -c`)"),
        ({"ring_rx": 512}, "ring_rx = 512: its driver has no rx (`ethtool -g`)"),
        ({"pause_rx": True}, "pause_rx = true: its driver has no rx (`ethtool -a`)"),
        ({"queues_rx": 99}, "queues_rx = 99: the device allows at most "),
        ({"offload.lro": True}, "offload.lro = true: its driver fixes rx-lro at false"),
        ({"offload.warp": True}, "offload.warp = true: this kernel has no such offload"),
        ({"offload.gro": 3}, "offload.gro = 3: must be true or false"),
        ({"rx_frames": 1.5}, "rx_frames = 1.5: must be a whole number"),
        ({"napi_weight": 16}, "napi_weight = 16: the weight is built into the driver"),
        ({"delay_ticks": 10}, "delay_ticks = 10: ticks are a register of the driver"),
        ({"driver.X": 10}, "driver.X = 10: the plan has no [driver]"),
    ],
)
def test_what_cannot_be_is_known_before(
    namespace: Any, levels: dict[str, Any], complaint: str
) -> None:
    before = namespace.everything()
    problems = namespace.host().problems(levels)
    assert len(problems) == 1
    assert problems[0].startswith(f"veth0 (namespace {namespace.name}): {complaint}")
    assert namespace.everything() == before


@pytest.mark.parametrize(
    ("interface", "levels", "words"),
    [
        ("veth0", {"mtu_bytes": 70_000}, "mtu_bytes = 70000 refused: mtu greater than"),
        ("veth0", {"queues_rx": 99}, "queues_rx = 99 refused: requested channel count exceeds"),
        ("tap0", {"delay_us": 3}, "delay_us = 3 refused: cannot modify an unsupported parameter"),
        ("veth0", {"delay_us": 3}, "delay_us = 3 refused: not supported by this driver"),
        ("tap0", {"napi_threaded": True}, "napi_threaded = true refused: "),
    ],
)
def test_a_refusal_carries_the_kernels_words(
    namespace: Any, interface: str, levels: dict[str, Any], words: str
) -> None:
    with pytest.raises(SettingError) as refused:
        namespace.host(interface).apply(levels)
    assert str(refused.value).startswith(f"{interface} (namespace {namespace.name}): {words}")


def test_no_such_interface(namespace: Any) -> None:
    problems = open_host("eth77", None, namespace.name).problems({"mtu_bytes": 1500})
    assert problems[0].startswith(f"there is no interface eth77 in namespace {namespace.name}; ")
    assert "veth0" in problems[0]
    with pytest.raises(SettingError, match="there is no such interface"):
        open_host("eth77", None, namespace.name).apply({"mtu_bytes": 1500})


def test_everything_is_put_back(namespace: Any) -> None:
    host = namespace.host()
    before = namespace.everything()
    state = json.loads(json.dumps(host.save()))
    host.apply({**LEVELS, "mtu_bytes": 1000})  # below 1280 the kernel drops all of IPv6
    namespace.run("ip", "link", "set", "veth0", "down")  # and now the routes too
    namespace.run("ip", "neighbour", "flush", "nud", "permanent", "dev", "veth0")
    assert "fd00:214::1" not in namespace.everything()
    assert "10.215.0.0" not in namespace.everything()
    host.restore(state)
    assert namespace.everything() == before
    host.restore(state)
    assert namespace.everything() == before, "twice does no harm"


def test_another_process_can_put_it_back(namespace: Any) -> None:
    before = namespace.everything()
    state = json.loads(json.dumps(namespace.host().save()))
    namespace.host().apply(LEVELS)
    open_saved(state).restore(state)
    assert namespace.everything() == before


@pytest.mark.parametrize("seed", range(4))
def test_any_way_there_leads_back(namespace: Any, seed: int) -> None:
    draw = random.Random(seed)
    host = namespace.host()
    before = host.save()
    offloads = [name for name in before["settings"]["offloads"] if "highdma" not in name]
    for _ in range(4):
        levels: dict[str, Any] = {"mtu_bytes": draw.randint(68, 65_535)}
        levels |= {name: draw.random() < 0.5 for name in draw.sample(offloads, 5)}
        levels["gro_flush_timeout_ns"] = draw.randint(0, 10**6)
        host.apply(levels)
    host.restore(before)
    assert host.save() == before


def test_restore_goes_on_after_what_fails(namespace: Any) -> None:
    host = namespace.host()
    state = json.loads(json.dumps(host.save()))
    host.apply({"mtu_bytes": 9000, "gro_flush_timeout_ns": 5})
    state["settings"]["channels"]["queues_rx"] = 99
    with pytest.raises(SettingError) as failed:
        host.restore(state)
    assert "queues_rx = 99 could not be put back" in str(failed.value)
    by_hand = f"By hand: ip netns exec {namespace.name} ethtool -L veth0 rx 99"
    assert by_hand in str(failed.value)
    assert namespace.mtu_bytes() == 1500
    assert namespace.run("cat", "/sys/class/net/veth0/gro_flush_timeout").strip() == "0"


def test_restore_without_its_interface_says_so(namespace: Any) -> None:
    host = namespace.host()
    state = host.save()
    namespace.run("ip", "link", "del", "veth0")
    with pytest.raises(SettingError, match="the interface is gone"):
        host.restore(state)


def test_a_sys_of_another_namespace_is_refused(namespace: Any) -> None:
    """`nsenter --net` leaves /sys as it was: its veth0 could be another one."""
    program = (
        "from coalescope_host.settings import open_host\n"
        "try: open_host('veth0').apply({'gro_flush_timeout_ns': 7})\n"
        "except Exception as error: print(error)\n"
    )
    entered = ["nsenter", f"--net=/run/netns/{namespace.name}", sys.executable, "-c", program]
    said = subprocess.run(entered, capture_output=True, text=True, check=True).stdout
    assert "/sys belongs to another network namespace" in said
    assert namespace.run("cat", "/sys/class/net/veth0/gro_flush_timeout").strip() == "0"


def test_facts(namespace: Any) -> None:
    facts = namespace.host().facts()
    assert facts["driver"] == "veth"
    assert facts["kernel_version"]
