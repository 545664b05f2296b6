# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: sets all that each interface has, puts it back, and is killed while at it.

Writes what it saw to /out/seen.json. Arguments: how often it is killed, then the interfaces' MAC
addresses.
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from coalescope_host.settings import Guard, SettingError, open_host, open_saved, restore_all
from other_levels import candidates, further, settable

FILES = Path("/var/lib/coalescope-host")
LONGEST_S = 120.0
LATE = 0.8
"""How often a process is killed when it has begun to set, and not before."""


def interface_of(mac: str) -> str:
    paths = Path("/sys/class/net").glob("*/address")
    return next(path.parent.name for path in paths if path.read_text().strip() == mac)


def saved(host: Any) -> Any:
    return json.loads(json.dumps(host.save()))


def differences(before: Any, after: Any) -> list[str]:
    found = [
        f"{group}.{name}: {level} became {after['settings'][group].get(name)}"
        for group, levels in before["settings"].items()
        for name, level in levels.items()
        if after["settings"][group].get(name) != level
    ]
    return found + [key for key in ("link", "uppers") if before[key] != after[key]]


def try_setting(host: Any, name: str, now: Any) -> str:
    """Another level: "set", or what was said."""
    said = "there is no other level"
    for level in candidates(name, now):
        try:
            took = host.apply({name: level})
        except SettingError as error:
            said = str(error)
            continue
        if took == {name: level}:
            return "set"
        said = f"{level} was taken as {took[name]}"
    return said


def attempt(host: Any, levels: dict[str, Any]) -> str:
    """Levels that go together: "set", or what was said."""
    try:
        took = host.apply(levels)
    except SettingError as error:
        return str(error)
    return "set" if took == levels else f"taken as {took}"


def shown_by_ethtool(interface: str) -> dict[str, str]:
    """A second opinion on what the interface has: all that ethtool says is not n/a."""
    found = {}
    for option in ("-c", "-g", "-l"):
        done = subprocess.run(
            ["ethtool", option, interface], capture_output=True, text=True, check=False
        )
        current = done.stdout.partition("Current hardware settings")[2] or done.stdout
        lines = (line.partition(":") for line in current.splitlines())
        found |= {f"{option} {k.strip()}": v.strip() for k, _, v in lines if v.strip()}
    return found


def killed(interface: str, before: Any, draw: random.Random, names: dict[str, Any]) -> str:
    """Have a process that sets at random be killed; what is not as before when all is over."""
    armed, say_armed = os.pipe()
    child = os.fork()
    if child == 0:
        host, guard = open_host(interface), Guard(interface)
        guard.arm(host.save())
        os.write(say_armed, b".")
        while True:
            name = draw.choice(list(names))
            try:
                host.apply({name: draw.choice(candidates(name, names[name]) or [names[name]])})
            except SettingError:
                continue
    os.close(say_armed)
    late = draw.random() < LATE
    if late:
        os.read(armed, 1)
    time.sleep(draw.uniform(0, 3))
    os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(armed)
    return put_back(interface, before, alone=late)


def put_back(interface: str, before: Any, *, alone: bool) -> str:
    """Wait until all is as before; where the sweep died before anybody watched, restore by hand."""
    file = FILES / f"{interface}.json"
    started = time.monotonic()
    while file.exists() and time.monotonic() < started + LONGEST_S:
        time.sleep(0.2)
        if not alone and time.monotonic() > started + 15:
            with contextlib.suppress(SettingError):  # somebody watched after all, and is at it
                restore_all()
    left = differences(before, saved(open_host(interface)))
    log = file.with_suffix(".log")
    if file.exists():
        left.append(f"{file} is left: {log.read_text() if log.exists() else 'nobody watched'}")
    progress(f"killed, alone {alone}: {left}")
    return "; ".join(left) or "as before"


def one(interface: str, kills: int) -> dict[str, Any]:
    subprocess.run(["ip", "link", "set", interface, "up"], check=True)
    host = open_host(interface)
    host.device.wait_for_carrier(20)
    before = saved(host)
    now = settable(host)
    progress(f"{interface}: {len(now)} settings")
    outcome = {}
    for name, level in now.items():
        outcome[name] = try_setting(host, name, level)
        progress(f"{name}: {outcome[name]}")
    for levels in further(host):
        outcome[str(levels)] = attempt(host, levels)
        progress(f"{levels}: {outcome[str(levels)]}")
    changed = differences(before, saved(host))
    try:
        open_saved(before).restore(before)
        said = ""
    except SettingError as error:
        said = str(error)
    left = [*differences(before, saved(host)), *filter(None, [said])]
    progress(f"left: {left}")
    draw = random.Random(interface)
    return {
        "driver": host.facts()["driver"],
        "ethtool": shown_by_ethtool(interface),
        "outcome": outcome,
        "changed": len(changed),
        "left": left,
        "killed": [killed(interface, before, draw, now) for _ in range(kills)],
    }


def progress(text: str) -> None:
    with Path("/out/progress").open("a") as file:
        file.write(f"{time.monotonic():8.1f} {text}\n")


def main() -> None:
    kills, macs = int(sys.argv[1]), sys.argv[2:]
    seen: dict[str, Any] = {"kernel": os.uname().release}
    try:
        for mac in macs:
            result = one(interface_of(mac), kills)
            seen[result["driver"]] = result
    finally:
        Path("/out/seen.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    main()
