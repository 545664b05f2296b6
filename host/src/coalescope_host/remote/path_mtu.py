# SPDX-License-Identifier: Apache-2.0
"""Whether packets of a size reach the other end whole: `ping` with fragments forbidden, both ways.

A switch that drops large frames says nothing: small packets pass, large ones vanish.
"""

from __future__ import annotations

import ipaddress
import re
import shutil
import subprocess
from typing import Protocol

from ..plan.plan import PeerSpec
from ..program_environment import program_environment
from ..settings.carrier import nothing_passes
from ..settings.device import Device
from ..settings.errors import SettingError

HEADERS_BYTES = {4: 28, 6: 48}
"""IP and ICMP headers."""
SMALLEST_MTU = {4: 68, 6: 1280}
SMALL_BYTES = 56
COMMAND_S = 15.0


class Pinger(Protocol):
    """A peer that can ping back."""

    spec: PeerSpec

    def probe(self, address: str, mtu_bytes: int) -> str | None:
        """`probe` at the peer."""


def verify_mtu(peer: Pinger, mtu_bytes: int, interface: Device) -> list[str]:
    """Whether packets of so many bytes reach the peer whole and come back; what is wrong if not.

    `interface`: that of ours which they are to pass; where nothing can, that is what is wrong.
    """
    faults = _faults(peer, mtu_bytes, interface.netns)
    if faults and (why := nothing_passes(interface)):
        return [why]
    return faults


def _faults(peer: Pinger, mtu_bytes: int, netns: str | None) -> list[str]:
    address = peer.spec.address
    try:
        ours = own_address(address, netns)
    except SettingError as error:
        return [f"{peer.spec.ssh}: {error}"]
    there = probe(address, mtu_bytes, netns)
    if there is not None:
        return [f"{peer.spec.ssh}: MTU {mtu_bytes} to {address}: {there}"]
    back = peer.probe(ours, mtu_bytes)
    return [] if back is None else [f"{peer.spec.ssh}: MTU {mtu_bytes} back to {ours}: {back}"]


def own_address(to: str, netns: str | None = None) -> str:
    """The address that packets to another leave with."""
    device = Device(to, netns)
    route = device.routing(lambda ip: list(ip.route("get", dst=to)), "no route")[0]
    return str(route.get_attr("RTA_PREFSRC"))


def probe(address: str, mtu_bytes: int, netns: str | None = None) -> str | None:
    """None if packets of `mtu_bytes` are answered by that address, else what is wrong."""
    if shutil.which("ping", path=program_environment().get("PATH")) is None:
        return "not tried: ping is not installed (Debian: iputils-ping)"
    version = ipaddress.ip_address(address).version
    payload = mtu_bytes - HEADERS_BYTES[version]
    answered, said = _ping(address, payload, netns)
    if answered:
        return None
    if "not known" in said or "nreachable" in said:
        return f"no way there: {_first_line(said)}"
    if told := re.search(r"mtu ?= ?(\d+)", said):
        return f"only {told[1]} bytes pass, says the network: set the MTU along the whole path"
    if not _ping(address, SMALL_BYTES, netns)[0]:
        reason = _first_line(said)
        return f"no answer even to small packets{': ' if reason else ''}{reason}"
    largest = _largest(address, SMALLEST_MTU[version], mtu_bytes, netns)
    return (
        f"a black hole: packets up to {largest} bytes arrive, larger ones vanish without a word; "
        "look at the MTU of the switches between, and of the other end"
    )


def _largest(address: str, passes: int, fails: int, netns: str | None) -> int:
    """The largest size that passes, to within 16 bytes."""
    version = ipaddress.ip_address(address).version
    while fails - passes > 16:
        middle = (passes + fails) // 2
        if _ping(address, middle - HEADERS_BYTES[version], netns, count=1)[0]:
            passes = middle
        else:
            fails = middle
    return passes


def _ping(address: str, payload: int, netns: str | None, count: int = 3) -> tuple[bool, str]:
    """Whether any came back, and what ping said against it."""
    inside = [] if netns is None else ["ip", "netns", "exec", netns]
    words = ["-n", "-M", "do", "-c", str(count), "-i", "0.2", "-W", "0.5", "-s", str(payload)]
    try:
        done = subprocess.run(  # noqa: S603
            [*inside, "ping", *words, address],
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
            check=False,
            env={**program_environment(), "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        return False, f"{error.filename} is not installed"
    except subprocess.TimeoutExpired:
        return False, ""
    return done.returncode == 0, done.stdout + done.stderr


def _first_line(said: str) -> str:
    """The line of ping's output that complains."""
    for line in said.splitlines():
        if re.search(r"(?i)ping:|from .* (dest|time|frag)|unreach|error|not installed", line):
            return line.strip()
    return ""
