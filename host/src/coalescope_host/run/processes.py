# SPDX-License-Identifier: Apache-2.0
"""Programs that run for the length of a run: never longer than the sweep, and not as root."""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from coalescope_host.program_environment import program_environment
from coalescope_host.protocols import SweepError
from coalescope_host.readable import is_readable
from coalescope_host.terminal import joined_lines

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)
_TIMEOUT_S = 3.0
_TAIL_BYTES = 2000


class LocalProcess:
    """A program of this host, in a process group of its own, which ends when the sweep does."""

    def __init__(
        self, argv: Sequence[str], user: str | None = None, *, acts_for: str | None = None
    ) -> None:
        """Start it as `user`; `acts_for` is whom it starts programs as in turn."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        self.name = Path(argv[0]).name
        try:
            self._process = subprocess.Popen(  # noqa: S603  the plan says what to run
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,  # the terminal's Ctrl-C is for the sweep alone
                env=program_environment(acts_for or user),
                preexec_fn=_end_with_parent,  # noqa: PLW1509  there are no threads
                **_identity(user),  # type: ignore[call-overload]
            )
        except OSError as error:
            self._errors.close()
            raise SweepError(f"{argv[0]}: {error.strerror or error}") from None
        self._end = os.pidfd_open(self._process.pid)

    @property
    def status(self) -> int | None:
        """Exit status, minus the signal's number if one ended it; None while it runs."""
        status: int | None = self._process.poll()
        return status

    def alive(self) -> bool:
        """Whether it still runs."""
        return self.status is None

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; False if that did not come in time.

        Asleep: `Popen.wait` looks twenty times a second, on a host whose CPU time is measured.
        """
        ended = is_readable(self._end, timeout_s)
        if ended:
            self._process.wait()
        return ended

    def said(self) -> str:
        """The last of what it printed on stderr, as a part of a line."""
        end = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, end - _TAIL_BYTES))
        return joined_lines(self._errors.read().decode(errors="replace"))

    def stop(self) -> str:
        """End it and all it started; return the last of what it printed on stderr."""
        if not self._errors.closed:
            self._signal(signal.SIGTERM)
            if not self.wait(_TIMEOUT_S):
                self._signal(signal.SIGKILL)
                self._process.wait()
            else:
                self._signal(signal.SIGKILL)  # children that outlived it
            said = self.said()
            self._errors.close()
            os.close(self._end)
            return said
        return ""

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass
        except PermissionError:  # a group of another user's processes only
            self._process.send_signal(number)


def workload_user(asked: str | None) -> str | None:
    """Who runs a workload: who was asked for, else who called sudo, else nobody in place of root.

    None where this is no root: then it is who called.
    """
    if asked is not None or os.geteuid() != 0:
        return asked
    return os.environ.get("SUDO_USER") or "nobody"


def _end_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _identity(user: str | None) -> dict[str, object]:
    if user is None or os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise SweepError(f"there is no user {user} on this host") from None
    return {
        "user": entry.pw_uid,
        "group": entry.pw_gid,
        "extra_groups": os.getgrouplist(user, entry.pw_gid),
    }
