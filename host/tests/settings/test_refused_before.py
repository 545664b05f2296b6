# SPDX-License-Identifier: Apache-2.0
"""What a plan may ask for and a device cannot take is told before anything is set."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from coalescope_host.plan.registry import SETTINGS, Setting
from coalescope_host.settings import SettingError, channels, open_saved, rss
from coalescope_host.settings.channels import CHANNELS
from coalescope_host.settings.coalescing import COALESCING
from coalescope_host.settings.device import Device
from coalescope_host.settings.ethtool_group import EthtoolGroup
from coalescope_host.settings.groups import OF_THE_MACHINE, group_of
from coalescope_host.settings.rss import RssGroup
from coalescope_host.settings.rss_table import Rss

pytestmark = pytest.mark.network

TEXTS = ("0", "0,8000", "none", "fastest", "_".join(5 * ["1,64,n"]))
NUMBERS = (3, 9000)
MOST = 1 << 32
MACVLAN = ("ip", "link", "add", "link", "veth0", "name", "above0", "up", "type", "macvlan")
#: What the same cell may bring about, as a plan would ask for it.
BROUGHT_ABOUT: dict[str, dict[str, Any]] = {
    "napi_threaded": {"napi_threaded": True},
    "queues": {"queues": 1},
}


def levels_of(row: Setting) -> Iterator[Any]:
    """Those that the plan takes: all of a few, the ends of a range, and between."""
    rule = row.rule
    ends = (int(rule.low), int(min(rule.high, MOST)))
    for level in (False, True, *rule.choices, *TEXTS, *sorted({*ends, *NUMBERS})):
        if rule.allows(level):
            yield level


def cells_of(row: Setting) -> Iterator[dict[str, Any]]:
    for level in levels_of(row):
        yield {row.name: level}
        if row.needs is not None:
            yield {**BROUGHT_ABOUT[row.needs], row.name: level}


@pytest.fixture(params=["veth", "veth with GRO", "tap", "macvlan"])
def host(request: pytest.FixtureRequest, namespace: Any) -> Any:
    """An interface of each kind that can be had without hardware."""
    if request.param == "tap":
        namespace.run("ip", "link", "set", "tap0", "up")
        return namespace.host("tap0")
    if request.param == "macvlan":
        namespace.run(*MACVLAN)
        return namespace.host("above0")
    if request.param == "veth with GRO":
        namespace.run("ethtool", "-K", "veth0", "gro", "on")
    return namespace.host()


def test_what_the_kernel_refuses_was_told_before(host: Any) -> None:
    """Of every setting of the registry, save those of the whole machine, which this one shares."""
    before = json.loads(json.dumps(host.save()))
    tried = 0
    late = []
    for row in SETTINGS:
        group = group_of(row.name)
        if group is None or group.name in OF_THE_MACHINE:
            continue
        for cell in cells_of(row):
            tried += 1
            if host.problems(cell):
                continue
            try:
                host.apply(cell)
            except SettingError as error:
                late.append(f"{cell}: {error}")
    open_saved(before).restore(before)
    assert not late, "\n".join(late)
    assert tried > 150


def test_looking_changes_nothing(host: Any) -> None:
    before = json.loads(json.dumps(host.save()))
    for row in SETTINGS:
        for cell in cells_of(row):
            host.problems(cell)
    assert json.loads(json.dumps(host.save())) == before


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ({"queues_rx": 0}, "queues_rx = 0: it would have no receive queue left"),
        ({"queues_tx": 0}, "queues_tx = 0: it would have no transmit queue left"),
        ({"napi_threaded": True}, "true: it has no NAPI that a thread could poll"),
        ({"napi_threaded": True, "offload.gro": True, "napi_cpus": "0,8000"}, "CPU 8000 is not"),
        ({"xps_cpus": "8000", "queues": 1}, "xps_cpus = 8000: CPU 8000 is not online"),
    ],
)
def test_it_says_what_is_wrong(namespace: Any, cell: dict[str, Any], words: str) -> None:
    problems = namespace.host().problems(cell)
    assert any(words in problem for problem in problems), problems


def test_what_the_cell_brings_about_is_not_missed(namespace: Any) -> None:
    """On veth, GRO brings NAPI about."""
    host = namespace.host()
    cell = {"offload.gro": True, "napi_threaded": True}
    assert host.problems(cell) == []
    assert host.apply(cell) == cell


READ_ONLY = """
for each in /sys /proc/sys; do mount --bind $each $each && mount -o remount,bind,ro $each; done
exec "$0" "$@"
"""
PROBLEMS = """
import json, sys
from coalescope_host.settings.host import open_host
print(json.dumps([open_host(sys.argv[1]).problems(json.loads(c)) for c in sys.argv[2:]]))
"""


def problems_where_read_only(interface: str, *cells: dict[str, Any]) -> list[str]:
    """The command that asks for them in a mount namespace of its own."""
    python = [sys.executable, "-c", PROBLEMS, interface, *map(json.dumps, cells)]
    return ["unshare", "--mount", "sh", "-c", READ_ONLY, *python]


def test_what_is_mounted_read_only_is_told_before(namespace: Any) -> None:
    """As in a container that may change interfaces, by netlink, and no file of the kernel."""
    files = ({"rps_cpus": "0"}, {"napi_defer_hard_irqs": 2}, {"gro_flush_timeout_ns": 20000})
    asked = problems_where_read_only("veth0", *files, {"mtu_bytes": 1400})
    *found, of_netlink = json.loads(namespace.run(*asked))
    assert len(found) == len(files)
    for problems in found:
        assert any("is mounted read-only here" in each for each in problems), problems
    assert of_netlink == []


def test_sysctls_that_are_mounted_read_only_are_told_before(namespace: Any) -> None:
    """Of this machine's own network namespace: others have none of these."""
    asked = problems_where_read_only("lo", {"busy_poll_us": 50})
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    (problems,) = json.loads(done.stdout)
    assert any("busy_poll is mounted read-only here" in each for each in problems), problems


