# SPDX-License-Identifier: Apache-2.0
"""A peer in a namespace of its own, with a real sshd."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.remote import Peer, connect
from ssh_peer import SshPeer
from timeouts import TIMEOUT_S


@dataclass(frozen=True)
class Lab:
    """The two hosts, and how the peer is reached from the test."""

    hosts: Any
    spec: PeerSpec

    def there(self, *command: str) -> str:
        return str(self.hosts.inside(self.hosts.there, *command))

    def here(self, *command: str) -> str:
        return str(self.hosts.inside(self.hosts.here, *command))

    def mtu_bytes(self) -> int:
        return int(self.there("cat", "/sys/class/net/lab0/mtu"))

    def state_files(self) -> list[str]:
        """What the peer has saved and not put back."""
        return sorted(path.name for path in self.state.glob("*.json"))

    @property
    def state(self) -> Path:
        return Path(self.hosts.folder) / "state" / "coalescope-host"

    def changed_spec(self, **members: Any) -> PeerSpec:
        return replace(self.spec, **members)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with SshPeer() as hosts:
        spec = PeerSpec(
            ssh=hosts.destination,
            address=hosts.there_address,
            interface="lab0",
            ssh_options=hosts.ssh_options_from_outside,
            python=sys.executable,
        )
        yield Lab(hosts, spec)


@pytest.fixture
def peer(lab: Lab) -> Iterator[Peer]:
    connected = connect(lab.spec)
    yield connected
    connected.close()
    assert lab.mtu_bytes() == 1500
    assert lab.state_files() == []


@pytest.fixture
def soon() -> Callable[..., bool]:
    import time

    def wait(condition: Callable[[], bool], seconds: float = TIMEOUT_S) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    return wait
