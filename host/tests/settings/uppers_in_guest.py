# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: what stands on a card that a killed sweep had made small.

Writes what it saw to /out/seen.json. Argument: the card's MAC address.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from coalescope_host.settings import Guard, open_host

FILES = Path("/var/lib/coalescope-host")
LONGEST_S = 120.0
SMALL = 1200
"""So small that the kernel takes IPv6 away."""
STACKS = {
    "vlan": ["link add link {card} name upper type vlan id 5"],
    "macvlan": ["link add link {card} name upper type macvlan mode bridge"],
    "bridge": ["link add name upper type bridge", "link set {card} master upper"],
    "bond": [
        "link add name upper type bond mode active-backup miimon 100",
        "link set {card} down",
        "link set {card} master upper",
        "link set {card} up",
    ],
}
USED = (
    "link set upper mtu 1500",
    "link set upper up",
    "address add 10.9.0.1/24 dev upper",
    "address add fd00:9::1/64 dev upper nodad",
    "route add 10.10.0.0/16 via 10.9.0.2 dev upper",
    "route add fd00:10::/64 via fd00:9::2 dev upper",
)


def ip(words: str) -> None:
    """One command of iproute2."""
    subprocess.run(["ip", *words.split()], check=True)


def shown(*words: str) -> list[dict[str, Any]]:
    """What iproute2 lists."""
    said = subprocess.run(["ip", "-j", *words], capture_output=True, text=True, check=True).stdout
    return list(json.loads(said or "[]"))


def everything(card: str) -> dict[str, Any]:
    """MTU, addresses and routes of both, without those that the kernel makes for the link."""
    found: dict[str, Any] = {}
    for name in (card, "upper"):
        (link,) = shown("address", "show", "dev", name)
        addresses = (a["local"] for a in link["addr_info"] if a["scope"] != "link")
        found[name] = [link["mtu"], link.get("master"), sorted(addresses)]
        routes = shown("route", "show", "dev", name) + shown("-6", "route", "show", "dev", name)
        found[f"{name} routes"] = sorted(
            f"{route['dst']} {route.get('gateway')}"
            for route in routes
            if not route["dst"].startswith("fe80")
        )
    return found


def killed(card: str) -> dict[str, Any]:
    """What was there when a sweep died with the card made small."""
    child = os.fork()
    if child == 0:
        host, guard = open_host(card), Guard(card)
        guard.arm(host.save())
        host.apply({"mtu_bytes": SMALL})
        Path("/tmp/small").write_text(json.dumps(everything(card)))
        os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    small: dict[str, Any] = json.loads(Path("/tmp/small").read_text())
    return small


def one(kind: str, card: str) -> dict[str, Any]:
    """Before, small, and after."""
    for words in (*STACKS[kind], *USED):
        ip(words.format(card=card))
    before = everything(card)
    small = killed(card)
    end = time.monotonic() + LONGEST_S
    while list(FILES.glob("*.json")) and time.monotonic() < end:
        time.sleep(0.2)
    after = everything(card)
    said = [path.read_text() for path in FILES.glob("*.log")]
    ip("link del upper")
    return {"before": before, "small": small, "after": after, "said": said}


def main() -> None:
    """Each kind in turn."""
    paths = Path("/sys/class/net").glob("*/address")
    card = next(path.parent.name for path in paths if path.read_text().strip() == sys.argv[1])
    ip(f"link set {card} up")
    seen: dict[str, Any] = {"card": card}
    try:
        for kind in STACKS:
            seen[kind] = one(kind, card)
    finally:
        Path("/out/seen.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    main()