def test_what_stands_on_another_has_no_larger_mtu(namespace: Any) -> None:
    namespace.run(*MACVLAN)
    host = namespace.host("above0")
    (problem,) = host.problems({"mtu_bytes": 9000})
    assert "mtu_bytes = 9000: it stands on veth0, whose MTU is 1500 bytes" in problem
    assert host.problems({"mtu_bytes": 1500}) == []


def test_a_load_is_shared_by_queues_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of now, or those of the same cell."""
    monkeypatch.setattr(rss, "read_rss", lambda _: Rss((0, 1) * 64, b"", 1, 0))
    monkeypatch.setattr(channels, "receive_rings", lambda _: 4)
    monkeypatch.setattr(type(CHANNELS), "read", lambda *_: {"queues": 4})
    monkeypatch.setattr(rss, "lost_with_queues", lambda *_: None)
    group, device = RssGroup(), Device("eth1")
    assert group.problem(device, "rss_queues", 4) is None
    assert group.problem(device, "rss_queues", 5) == "it receives with 4 queues"
    assert group.problem(device, "rss_queues", 2, {"queues": 1}) == "it receives with 1 queue"
    assert group.problem(device, "rss_queues", 8, {"queues": 8}) is None


@pytest.mark.parametrize(
    ("table", "cell", "last"),
    [
        ((0, 1, 2) * 4, {}, 2),
        ((0, 1, 2) * 4, {"rss_queues": 2}, None),  # which is set as well
        ((0, 1) * 6, {}, None),
        ((0, 1, 2, 3) * 3, {}, None),  # the driver's own
        ((0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3), {}, None),  # igb's own
        ((), {}, None),
    ],
)
def test_queues_that_the_table_leads_to_are_not_taken_away(
    monkeypatch: pytest.MonkeyPatch,
    table: tuple[int, ...],
    cell: dict[str, Any],
    last: int | None,
) -> None:
    monkeypatch.setattr(channels, "read_rss", lambda _: Rss(table, b"", 1, 0))
    monkeypatch.setattr(channels, "receive_rings", lambda _: 4)
    monkeypatch.setattr(type(CHANNELS), "read", lambda *_: {"queues": 4})
    monkeypatch.setattr(EthtoolGroup, "problem", lambda *_: None)
    said = CHANNELS.problem(Device("eth1"), "queues", 2, cell)
    if last is None:
        assert said is None
    else:
        assert said is not None
        assert f"leads to queue {last}: set rss_queues as well" in said
        assert "ethtool -X eth1 default" in said


def test_a_profile_has_numbers_where_the_driver_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    now = "_".join(5 * ["1,64,n"])
    monkeypatch.setattr(type(COALESCING), "_answer", lambda *_: object())
    monkeypatch.setattr(type(COALESCING), "_levels", lambda *_: {"dim_profile_rx": now})
    monkeypatch.setattr(type(COALESCING), "write", lambda *_: None)
    device, with_completions = Device("eth1"), "_".join(5 * ["8,64,2"])
    assert COALESCING.problem(device, "dim_profile_rx", now.replace("64", "32")) is None
    said = COALESCING.problem(device, "dim_profile_rx", with_completions)
    assert said == f"the device has n in other places: {now}"
