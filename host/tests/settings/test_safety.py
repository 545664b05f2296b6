# SPDX-License-Identifier: Apache-2.0
"""Interfaces that are not to be touched."""

import os
import subprocess
import sys
from typing import Any

import pytest
from coalescope_host.settings import refusals

pytestmark = pytest.mark.network


@pytest.fixture(autouse=True)
def no_ssh_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "UNKNOWN 65535 UNKNOWN 65535")


def test_an_interface_that_nobody_needs(namespace: Any) -> None:
    assert refusals("veth0", namespace.name) == []


def test_loopback(namespace: Any) -> None:
    assert "loopback" in refusals("lo", namespace.name)[0]


@pytest.mark.parametrize(
    "route",
    [
        "route add default via 10.214.0.2",
        "-6 route add default via fd00:214::2",
        "route add default via 10.214.0.2 table 99",
        "route add 0.0.0.0/1 via 10.214.0.2",
        "route add default nexthop via 10.214.0.2 nexthop via 10.214.0.3",
    ],
)
def test_the_default_route_of_any_table_and_family(namespace: Any, route: str) -> None:
    namespace.run("ip", *route.split())
    assert refusals("veth0", namespace.name) == [
        f"the default route goes through veth0 (namespace {namespace.name})"
    ]
    assert refusals("tap0", namespace.name) == []
    assert refusals("veth1", namespace.name) == [], "the other end of a pair is not on top of it"


def test_an_interface_that_a_bridge_stands_on(namespace: Any) -> None:
    namespace.run("ip", "link", "add", "bridge0", "type", "bridge")
    namespace.run("ip", "link", "set", "tap0", "master", "bridge0")
    namespace.run("ip", "link", "set", "bridge0", "up")
    namespace.run("ip", "address", "add", "10.217.0.1/24", "dev", "bridge0")
    namespace.run("ip", "route", "add", "default", "via", "10.217.0.2")
    assert refusals("tap0", namespace.name) == [
        f"the default route goes through bridge0, which stands on tap0 (namespace {namespace.name})"
    ]


def test_an_interface_that_another_stands_on(namespace: Any) -> None:
    namespace.run("ip", "link", "add", "link", "veth0", "name", "mac0", "type", "macvlan")
    namespace.run("ip", "link", "set", "mac0", "up")
    namespace.run("ip", "address", "add", "10.217.0.1/24", "dev", "mac0")
    namespace.run("ip", "route", "add", "default", "via", "10.217.0.2")
    assert "mac0, which stands on veth0" in refusals("veth0", namespace.name)[0]


def test_the_interface_of_the_ssh_session(namespace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for server in ("10.214.0.1", "::ffff:10.214.0.1", "fd00:214::1"):
        monkeypatch.setenv("SSH_CONNECTION", f"192.0.2.1 50000 {server} 22")
        assert "this ssh session came in on veth0" in refusals("veth0", namespace.name)[0]
    monkeypatch.setenv("SSH_CONNECTION", "10.214.0.7 50000 192.0.2.3 22")
    assert "this ssh session goes out through veth0" in refusals("veth0", namespace.name)[0]
    assert refusals("tap0", namespace.name) == []


def test_an_ssh_session_that_sudo_hides(namespace: Any) -> None:
    """sudo clears the environment; that of an ancestor still has it."""
    program = (
        "import subprocess, sys, os\n"
        "code = 'from coalescope_host.settings import refusals;'\n"
        f'code += \'print(refusals("veth0", "{namespace.name}"))\'\n'
        "clean = {k: v for k, v in os.environ.items() if k != 'SSH_CONNECTION'}\n"
        "subprocess.run([sys.executable, '-c', code], env=clean, check=True)\n"
    )
    environment = {**os.environ, "SSH_CONNECTION": "192.0.2.1 50000 10.214.0.1 22"}
    said = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "this ssh session came in on veth0" in said
