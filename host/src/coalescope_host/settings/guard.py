# SPDX-License-Identifier: Apache-2.0
"""Keeps the way back while settings are changed: the state on disk, and who restores it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import coalescope_host

from ..program_environment import program_environment
from ..readable import is_readable
from . import restore_file
from .errors import SettingError
from .groups import OF_THE_MACHINE

PACKAGE_ROOT = Path(coalescope_host.__file__).parent.parent
"""The folder or the zipapp that the package came from."""
HEARTBEAT, DISARMED, READY = b".", b"d", b"ready\n"
START_S = 120.0
END_S = 10.0


class Guard:
    """The guard of one interface, armed before the first change.

    `hang_s` without `feed` mean that the process hangs: it is killed, the interface put back.
    """

    def __init__(self, interface: str, netns: str | None = None, hang_s: float = 300.0) -> None:
        self.path = restore_file.file_of(interface, netns)
        self.hang_s = hang_s
        self._locks: list[int] = []
        self._watchdog: subprocess.Popen[bytes] | None = None

    def stale(self) -> SettingError | None:
        """Who has the interface, or left it changed, and what to do; None if nobody."""
        if not self.path.exists():
            return None
        return restore_file.in_use(self.path) or SettingError(restore_file.stale(self.path))

    def arm(self, state: Mapping[str, Any]) -> None:
        """Have the state on disk, and someone who restores it should this process die or hang.

        Raises:
            SettingError: if another sweep is at it, or an earlier one was not put back.
        """
        self._locks.append(restore_file.lock(self.path))
        try:
            if self.path.exists():
                raise SettingError(restore_file.stale(self.path))
            if not OF_THE_MACHINE.isdisjoint(state["settings"]):
                self._locks.append(restore_file.lock_machine())
            restore_file.write(self.path, state)
            try:
                self._watchdog = self._start()
            except BaseException:
                restore_file.remove(self.path)  # nothing was changed yet
                raise
        except BaseException:
            self._unlock()
            raise

    def feed(self) -> None:
        """Say that this process is alive; often."""
        self._say(HEARTBEAT)

    def disarm(self) -> None:
        """The settings were put back: forget the state."""
        if not self._locks:
            return
        restore_file.remove(self.path)
        self._say(DISARMED)
        if self._watchdog is not None:
            with contextlib.suppress(OSError):
                assert self._watchdog.stdin is not None
                self._watchdog.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._watchdog.wait(END_S)
            self._watchdog = None
        self._unlock()

    def _start(self) -> subprocess.Popen[bytes]:
        arguments = [str(self.path), str(self.hang_s), str(os.getpid())]
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "coalescope_host.settings.watchdog", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={**program_environment(), "PYTHONPATH": str(PACKAGE_ROOT)},
            start_new_session=True,
        )
        assert process.stdout is not None
        with process.stdout as ready:
            if is_readable(ready.fileno(), START_S) and ready.read(1):
                return process
        process.kill()
        process.communicate()
        raise SettingError(
            "the process that would put everything back if this one died does not start: "
            f"try `{sys.executable} -m coalescope_host.settings.watchdog`"
        )

    def _say(self, word: bytes) -> None:
        if self._watchdog is not None and self._watchdog.stdin is not None:
            with contextlib.suppress(OSError):  # it is gone: then nobody waits for it
                self._watchdog.stdin.write(word)
                self._watchdog.stdin.flush()

    def _unlock(self) -> None:
        while self._locks:
            os.close(self._locks.pop())


def restore_all(path: Path | None = None) -> list[str]:
    """Put back what sweeps that died left changed; what was done, a line for each interface.

    Raises:
        SettingError: with all that could not be put back.
    """
    done: list[str] = []
    failures: list[str] = []
    for file in [path] if path is not None else restore_file.saved_files():
        try:
            done.append(restore_file.restore_file(file))
        except SettingError as error:
            failures += error.args
    if failures:
        raise SettingError(*done, *failures)
    return done or ["There is nothing to put back."]
