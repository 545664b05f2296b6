# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: plans set all that the kernel can set of each interface, and are killed.

What there is to set, what was set and whether it was put back says `kernel_says`. Writes what it
saw to /out/seen.json. Arguments: how often each sweep is killed, the seed of when, and the
interfaces' MAC addresses; netdevsim makes one more.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from coalescope_host.plan.registry import BY_NAME, SETTINGS
from coalescope_host.settings.napi import THREADED
from kernel_says import Interface, RefusedError, Value, holds, others
from simulated_interface import simulated

PACKAGE, MUTANT = "/opt/host", "/opt/mutant"
FILES = Path("/var/lib/coalescope-host")
DURING = Path("/tmp/during.json")
LONGEST_S = 180.0
TWO_MTUS = (1400, 1300)
FORGOTTEN = "COALESCE"
"""The group that the mutant does not put back."""
NOT_IN_FORCE = "taken, and not in force"
GROUPS = {
    "COALESCE": "coalescing",
    "RINGS": "rings",
    "CHANNELS": "channels",
    "PAUSE": "pause",
    "NAPI": "napi",
}
LATE = 0.8
"""How often a sweep is killed when it may have begun to set, and not before."""
WATCHDOG = b"coalescope_host.settings.watchdog"


def factor_of(setting: str) -> str | None:
    """What a plan calls it; None if it has no name for it."""
    group, _, attribute = setting.partition("_")
    if group == "FEATURES":
        return f"offload.{attribute}"
    rows = (row for row in SETTINGS if row.group == GROUPS[group] and row.attribute == attribute)
    return next((row.name for row in rows), None)


def level_of(factor: str, value: Any) -> Any:
    """The kernel's number as a plan has it."""
    if factor == "napi_threaded":
        return THREADED[value]
    row = BY_NAME.get(factor)
    if row is not None and row.rule.choices:
        return row.rule.choices[value]
    return bool(value) if row is None or row.is_switch else value


def what_can_be_set(
    kernel: Interface, before: Mapping[str, Value]
) -> tuple[dict[str, Value], dict[str, str]]:
    """Another value that the kernel takes, of each setting; and why it takes none of the rest."""
    asked: dict[str, Value] = {}
    refused: dict[str, str] = {}
    for setting, now in before.items():
        said = "there is nothing else to try"
        for value in others(setting, now):
            try:
                kernel.set(setting, value)
            except RefusedError as error:
                said = str(error)
                continue
            if holds(kernel.read().get(setting), value):
                asked[setting] = value
                break
            said = NOT_IN_FORCE
        if setting not in asked:
            refused[setting] = said
        put_back(kernel, before)
    asked |= in_company(kernel, before, asked, refused)
    return asked, {setting: said for setting, said in refused.items() if setting not in asked}


def in_company(
    kernel: Interface,
    before: Mapping[str, Value],
    asked: Mapping[str, Value],
    refused: Mapping[str, str],
) -> dict[str, Value]:
    """What is in force only beside others of its group: pause frames without negotiation."""
    found: dict[str, Value] = {}
    for setting, said in refused.items():
        group = setting.partition("_")[0]
        beside = [(s, value) for s, value in asked.items() if s.partition("_")[0] == group]
        for value in others(setting, before[setting]) if said == NOT_IN_FORCE else ():
            for other, level in (*beside, (setting, value)):
                with suppress(RefusedError):
                    kernel.set(other, level)
            if holds(kernel.read().get(setting), value):
                found[setting] = value
            put_back(kernel, before)
    return found


def put_back(kernel: Interface, before: Mapping[str, Value]) -> None:
    """By this test's own means; twice, as one setting may hold another."""
    for _ in range(2):
        now = kernel.read()
        for setting in (setting for setting in before if now.get(setting) != before[setting]):
            with suppress(RefusedError):
                kernel.set(setting, before[setting])


def that_go_together(
    kernel: Interface, before: Mapping[str, Value], asked: Mapping[str, Value]
) -> Iterator[dict[str, Value]]:
    """Some features need others, and of fewer queues there are fewer NAPIs: cells, few and full."""
    rest = dict(asked)
    while rest:
        for setting, value in rest.items():
            with suppress(RefusedError):
                kernel.set(setting, value)
        now = kernel.read()
        put_back(kernel, before)
        took = {setting: value for setting, value in rest.items() if holds(now.get(setting), value)}
        if not took:
            raise AssertionError(f"{list(rest)}: each alone, and none together")
        yield took
        rest = {setting: value for setting, value in rest.items() if setting not in took}


