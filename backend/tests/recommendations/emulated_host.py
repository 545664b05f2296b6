# SPDX-License-Identifier: Apache-2.0
"""A host whose driver takes what the table of drivers says, with ethtool, ip and modprobe for it.

Its state is a JSON file. The programs refuse with the kernel's words and status 1, as the real ones
do, and they know what the commands under test must not rely on: an ethtool request that switches
adaptive-rx off may lose its other values, and a refused one changes nothing.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coalescope_host.drivers import Driver, driver_named

PROGRAMS = ("ethtool", "ip", "modprobe")
PARAMETERS = ("rx-usecs", "rx-frames", "tx-usecs", "tx-frames")
PARTS = (".usec", ".pkts", ".comps")


@dataclass
class EmulatedHost:
    """The host; `folder` holds its programs, state and /run."""

    folder: Path

    @classmethod
    def of(cls, folder: Path, driver: str, /, **changed: Any) -> "EmulatedHost":
        """An interface eth0 of that driver, as the driver leaves it when it is loaded."""
        known = driver_named(driver)
        state: dict[str, Any] = {
            "driver": driver, "mtu": 1500, "maxmtu": 9216, "adaptive": None, "loaded": 1,
            "module": "", "profile": None, **dict.fromkeys(PARAMETERS, None),
        }  # fmt: skip
        if known is not None:
            for word in PARAMETERS:
                if known.supports(word):
                    state[word] = 0
            state["rx-usecs"] = known.value("usecs_default", max(1, known.shortest))
            if known.supports("rx-frames"):
                state["rx-frames"] = known.value("frames_default", 0)
            if known.supports("adaptive-rx"):
                state["adaptive"] = bool(known.value("adaptive_default", True))
        host = cls(folder)
        (folder / "run").mkdir(parents=True)
        for program in PROGRAMS:
            path = folder / program
            path.write_text(
                f'#!/bin/sh\nexec {sys.executable} {Path(__file__)} {folder} {program} "$@"\n'
            )
            path.chmod(0o755)
        host.write({**state, **changed})
        return host

    def write(self, state: dict[str, Any]) -> None:
        """Set the state."""
        (self.folder / "state").write_text(json.dumps(state))

    @property
    def state(self) -> dict[str, Any]:
        """All that is set."""
        found: dict[str, Any] = json.loads((self.folder / "state").read_text())
        return found

    def run(self, lines: list[str]) -> subprocess.CompletedProcess[str]:
        """Give commands to a shell of this host."""
        script = "\n".join(lines).replace("/run/", f"{self.folder}/run/")
        return subprocess.run(
            ["sh"],
            input=script,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": f"{self.folder}:{os.environ['PATH']}"},
        )


class RefusedError(Exception):
    """The program's words."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def ethtool(state: dict[str, Any], words: list[str]) -> None:
    """ethtool -i, -c and -C."""
    option, device, *rest = words
    if device != "eth0":
        raise RefusedError("netlink error: No such device")
    if option == "-i":
        say(f"driver: {state['driver']}\nversion: 6.12")
    elif option == "-c":
        show = {None: "n/a", True: "on", False: "off"}
        say(f"Coalesce parameters for eth0:\nAdaptive RX: {show[state['adaptive']]}  TX: n/a")
        for word in PARAMETERS:
            say(f"{word}:\t{'n/a' if state[word] is None else state[word]}")
        show_profile(state["profile"])
    elif option == "-C" and rest[0] == "rx-profile":
        state["profile"] = with_profile(state["profile"], rest[1])
    elif option == "-C":
        coalesce(state, dict(zip(rest[::2], rest[1::2], strict=True)))


def show_profile(profile: str | None) -> None:
    """As in the kernel's documentation, networking/net_dim.rst."""
    if profile is None:
        say("rx-profile:   n/a")
    else:
        say("rx-profile:")
        lines = [dict(zip(PARTS, line.split(","), strict=True)) for line in profile.split("_")]
        for number, line in enumerate(lines, 1):
            shown = ", ".join(f"{p} = {v if v != 'n' else 'n/a':>3}" for p, v in line.items())
            say(f"{{{shown},}}{'' if number == len(lines) else ','}")
    say("tx-profile:   n/a")


