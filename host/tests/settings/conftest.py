# SPDX-License-Identifier: Apache-2.0
"""A namespace with devices whose settings are real: a veth pair, and a tap that coalesces."""

import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from coalescope_host.settings import Host, open_host

COUNT = itertools.count()


class Namespace:
    """A network namespace with `veth0`–`veth1` (up, with addresses) and `tap0`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, *command: str) -> str:
        inside = ["ip", "netns", "exec", self.name, *command]
        return subprocess.run(inside, capture_output=True, text=True, check=True).stdout

    def host(self, interface: str = "veth0") -> Host:
        return open_host(interface, None, self.name)

    def mtu_bytes(self, interface: str = "veth0") -> int:
        return int(self.run("cat", f"/sys/class/net/{interface}/mtu"))

    def everything(self, interface: str = "veth0") -> str:
        """What iproute2 and ethtool say of an interface: a second opinion."""
        shown = [
            ("ip", "link", "show", interface),
            ("ip", "address", "show", interface),
            ("ip", "route", "show", "dev", interface, "table", "all"),
            ("ip", "-6", "route", "show", "dev", interface, "table", "all"),
            ("ip", "neighbour", "show", "nud", "permanent", "dev", interface),
            ("ethtool", "-k", interface),
            ("grep", "-r", "", f"/sys/class/net/{interface}/gro_flush_timeout"),
            ("cat", f"/sys/class/net/{interface}/napi_defer_hard_irqs"),
            ("cat", f"/sys/class/net/{interface}/threaded"),
        ]
        text = "\n".join(self.run(*command) for command in shown)
        # the link-local address that the kernel makes takes a second or two to be settled
        lines = text.replace(" tentative", "").splitlines()
        return "\n".join(line for line in lines if "fe80:" not in line)


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    here = Namespace(f"coalescope-settings-{os.getpid()}-{next(COUNT)}")
    subprocess.run(["ip", "netns", "add", here.name], check=True)
    try:
        here.run("ip", "tuntap", "add", "tap0", "mode", "tap")
        here.run("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth1")
        for words in (
            "link set veth1 up",
            "link set veth0 up",
            "address add 10.214.0.1/24 broadcast 10.214.0.255 dev veth0",
            "address add fd00:214::1/64 dev veth0 nodad",
            "route add 10.215.0.0/16 via 10.214.0.2 metric 7",
            "route add 10.216.0.0/16 dev veth0 table 77",
            "route add fd00:215::/64 via fd00:214::2",
            "neighbour replace 10.214.0.9 lladdr 02:00:00:00:00:09 dev veth0",
        ):
            here.run("ip", *words.split())
        yield here
    finally:
        subprocess.run(["ip", "netns", "del", here.name], check=False)


@pytest.fixture
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where saved states go in this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "coalescope-host"