def write_plan(interface: str, values: Mapping[str, Value], mtus: tuple[int, ...]) -> Path:
    """These values at each MTU."""
    keys = {"replicates": 1, "settle_s": 0.1, "pilot_s": 0, "idle_s": 0, "retries": 1}
    levels = {factor_of(setting): value for setting, value in values.items()}
    lines = [
        'experiment = "every-setting"',
        f'interface = "{interface}"',
        'seed = 1\nduration_s = 0.5\nsource = "proc"',
        *(f"{name} = {json.dumps(value)}" for name, value in keys.items()),
        "[factors]",
        f"mtu_bytes = {list(mtus)}",
        *(f'"{name}" = [{json.dumps(level_of(str(name), v))}]' for name, v in levels.items()),
        '[workloads.kernel]\nkind = "command"\nuser = "root"',
        f'command = ["python3", "/opt/kernel_says.py", "{{interface}}", "{DURING}", "2"]',
    ]
    path = Path(f"/tmp/{interface}.toml")
    path.write_text("\n".join(lines))
    return path


def mtus_of(cell: Mapping[str, Value], cells: list[dict[str, Value]]) -> tuple[int, ...]:
    """Both for the first cell, which is the largest."""
    return TWO_MTUS if cell is cells[0] else TWO_MTUS[:1]


def start(plan: Path, package: str = PACKAGE) -> "subprocess.Popen[bytes]":
    """A sweep of its own, as from a shell."""
    out = f"/tmp/sweep-{time.monotonic_ns()}"
    return subprocess.Popen(
        [sys.executable, "-m", "coalescope_host", "sweep", str(plan), "--out", out],
        env={**os.environ, "PYTHONPATH": package},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What is not as before."""
    return [
        f"{name}: {before.get(name)} became {after.get(name)}"
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    ]


def by_plans(
    interface: str, before: Mapping[str, Value], cells: list[dict[str, Value]]
) -> Iterator[dict[str, Any]]:
    """Sweep each cell: what the kernel said while it was recorded, and what was left.

    As sweeps are killed, which shows for how long they may set.
    """
    for cell in cells:
        DURING.unlink(missing_ok=True)
        begun = time.monotonic()
        sweep = start(write_plan(interface, cell, mtus_of(cell, cells)))
        wait_until_it_may_set(interface, sweep)
        may_set = time.monotonic()
        _, said = sweep.communicate(timeout=2 * LONGEST_S)
        during = json.loads(DURING.read_text()) if DURING.exists() else {}
        progress(f"{interface}: {len(cell)} settings by a plan: {sweep.returncode}")
        yield {
            "status": sweep.returncode,
            "said": said.decode(),
            "took_s": time.monotonic() - begun,
            "may_set_for_s": time.monotonic() - may_set,
            "missed": {s: during.get(s) for s, v in cell.items() if not holds(during.get(s), v)},
            "left": differences(before, Interface(interface).read()),
        }


def watchdogs() -> list[int]:
    """The processes that watch a sweep."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if WATCHDOG in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def killed(
    interface: str, before: Mapping[str, Value], plan: Path, draw: random.Random, within_s: float
) -> dict[str, Any]:
    """What a sweep that was killed had changed, and what was left of that."""
    seen = kill_at_random(start(plan), interface, draw, within_s)
    seen["changed"] = len(differences(before, Interface(interface).read()))
    seen["by"] = wait_until_nobody_restores(interface)
    left = differences(before, Interface(interface).read())
    seen["left"] = left + [f"{path} is left" for path in FILES.glob("*.json")]
    progress(f"{interface}: killed: {seen}")
    return seen


def kill_at_random(
    process: "subprocess.Popen[bytes]", interface: str, draw: random.Random, within_s: float
) -> dict[str, Any]:
    """kill -9, the watchdog too every other time; when that was."""
    both, late = draw.random() < 0.5, draw.random() < LATE
    if late:
        wait_until_it_may_set(interface, process)
    at_s = draw.uniform(0, within_s)
    time.sleep(at_s)
    if both:
        for watchdog in watchdogs():
            os.kill(watchdog, signal.SIGKILL)
    process.kill()
    process.communicate()
    return {"both": both, "late": late, "at_s": at_s}


