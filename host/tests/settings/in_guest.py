# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: sets e1000e and igb, and writes what it saw to /out/seen.json."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from coalescope_host.plan.plan import DriverParameter, DriverSpec
from coalescope_host.settings import Guard, SettingError, open_host

SPEC = DriverSpec(
    "e1000e",
    fixed={"RxIntDelay": 1200, "InterruptThrottleRate": 0},
    parameters={"delay_ticks": DriverParameter("RxAbsIntDelay", 12.5)},
)


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def at(slot: int) -> str:
    (place,) = Path(f"/sys/bus/pci/devices/0000:00:{slot:02x}.0/net").iterdir()
    return place.name


def surroundings(interface: str) -> list[str]:
    """Addresses, routes, neighbours and MTU, without what changes by itself."""
    text = run("ip", "address", "show", interface) + run("ip", "route", "show", "dev", interface)
    text += run("ip", "neighbour", "show", "nud", "permanent", "dev", interface)
    lines = [line.partition(": ")[2] or line for line in text.splitlines()]
    return [line.strip() for line in lines if "fe80" not in line and "valid_lft" not in line]


def refusal(host: Any, levels: dict[str, Any]) -> str:
    try:
        host.apply(levels)
    except SettingError as error:
        return str(error)
    return "it was taken"


def kernel_since(mark: str) -> list[str]:
    lines = run("dmesg").splitlines()
    last = max(index for index, line in enumerate(lines) if mark in line)
    return [line for line in lines[last:] if "e1000e" in line]


def mark(text: str) -> str:
    Path("/dev/kmsg").write_text(f"{text}\n")
    return text


def plain_settings(seen: dict[str, Any], interface: str, igb: str) -> None:
    host = open_host(interface)
    before = host.save()
    read_back = host.apply({"delay_us": 100})
    refused = refusal(host, {"delay_us": 7})
    host.restore(before)
    after = host.save()
    seen["coalescing"] = {
        "read_back": read_back,
        "refused": refused,
        "restored": after["settings"] == before["settings"],
    }
    read_back = host.apply({"ring_rx": 501})
    seen["rings"] = {
        "read_back": read_back,
        "remarks": host.remarks({"ring_rx": 501}, read_back),
        "problems": host.problems({"ring_rx": 9999}),
    }
    host.restore(before)
    other = open_host(igb)
    state = other.save()
    changes = other.changes({"pause_rx": False})
    seen["pause"] = {"changes": changes, "read_back": other.apply({"pause_rx": False})}
    other.restore(state)


def set_up(interface: str) -> None:
    for words in (
        f"link set {interface} up",
        f"address add 10.1.0.1/24 dev {interface}",
        f"address add fd01::1/64 dev {interface} nodad",
        f"route add 10.2.0.0/16 via 10.1.0.2 dev {interface}",
        f"neighbour replace 10.1.0.2 lladdr 02:00:00:00:00:02 dev {interface}",
    ):
        run("ip", *words.split())


def reload(seen: dict[str, Any], interface: str) -> None:
    host = open_host(interface, SPEC)
    assert host.device.wait_for_carrier(20)
    original = surroundings(interface)
    levels = {"mtu_bytes": 3000, "delay_ticks": 10}
    assert host.problems(levels) == [], host.problems(levels)
    state = host.save()
    host.apply({"mtu_bytes": 3000})
    before = surroundings(interface)
    since = mark("first reload")
    read_back = host.apply(levels)
    seen["reload"] = {
        "read_back": read_back,
        "kernel": kernel_since(since),
        "surroundings_original": original,
        "surroundings_before": before,
        "surroundings_after": surroundings(interface),
        "second_apply_commands": host.changes(levels),
    }
    seen["unknown"] = refusal(
        open_host(interface, DriverSpec("e1000e", fixed={"Nonsense": 1})), {"driver.RxIntDelay": 1}
    )
    host.restore(state)
    refused = open_host(interface, SPEC)
    state = refused.save()
    seen["invalid"] = refusal(refused, {"driver.RxAbsIntDelay": 999999})
    since = mark("restored after a refusal")
    refused.restore(state)
    seen["restored_after_refusal"] = kernel_since(since)
    since = mark("restored again")
    refused.restore(state)
    seen["restored_again"] = kernel_since(since)


def in_namespace(seen: dict[str, Any], interface: str) -> None:
    """The whole program in a namespace; the driver's interface comes back in the first one."""
    run("ip", "link", "set", interface, "netns", "under")
    inside = ("ip", "netns", "exec", "under")
    said = run(*inside, sys.executable, __file__, "inside", interface)
    seen["namespace"] = json.loads(said.splitlines()[-1])
    run("ip", "-n", "under", "link", "set", interface, "netns", "1")


def inside(interface: str) -> None:
    run("ip", "link", "set", interface, "name", "lab9")
    set_up("lab9")
    host = open_host("lab9", SPEC)
    assert host.device.wait_for_carrier(20)
    before = surroundings("lab9")
    state = host.save()
    host.apply({"delay_ticks": 10})
    after = surroundings("lab9")
    host.restore(state)
    run("ip", "link", "set", "lab9", "down")
    run("ip", "link", "set", "lab9", "name", interface)
    sys.stdout.write(json.dumps({"before": before, "after": after}) + "\n")


def killed(seen: dict[str, Any], interface: str) -> None:
    since = mark("killed sweep")
    child = os.fork()
    if child == 0:
        host, guard = open_host(interface, SPEC), Guard(interface)
        guard.arm(host.save())
        host.apply({"delay_ticks": 10, "mtu_bytes": 4000})
        os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    files = Path("/var/lib/coalescope-host")
    end = time.monotonic() + 120
    while list(files.glob("*.json")) and time.monotonic() < end:
        time.sleep(0.2)
    lines = kernel_since(since)
    loaded = [index for index, line in enumerate(lines) if "Network Driver" in line]
    seen["killed"] = {
        "surroundings": surroundings(interface),
        "first_load": lines[: loaded[-1]],
        "last_load": lines[loaded[-1] :],
        "files": [path.name for path in files.glob("*.json")],
        "log": [path.read_text() for path in files.glob("*.log")],
    }


def main() -> None:
    names = SimpleNamespace(e1000e=at(4), igb=at(5))
    seen: dict[str, Any] = {"igb": names.igb}
    try:
        plain_settings(seen, names.e1000e, names.igb)
        set_up(names.e1000e)
        reload(seen, names.e1000e)
        killed(seen, names.e1000e)
        in_namespace(seen, names.e1000e)
    finally:
        Path("/out/seen.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(sys.argv[2])
    else:
        main()
