# SPDX-License-Identifier: Apache-2.0
"""What stands on an interface is put back with it, or the sweep is refused beforehand."""

import gc
import json
import subprocess
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.settings import open_saved, refusals, topology
from coalescope_host.settings.topology import attached_programs, stacked, uppers

pytestmark = pytest.mark.network


@pytest.fixture(autouse=True)
def no_ssh_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "UNKNOWN 65535 UNKNOWN 65535")


def stack(namespace: Any) -> None:
    """macvlan and its own macvlan on veth0; veth2 as a part of bridge0."""
    for words in (
        "link add link veth0 name mac0 type macvlan mode bridge",
        "link add name bridge0 type bridge",
        "link set mac0 master bridge0",
        "link set veth0 mtu 9000",
        "link set mac0 mtu 9000",
        "link set mac0 up",
        "link set bridge0 up",
        "address add 10.217.0.1/24 dev bridge0",
        "address add fd00:217::1/64 dev bridge0 nodad",
        "route add fd00:218::/64 via fd00:217::2 dev bridge0",
    ):
        namespace.run("ip", *words.split())


@pytest.mark.fault("I2")
def test_uppers_get_their_mtu_and_addresses_back(namespace: Any) -> None:
    stack(namespace)
    before = [namespace.everything(name) for name in ("veth0", "mac0", "bridge0")]
    assert namespace.mtu_bytes("bridge0") == 9000
    host = namespace.host()
    state = json.loads(json.dumps(host.save()))
    host.apply({"mtu_bytes": 1000})
    assert [namespace.mtu_bytes(name) for name in ("mac0", "bridge0")] == [1000, 1000]
    assert "fd00:217::1" not in namespace.everything("bridge0")
    open_saved(state).restore(state)
    assert [namespace.everything(name) for name in ("veth0", "mac0", "bridge0")] == before


def test_the_lower_ones_come_first(namespace: Any) -> None:
    stack(namespace)
    host = namespace.host()
    assert [upper.name for upper in uppers(host.device)] == ["mac0", "bridge0"]
    assert stacked(host.device) == ["mac0"], "a reload would leave the bridge"


def test_a_state_of_an_older_version_is_restored(namespace: Any) -> None:
    host = namespace.host()
    state = json.loads(json.dumps(host.save()))
    del state["uppers"]
    state["settings"] = {"mtu": {"mtu_bytes": 1500}}
    host.apply({"mtu_bytes": 3000})
    host.restore(state)
    assert namespace.mtu_bytes() == 1500


def test_an_upper_that_is_gone_is_told(namespace: Any) -> None:
    stack(namespace)
    host = namespace.host()
    state = host.save()
    host.apply({"mtu_bytes": 1500})
    namespace.run("ip", "link", "del", "mac0")
    with pytest.raises(Exception, match=r"mac0 .*no such interface.*with MTU 9000"):
        host.restore(state)
    assert namespace.mtu_bytes() == 9000


@pytest.mark.fault("I2")
def test_an_upper_in_another_namespace_is_refused(namespace: Any) -> None:
    """A container's macvlan shrinks too, and the restore cannot see it."""
    assert refusals("veth0", namespace.name) == []
    other = f"{namespace.name}-container"
    subprocess.run(["ip", "netns", "add", other], check=True)
    try:
        namespace.run("ip", "link", "add", "link", "veth0", "name", "mac1", "type", "macvlan")
        namespace.run("ip", "link", "set", "mac1", "netns", other)
        (refusal,) = refusals("veth0", namespace.name)
        assert refusal.startswith(f"mac1 of namespace /run/netns/{other} stands on veth0")
        assert refusals("tap0", namespace.name) == []
    finally:
        subprocess.run(["ip", "netns", "del", other], check=True)


def test_an_upper_of_another_namespaces_interface_is_not_refused(namespace: Any) -> None:
    """Its lower one has the same number there."""
    index = str(namespace.host().device.index())
    lower, upper = f"{namespace.name}-lower", f"{namespace.name}-upper"
    for name in (lower, upper):
        subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        for words in (
            ("add", "veth8", "index", index, "type", "veth", "peer", "veth9"),
            ("add", "link", "veth8", "name", "mac1", "type", "macvlan"),
            ("set", "mac1", "netns", upper),
        ):
            subprocess.run(["ip", "-n", lower, "link", *words], check=True)
        assert refusals("veth0", namespace.name) == []
    finally:
        for name in (lower, upper):
            subprocess.run(["ip", "netns", "del", name], check=True)


def test_a_namespace_that_ends_meanwhile_leaves_nothing_open(
    namespace: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last process ends between the moment it is found and the moment it is entered."""

    def ended(_own: int) -> Iterator[str]:
        with subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            path = f"/proc/{process.pid}/ns/net"
        yield path

    monkeypatch.setattr(topology, "_namespaces", ended)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert refusals("veth0", namespace.name) == []
        gc.collect()
    assert [str(warning.message) for warning in said] == []


def test_programs_and_queueing_that_a_reload_would_lose(namespace: Any) -> None:
    device = namespace.host().device
    assert attached_programs(device) == [], "what the kernel chose itself it chooses again"
    namespace.run("tc", "qdisc", "add", "dev", "veth0", "clsact")
    namespace.run("tc", "qdisc", "replace", "dev", "veth0", "root", "pfifo", "limit", "7")
    assert set(attached_programs(device)) == {
        "a queueing discipline (pfifo)",
        "a queueing discipline (clsact)",
    }


@pytest.mark.fault("B17")
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-o", "HostName=10.215.3.4"),
        ("-J", "me@10.214.0.2"),
        ("-J", "me@10.214.0.2:2222,me@10.215.3.4"),
    ],
)
def test_the_way_to_a_peers_ssh_is_protected(namespace: Any, options: tuple[str, ...]) -> None:
    host = "10.214.0.2" if not options else "lab-peer"
    peer = PeerSpec(f"root@{host}", "10.214.0.2", ssh_options=options)
    assert refusals("veth0", namespace.name, [peer]) == [
        f"ssh to root@{host} goes through veth0 (namespace {namespace.name}): "
        "reach it over another link"
    ]
    assert refusals("tap0", namespace.name, [peer]) == []