def wait_until_it_may_set(interface: str, sweep: "subprocess.Popen[bytes]") -> None:
    """Until the way back is on disk, which it is before the first change."""
    end = time.monotonic() + LONGEST_S
    while not (FILES / f"{interface}.json").exists() and time.monotonic() < end:
        if sweep.poll() is not None:
            return
        time.sleep(0.05)


def wait_until_nobody_restores(interface: str) -> str:
    """Have all put back by whoever watches, else by hand; who it was, if anybody."""
    by, end = "nobody", time.monotonic() + LONGEST_S
    while watchdogs() and time.monotonic() < end:
        by = "watchdog"
        time.sleep(0.1)
    if not (FILES / f"{interface}.json").exists():
        return by
    subprocess.run(
        [sys.executable, "-m", "coalescope_host", "restore"],
        env={**os.environ, "PYTHONPATH": PACKAGE},
        capture_output=True,
        check=False,
    )
    return "hand"


def forgetful(interface: str, before: Mapping[str, Value], plan: Path) -> list[str]:
    """What is left where a sweep is killed whose package forgets a group."""
    sweep = start(plan, MUTANT)
    kernel, end = Interface(interface), time.monotonic() + LONGEST_S
    forgotten = [setting for setting in before if setting.startswith(FORGOTTEN)]
    while all(kernel.read()[name] == before[name] for name in forgotten):
        assert sweep.poll() is None, sweep.communicate()[1].decode()
        assert time.monotonic() < end, "the mutant set nothing"
        time.sleep(0.1)
    sweep.kill()
    sweep.communicate()
    wait_until_nobody_restores(interface)
    left = differences(before, kernel.read())
    put_back(kernel, before)
    progress(f"{interface}: the mutant left {left}")
    return left


def one(interface: str, kills: int, seed: int) -> dict[str, Any]:
    """All of it on one interface."""
    subprocess.run(["ip", "link", "set", interface, "up"], check=True)
    time.sleep(3)  # until it has its carrier
    kernel = Interface(interface)
    before = kernel.read()
    asked, refused = what_can_be_set(kernel, before)
    progress(f"{interface}: {len(asked)} can be set")
    nameless = [setting for setting in asked if factor_of(setting) is None]
    wanted = {setting: value for setting, value in asked.items() if setting not in nameless}
    cells = list(that_go_together(kernel, before, wanted))
    left_by_hand = differences(before, kernel.read())
    plans = list(by_plans(interface, before, cells))
    result = {
        "before": before,
        "asked": asked,
        "refused": refused,
        "nameless": nameless,
        "cells": [len(cell) for cell in cells],
        "left_by_hand": left_by_hand,
        "plans": plans,
    }
    draw = random.Random(f"{seed}/{interface}")
    if any(setting.startswith(FORGOTTEN) for setting in cells[0]):
        plan = write_plan(interface, cells[0], mtus_of(cells[0], cells))
        result["forgetful"] = forgetful(interface, before, plan)
    result["killed"] = []
    for kill in range(kills):  # each cell in turn
        cell, by_plan = (of[kill % len(cells)] for of in (cells, plans))
        plan = write_plan(interface, cell, mtus_of(cell, cells))
        result["killed"] += [killed(interface, before, plan, draw, by_plan["may_set_for_s"])]
    return result


def interface_of(mac: str) -> str:
    """The name of the card with this address."""
    paths = Path("/sys/class/net").glob("*/address")
    return next(path.parent.name for path in paths if path.read_text().strip() == mac)


def driver_of(interface: str) -> str:
    """As sysfs says it."""
    return Path(f"/sys/class/net/{interface}/device/driver").resolve().name


def progress(text: str) -> None:
    """How far it is, should it hang."""
    with Path("/out/progress").open("a") as file:
        file.write(f"{time.monotonic():8.1f} {text}\n")


def main() -> None:
    """Write what is seen after each interface, and so what was seen before a fault, too."""
    kills, seed, macs = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    interfaces = [interface_of(mac) for mac in macs]
    interfaces += filter(None, [simulated()])
    seen: dict[str, Any] = {"kernel": os.uname().release, "seed": seed}
    for interface in interfaces:
        seen[driver_of(interface)] = one(interface, kills, seed)
        Path("/out/seen.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    main()
