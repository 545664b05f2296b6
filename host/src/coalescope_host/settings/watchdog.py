# SPDX-License-Identifier: Apache-2.0
"""A process of its own that puts an interface back when the sweep that changed it dies or hangs.

Its standard input is a pipe from the sweep: a byte from time to time says that all is well, "d"
that everything was put back, its end that the sweep is gone. A sweep that hangs is killed first, so
that it cannot wake up and change what was restored.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from io import FileIO
from pathlib import Path

from coalescope_host.plain_files import plain
from coalescope_host.terminal import one_line

from .errors import SettingError
from .guard import DISARMED, READY
from .restore_file import locked, read, remove, restore_saved

LOCK_S = 60.0
ATTEMPTS = 3
BETWEEN_ATTEMPTS_S = 2.0


def main(path: Path, hang_s: float, parent: int) -> None:
    """Wait, and restore if need be. `hang_s` without a byte mean that the sweep hangs."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    saved_id = read(path).id
    say = _log(path.with_suffix(".log"))
    try:
        sweep = os.pidfd_open(parent)
        os.write(sys.stdout.fileno(), READY)
    except (ProcessLookupError, BrokenPipeError):  # it ended while this process began
        end = "gone"
    else:
        os.close(sys.stdout.fileno())
        end = _wait(hang_s)
    if end == "disarmed":
        return
    if end == "hangs":
        say(f"the sweep (process {parent}) said nothing for {hang_s:g} s: ended")
        _kill(sweep, parent)
    else:
        say(f"the sweep (process {parent}) is gone")
    _restore(path, saved_id, say)


def _wait(hang_s: float) -> str:
    """How the sweep's part ends: "disarmed", "gone" or "hangs"."""
    deadline = time.monotonic() + hang_s
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return "hangs"
        readable, _, _ = select.select([0], [], [], left)
        if not readable:
            continue
        said = os.read(0, 4096)
        if not said:
            return "gone"
        if DISARMED in said:
            return "disarmed"
        deadline = time.monotonic() + hang_s


def _kill(sweep: int, parent: int) -> None:
    """End the sweep and what it started: it may be stopped, so nothing gentler helps."""
    below = _descendants(parent)
    try:
        signal.pidfd_send_signal(sweep, signal.SIGKILL)
    except ProcessLookupError:
        return
    select.select([sweep], [], [], LOCK_S)
    for pid in below:
        try:
            os.kill(pid, signal.SIGTERM)
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            continue


def _descendants(parent: int) -> list[int]:
    """The processes that a process started, and they in turn; not this one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                status = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            parents[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
    found, waiting = [], [parent]
    while waiting:
        above = waiting.pop()
        children = [pid for pid, its in parents.items() if its == above and pid != os.getpid()]
        found += children
        waiting += children
    return found


def _restore(path: Path, saved_id: str, say: Callable[[str], None]) -> None:
    try:
        with locked(path, LOCK_S):
            if not path.exists() or (saved := read(path)).id != saved_id:
                say("there is nothing left to put back")
                return
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    restore_saved(saved)
                except SettingError as error:
                    say(f"attempt {attempt}: {error}")
                    time.sleep(BETWEEN_ATTEMPTS_S)
                else:
                    remove(path)
                    say(f"{saved.interface}: put back as it was")
                    return
            say("`coalescope-host sweep --restore` tries again")
    except SettingError as error:
        say(str(error))


def _log(path: Path) -> Callable[[str], None]:
    """Writes what happened beside the saved state; the terminal may be gone."""

    def say(text: str) -> None:
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        # a full disk must not keep it from restoring
        with contextlib.suppress(OSError), FileIO(path, "a", opener=plain) as file:
            file.write(f"{when} {one_line(text)}\n".encode())

    return say


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