def with_profile(profile: str | None, asked: str) -> str:
    """What rx-profile makes of it: n leaves a number as it is, and must not be a number's place."""
    if profile is None:
        raise RefusedError("netlink error: Operation not supported")
    old, new = ([line.split(",") for line in text.split("_")] for text in (profile, asked))
    pairs = [list(zip(a, b, strict=True)) for a, b in zip(old, new, strict=True)]
    if any(was == "n" != wanted for line in pairs for was, wanted in line):
        raise RefusedError("netlink error: Operation not supported")
    return "_".join(",".join(a if b == "n" else b for a, b in line) for line in pairs)


def coalesce(state: dict[str, Any], asked: dict[str, str]) -> None:
    """Do what the driver's set_coalesce does."""
    driver = driver_named(state["driver"])
    assert driver is not None
    for word in asked:
        if not driver.supports(word):
            raise RefusedError("netlink error: Operation not supported")
    wanted = {word: int(asked.get(word, state[word] or 0)) for word in PARAMETERS}
    adaptive = {"on": True, "off": False}.get(asked.get("adaptive-rx", ""), state["adaptive"])
    if adaptive and wanted["rx-usecs"] != (state["rx-usecs"] or 0):
        raise RefusedError("netlink error: Invalid argument")
    if {"rx-usecs", "rx-frames"} & set(asked):
        check(driver, wanted)
    if driver.value("adaptive_alone") and state["adaptive"] and not adaptive:
        wanted = {word: state[word] or 0 for word in PARAMETERS}
    state["adaptive"] = adaptive
    for word in PARAMETERS:
        if driver.supports(word):
            state[word] = driver.reads_back(wanted[word]) if word == "rx-usecs" else wanted[word]


def check(driver: Driver, wanted: dict[str, int]) -> None:
    """Refuse what the facts of the table refuse, one by one."""
    usecs, frames = wanted["rx-usecs"], wanted["rx-frames"]
    most, modes = driver.value("usecs_most"), driver.value("usecs_modes", {})
    wrong = (
        most is not None and usecs > most,
        0 < usecs < driver.shortest and str(usecs) not in modes,
        usecs == 0 and not driver.value("usecs_zero", True),
        frames > driver.value("frames_most", frames),
        usecs > 0
        and any(wanted[word] != value for word, value in driver.value("with", {}).items()),
        driver.name == "atlantic" and frames != (usecs == 0),
    )
    if any(wrong):
        raise RefusedError("netlink error: Invalid argument")


def ip(state: dict[str, Any], words: list[str]) -> None:
    """ip [-d] link show and set."""
    if not state["loaded"]:
        raise RefusedError('Device "eth0" does not exist.')
    if "mtu" in words:
        mtu = int(words[words.index("mtu") + 1])
        if mtu > state["maxmtu"]:
            raise RefusedError("Error: mtu greater than device maximum.")
        state["mtu"] = mtu
    elif "show" in words:
        say(f"2: eth0: <UP> mtu {state['mtu']} qdisc mq state UP mode DEFAULT group default")
        say(f"    link/ether 52:54:00:12:34:56 minmtu 68 maxmtu {state['maxmtu']}")


def modprobe(state: dict[str, Any], words: list[str]) -> None:
    """modprobe, and -r: a driver that is loaded anew forgets all."""
    if words[0] == "-r":
        state |= {"loaded": 0, "mtu": 1500, "module": ""}
    else:
        state |= {"loaded": 1, "module": " ".join(words[1:])}


def main(folder: str, program: str, *words: str) -> int:
    """One of the programs."""
    host = EmulatedHost(Path(folder))
    state = host.state
    try:
        {"ethtool": ethtool, "ip": ip, "modprobe": modprobe}[program](state, list(words))
    except RefusedError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    host.write(state)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
