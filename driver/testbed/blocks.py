# SPDX-License-Identifier: Apache-2.0
"""All replicates of the design, a few guests at a time; finished ones are kept."""

import hashlib
import re
import sys
import threading
import time
import tomllib
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from guest.emulator import debian_qemu
from guest.errors import GuestError
from guest.folders import BUILD
from guest.kernel import debian_kernel
from guest.machine import Guest

from testbed.block import plan_with_versions, run_block, sweeping_guest

_EVERY_S = 15.0
_PROGRESS = re.compile(r"(\d+)/(\d+)(?:, \d+ failed)?, [\d:]+ left")


def run_blocks(replicates: list[int], at_once: int = 2, build: Path = BUILD) -> list[Path]:
    """Run replicates that are not there yet; return the folders of all.

    Errors: GuestError with what went wrong in each block that failed, after the others.
    """
    guest = sweeping_guest(plan_with_versions())
    folder = build / "blocks" / digest(guest)
    folder.mkdir(parents=True, exist_ok=True)
    places = {replicate: folder / f"{replicate:02}" for replicate in replicates}
    consoles = {replicate: folder / f"{replicate:02}.console" for replicate in replicates}
    waiting = [replicate for replicate in replicates if not places[replicate].is_dir()]
    kept = len(replicates) - len(waiting)
    _say(f"{len(waiting)} blocks to run, {kept} kept from before, in {folder}")
    for replicate in waiting:
        consoles[replicate].unlink(missing_ok=True)
    if waiting:
        with ThreadPoolExecutor(at_once) as pool:
            running = {
                replicate: pool.submit(
                    run_block, guest, replicate, places[replicate], consoles[replicate]
                )
                for replicate in waiting
            }
            _watch(running, consoles)
    return list(places.values())


def all_replicates() -> list[int]:
    """Return the numbers of the plan's replicates."""
    return list(range(1, int(tomllib.loads(plan_with_versions())["replicates"]) + 1))


def digest(guest: Guest) -> str:
    """Of all that goes into the guest, and of what it runs on: blocks must not be mixed."""
    kernel, emulator = guest.kernel or debian_kernel(), guest.emulator or debian_qemu()
    sha256 = hashlib.sha256(f"{kernel.abi} {emulator.version()}\n".encode())
    sha256.update(" ".join([*guest.nics, guest.command_line]).encode())
    for name, content in sorted(guest.files.items()):
        data = content.read_bytes() if isinstance(content, Path) else content
        sha256.update(f"{name} {len(data)}\n".encode())
        sha256.update(data.encode() if isinstance(data, str) else data)
    return sha256.hexdigest()[:12]


def _watch(running: dict[int, Future[Path]], consoles: dict[int, Path]) -> None:
    started = time.monotonic()
    ended = threading.Event()
    for future in running.values():
        future.add_done_callback(lambda _: ended.set())
    failed: dict[int, str] = {}
    open_blocks = set(running)
    while open_blocks:
        ended.wait(_EVERY_S)
        ended.clear()
        for replicate in [number for number in open_blocks if running[number].done()]:
            open_blocks.remove(replicate)
            error = running[replicate].exception()
            if error is not None:
                failed[replicate] = str(error)
            _say(f"block {replicate} {'FAILED' if error else 'is done'}")
        done = [_runs_done(consoles[n], finished=n not in open_blocks) for n in running]
        _say(_progress(done, time.monotonic() - started))
    if failed:
        reasons = "\n\n".join(f"Block {number}: {text}" for number, text in failed.items())
        raise GuestError(f"{reasons}\n\nThe same command runs these again, and only these.")


def _runs_done(console: Path, *, finished: bool) -> tuple[int, int]:
    """How many runs of a block are done, and of how many; zeros while that is not known."""
    found = _PROGRESS.findall(console.read_text(errors="replace")) if console.exists() else []
    done, total = map(int, found[-1]) if found else (0, 0)
    return (total, total) if finished else (done, total)


def _progress(blocks: list[tuple[int, int]], took_s: float) -> str:
    most = max(total for _, total in blocks)
    done, all_runs = sum(done for done, _ in blocks), most * len(blocks)
    if not done:
        return f"{took_s / 60:.1f} min: booting"
    left_s = took_s / done * (all_runs - done)
    return f"{took_s / 60:.1f} min: {done} of {all_runs} runs, {left_s / 60:.0f} min left"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
