# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces with a veth pair between them: the smallest network with two hosts."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Self

SENDER_ADDRESS = "10.213.0.1"
RECEIVER_ADDRESS = "10.213.0.2"
INTERFACE = "lab0"
NEEDED = ("ip", "ethtool", "iperf3", "ss")


class LabError(Exception):
    """The lab cannot be set up or used; the text says why."""


def check_tools() -> None:
    """Raise LabError if this machine lacks what the lab needs."""
    if os.geteuid() != 0:
        raise LabError("network namespaces need root")
    missing = [tool for tool in NEEDED if shutil.which(tool) is None]
    if missing:
        raise LabError(f"not installed: {', '.join(missing)} (Debian: iproute2 ethtool iperf3)")


def run(command: Sequence[str], *, seconds: float = 20) -> str:
    """Run a command to its end and return what it printed; LabError if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"{' '.join(command)}: {error}") from error
    if done.returncode:
        raise LabError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class VethPair:
    """Sender and receiver, each in its own namespace, each with an interface `lab0`.

    Segmentation and receive offloads are off at both ends, so that the counters count frames as
    they would be on a wire. Leaving the block removes everything.
    """

    def __init__(self) -> None:
        self.sender = f"coalescope-{os.getpid()}-sender"
        self.receiver = f"coalescope-{os.getpid()}-receiver"

    def __enter__(self) -> Self:
        check_tools()
        try:
            self._build()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    def inside(self, namespace: str, command: Sequence[str]) -> list[str]:
        """The command line that runs a command in one of the two namespaces."""
        return ["ip", "netns", "exec", namespace, *command]

    def set_mtu(self, mtu: int) -> None:
        """Set the MTU of both ends, and make sure that both took it."""
        for namespace in (self.sender, self.receiver):
            run(["ip", "-n", namespace, "link", "set", INTERFACE, "mtu", str(mtu)])
            shown = run(["ip", "-n", namespace, "-o", "link", "show", INTERFACE])
            if f" mtu {mtu} " not in shown:
                raise LabError(f"{namespace} did not take MTU {mtu}: {shown.strip()}")

    def _build(self) -> None:
        for namespace in (self.sender, self.receiver):
            run(["ip", "netns", "add", namespace])
            for scope in ("all", "default"):  # no neighbour discovery between the samples
                setting = f"net.ipv6.conf.{scope}.disable_ipv6=1"
                run(self.inside(namespace, ["sysctl", "-q", "-w", setting]))
        run(
            [
                *("ip", "link", "add", INTERFACE, "netns", self.sender, "type", "veth"),
                *("peer", "name", INTERFACE, "netns", self.receiver),
            ]
        )
        for namespace, address in (
            (self.sender, SENDER_ADDRESS),
            (self.receiver, RECEIVER_ADDRESS),
        ):
            run(["ip", "-n", namespace, "address", "add", f"{address}/24", "dev", INTERFACE])
            run(["ip", "-n", namespace, "link", "set", "lo", "up"])
            run(["ip", "-n", namespace, "link", "set", INTERFACE, "up"])
            offloads = ["tso", "off", "gso", "off", "gro", "off"]
            run(self.inside(namespace, ["ethtool", "-K", INTERFACE, *offloads]))

    def _remove(self) -> None:
        for namespace in (self.sender, self.receiver):
            pids = subprocess.run(
                ["ip", "netns", "pids", namespace], capture_output=True, text=True, check=False
            ).stdout.split()
            for pid in pids:
                subprocess.run(["kill", "-9", pid], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)
