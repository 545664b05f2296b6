# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: tunings of a card over its peer, killed at random instants.

The peer is a network namespace with the cable's other card. Writes to /out/seen.json what was left
at either end. Arguments: how often it is killed, the seed of when, and both interfaces.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kernel_says import Interface
from plans_in_guest import (
    FILES,
    LONGEST_S,
    PACKAGE,
    differences,
    kill_at_random,
    progress,
    wait_until_it_may_set,
    wait_until_nobody_restores,
    watchdogs,
)

OUT = Path("/tmp/tuned")
TUNE = (sys.executable, "-m", "coalescope_host", "tune")
CANDIDATES = ("--rx-usecs", "0,50,100,200", "--gro", "on,off")


def start(card: str) -> "subprocess.Popen[bytes]":
    """A tuning, as from a shell; its standard error is a pipe."""
    shutil.rmtree(OUT, ignore_errors=True)
    asked = ("--goal", "throughput", "--workload", "rr", "--peer", "root@peer", "--out", str(OUT))
    return subprocess.Popen(
        [*TUNE, card, *asked, *CANDIDATES, "--duration", "0.3"],
        env={**os.environ, "PYTHONPATH": PACKAGE},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def state(card: str, peer: str) -> dict[str, Any]:
    """What the kernel says of both ends: settings, addresses, routes, neighbours by hand."""

    def said(*words: str) -> list[str]:
        lines = subprocess.run(["ip", *words], capture_output=True, text=True, check=True).stdout
        return [line.strip() for line in lines.splitlines() if "valid_lft" not in line]

    found: dict[str, Any] = dict(Interface(card).read())
    for end, interface, inside in (("own", card, ()), ("peer", peer, ("-n", "peer"))):
        found[f"{end} link"] = [
            line.partition(" state ")[0] for line in said(*inside, "address", "show", interface)
        ]
        found[f"{end} routes"] = said(*inside, "route", "show", "dev", interface)
    return found


def settled(card: str) -> str:
    """Have all put back by whoever watches, else by hand, at both ends; who it was."""
    by = wait_until_nobody_restores(card)
    end = time.monotonic() + LONGEST_S
    while list(FILES.glob("*.json")) and time.monotonic() < end:  # the peer's, which sees it later
        time.sleep(0.2)
    return by


def left_by(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What is not as before; with what is left on disk of the way back."""
    return differences(before, after) + [f"{path} is left" for path in FILES.glob("*.json")]


def killed(
    card: str, peer: str, draw: random.Random, within_s: float, before: dict[str, Any]
) -> dict[str, Any]:
    """What one that was killed had changed, and what was left of that."""
    tuning = start(card)
    seen = kill_at_random(tuning, card, draw, within_s)
    runs = len(list(OUT.glob("logs/*.runlog")))
    changed = len(differences(before, state(card, peer)))
    by = settled(card)
    seen |= {"runs": runs, "changed": changed, "by": by}
    seen["left"] = left_by(before, state(card, peer))
    progress(f"killed: {seen}")
    return seen


def nobody_puts_back(card: str, peer: str, before: dict[str, Any]) -> list[str]:
    """The control: what the kernel says while it is changed and nobody has put it back yet."""
    tuning = start(card)
    wait_until(lambda: bool(differences(before, state(card, peer))), "it set nothing", tuning)
    tuning.send_signal(signal.SIGSTOP)
    for watchdog in watchdogs():
        os.kill(watchdog, signal.SIGSTOP)
    left = left_by(before, state(card, peer))
    for watchdog in watchdogs():
        os.kill(watchdog, signal.SIGCONT)
    tuning.kill()
    tuning.communicate()
    settled(card)
    return left


def wait_until(
    holds: Callable[[], bool], otherwise: str, process: "subprocess.Popen[bytes]"
) -> None:
    """Wait while the process runs."""
    end = time.monotonic() + LONGEST_S
    while not holds():
        if process.poll() is not None:
            raise AssertionError(process.communicate()[1].decode())
        if time.monotonic() > end:
            raise AssertionError(otherwise)
        time.sleep(0.05)


def main() -> None:
    """See one to its end, then kill others."""
    kills, seed, card, peer = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
    before = state(card, peer)
    seen: dict[str, Any] = {"kernel": os.uname().release, "seed": seed}
    whole = start(card)
    wait_until_it_may_set(card, whole)
    begun = time.monotonic()
    _, said = whole.communicate(timeout=5 * LONGEST_S)
    within_s = time.monotonic() - begun
    progress(f"whole: {within_s:.1f} s, {whole.returncode}\n{said.decode()}")
    seen["whole"] = {
        "status": whole.returncode,
        "said": said.decode(),
        "took_s": within_s,
        "runs": len(list(OUT.glob("logs/*.runlog"))),
        "left": left_by(before, state(card, peer)),
    }
    seen["nobody_puts_back"] = nobody_puts_back(card, peer, before)
    draw = random.Random(seed)
    seen["killed"] = [killed(card, peer, draw, within_s, before) for _ in range(kills)]
    Path("/out/seen.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    main()
