# SPDX-License-Identifier: Apache-2.0
"""Where the kernel keeps a value beside netlink: files, the affinity of threads, idle states."""

from __future__ import annotations

import os
import shlex
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from coalescope_host.newer_python import zip_strict

from . import mounts
from .cpus import list_text, parse_list
from .device import Device, said
from .errors import SettingError

_HEEDED_WITHIN_S = 5.0
"""A process that waits for a busy CPU stops, or goes on, some time after it was sent the signal."""


class Place(Protocol):
    """One value of the kernel, as text."""

    def read(self) -> str | None:
        """What it is now; None where it cannot be read."""

    def read_only(self) -> str | None:
        """Why no value at all can be written here, if so."""

    def write(self, text: str, what: str) -> None:
        """Set it; SettingError if the kernel refuses."""

    def command(self, text: str) -> str:
        """The shell command that does the same."""


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _write(path: Path, text: str, what: str) -> None:
    try:
        path.write_text(text, encoding="ascii")
    except OSError as error:
        raise said(error, f"{path}: {what}") from None


@dataclass(frozen=True)
class KernelFile:
    """A file of /proc or /sys that is the same in each network namespace."""

    path: Path

    def read(self) -> str | None:
        """Its text."""
        return _read(self.path)

    def read_only(self) -> str | None:
        """Where /proc or /sys is mounted read-only."""
        return mounts.read_only(self.path)

    def write(self, text: str, what: str) -> None:
        """Write it."""
        _write(self.path, text, what)

    def command(self, text: str) -> str:
        """Echo into it."""
        return shlex.join(["sh", "-c", f"echo {text} > {self.path}"])


@dataclass(frozen=True)
class DeviceFile:
    """A file below /sys/class/net/NAME, in the interface's own namespace."""

    device: Device
    attribute: str

    def read(self) -> str | None:
        """Its text."""
        return self.device.sysfs(self.attribute)

    def read_only(self) -> str | None:
        """Where /sys is mounted read-only."""
        return mounts.read_only(Path("/sys"))

    def write(self, text: str, what: str) -> None:
        """Write it."""
        self.device.write_sysfs(self.attribute, text, what)

    def command(self, text: str) -> str:
        """Echo into it."""
        path = f"/sys/class/net/{self.device.name}/{self.attribute}"
        return self.device.command("sh", "-c", f"echo {text} > {path}")


@dataclass(frozen=True)
class NoTurbo:
    """intel_pstate's file, which says the opposite."""

    path: Path

    def read(self) -> str | None:
        """1 where turbo is on."""
        text = _read(self.path)
        return None if text is None else str(int(text == "0"))

    def read_only(self) -> str | None:
        """Where /sys is mounted read-only."""
        return mounts.read_only(self.path)

    def write(self, text: str, what: str) -> None:
        """Write the opposite."""
        _write(self.path, str(int(text == "0")), what)

    def command(self, text: str) -> str:
        """Echo the opposite into it."""
        return shlex.join(["sh", "-c", f"echo {int(text == '0')} > {self.path}"])


@dataclass(frozen=True)
class ThreadAffinity:
    """The CPUs that a thread may run on."""

    pid: int

    def read(self) -> str | None:
        """As a list."""
        try:
            return list_text(os.sched_getaffinity(self.pid))
        except OSError:
            return None

    def read_only(self) -> str | None:
        """A thread is no file."""
        return None

    def write(self, text: str, what: str) -> None:
        """Set them."""
        try:
            os.sched_setaffinity(self.pid, parse_list(text))
        except OSError as error:
            raise said(error, f"thread {self.pid}: {what}") from None

    def command(self, text: str) -> str:
        """With taskset."""
        return f"taskset -pc {text} {self.pid}"


@dataclass(frozen=True)
class IdleStates:
    """The idle states of one CPU: 0 or 1 for each, from the lightest; 1 is disabled."""

    cpu: Path

    def read(self) -> str | None:
        """All of them, such as 0,0,1."""
        texts = [_read(path) for path in self._files()]
        return ",".join(map(str, texts)) if texts and None not in texts else None

    def read_only(self) -> str | None:
        """Where /sys is mounted read-only."""
        return mounts.read_only(self.cpu)

    def write(self, text: str, what: str) -> None:
        """Set all of them."""
        for path, disabled in zip_strict(self._files(), text.split(",")):
            _write(path, disabled, what)

    def command(self, text: str) -> str:
        """Echo into the file of each."""
        pairs = zip_strict(self._files(), text.split(","))
        return shlex.join(["sh", "-c", "; ".join(f"echo {bit} > {path}" for path, bit in pairs)])

    def upto(self, deepest: int) -> str:
        """The text that leaves states up to this one."""
        return ",".join(str(int(state > deepest)) for state in range(len(self._files())))

    def _files(self) -> list[Path]:
        states = (self.cpu / "cpuidle").glob("state*")
        return [path / "disable" for path in sorted(states, key=lambda p: int(p.name[5:]))]


@dataclass(frozen=True)
class Irqbalance:
    """The program that moves interrupts between CPUs: 1 while it runs; it is paused, not ended."""

    def read(self) -> str | None:
        """0 where there is none, or all are paused."""
        return str(int(any(state != "T" for _, state in self._processes())))

    def write(self, text: str, what: str) -> None:
        """Pause it, or let it go on."""
        if text == "1" and (refusal := self.refusal()):
            raise SettingError(f"{what}: {refusal}")
        for pid, _ in self._processes():
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(pid, signal.SIGCONT if text == "1" else signal.SIGSTOP)
        deadline = time.monotonic() + _HEEDED_WITHIN_S
        while self.read() != text and self._processes() and time.monotonic() < deadline:
            time.sleep(0.01)

    def command(self, text: str) -> str:
        """With pkill."""
        return f"pkill -{'CONT' if text == '1' else 'STOP'} -x irqbalance"

    def read_only(self) -> str | None:
        """A process is no file."""
        return None

    def refusal(self) -> str | None:
        """Why it cannot go on."""
        if self._processes():
            return None
        return "irqbalance does not run; `systemctl start irqbalance`"

    def _processes(self) -> Sequence[tuple[int, str]]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and _read(entry / "comm") == "irqbalance":
                state = (_read(entry / "stat") or "").rpartition(")")[2].split()[:1]
                found += [(int(entry.name), letter) for letter in state]
        return found
