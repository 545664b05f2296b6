# SPDX-License-Identifier: Apache-2.0
"""The way back, on disk before the first change: a file for each interface that is being swept.

A lock beside it is held by whoever changes the interface or puts it back, and says who and which;
it goes with its process.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from coalescope_host.as_typed import as_typed
from coalescope_host.plain_files import replace_file

from .device import Device
from .driver import bus_address
from .errors import BusyError, SettingError
from .groups import OF_THE_MACHINE
from .host import open_saved

FORMAT = 1
MACHINE_ID = Path("/etc/machine-id")
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
POLL_S = 0.1
_MOST_BYTES = 1 << 24
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_RESTORES = "restores"
_WHOLE_MACHINE = "the-whole-machine"
"""Longer than any interface's name."""


@dataclass(frozen=True)
class Saved:
    """What the file holds: the state, and which host it is of.

    Attributes:
        format: of this file.
        id: of this one saving.
        machine_id, boot_id: of the machine.
        written_at: seconds since 1970.
        state: what `Host.save` gave.
    """

    format: int
    id: str
    machine_id: str
    boot_id: str
    written_at: float
    state: Mapping[str, Any]

    @property
    def interface(self) -> str:
        """Whose settings these are."""
        return str(self.state["interface"])

    def __str__(self) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.written_at))
        return f"the settings of {self.interface} as of {when}"


def state_directory() -> Path:
    """Where the files are: on a disk that survives a reboot."""
    home = os.environ.get("XDG_STATE_HOME")
    return Path(home or "/var/lib", "coalescope-host")


def file_of(interface: str, netns: str | None = None) -> Path:
    """The file of one interface."""
    name = interface if netns is None else f"{netns}@{interface}"
    return state_directory() / f"{name.replace('/', '_')}.json"


def saved_files() -> list[Path]:
    """The files of all interfaces that are being swept, or whose sweep died.

    Raises:
        SettingError: where they cannot be listed, so that nobody knows whether there are any.
    """
    folder = state_directory()
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        return []
    except OSError as error:
        hint = ": run it with sudo" if isinstance(error, PermissionError) else ""
        raise SettingError(f"{folder}: {error.strerror}{hint}") from None


def write(path: Path, state: Mapping[str, Any]) -> Saved:
    """Have the state on disk when this returns."""
    saved = Saved(
        FORMAT, str(uuid.uuid4()), _line(MACHINE_ID), _line(BOOT_ID), time.time(), dict(state)
    )
    try:
        _make_folder(path.parent)
        replace_file(path, json.dumps(asdict(saved), indent=1))
        _sync_folder(path.parent)
    except OSError as error:
        raise SettingError(
            f"{path}: the settings cannot be saved, so none are changed: {error.strerror}"
        ) from None
    return saved


def read(path: Path) -> Saved:
    """What was saved.

    Raises:
        SettingError: if the file cannot be read or is of a newer version.
    """
    try:
        document = json.loads(_content(path))
        if not isinstance(document, dict):
            raise TypeError("it holds no object")
        if document["format"] != FORMAT:
            raise SettingError(
                f"{path}: written by another version of coalescope-host (format "
                f"{document['format']}, this one knows {FORMAT})"
            )
        saved = Saved(**document)
        _check_shape(saved)
        return saved
    except OSError as error:
        raise SettingError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SettingError(f"{path}: not a saved state ({error})") from None


def _content(path: Path) -> bytes:
    """What a plain file of this user's or root's holds: nobody else says what root is to set."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(file, "rb") as opened:  # noqa: PTH123  (by its descriptor, which is what is looked at)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no plain file")
        if status.st_uid not in (0, os.geteuid()) or status.st_mode & _WRITABLE_BY_OTHERS:
            raise ValueError("others than its user and root may have written it")
        content = opened.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it has more than {_MOST_BYTES:,} bytes")
    return content


def _check_shape(saved: Saved) -> None:
    """Errors: TypeError or KeyError for a value that `write` would not have written."""
    texts = (saved.id, saved.machine_id, saved.boot_id)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("its ids are no texts")
    if isinstance(saved.written_at, bool) or not isinstance(saved.written_at, (int, float)):
        raise TypeError("its time is no number")
    if not isinstance(saved.state, dict):
        raise TypeError("its state is no object")
    if not isinstance(saved.state["interface"], str):
        raise TypeError("its interface is no name")
    for name in ("netns", "bus_address"):
        if not isinstance(saved.state[name], (str, type(None))):
            raise TypeError(f"its {name} is no text")
    if not isinstance(saved.state["settings"], dict):
        raise TypeError("its settings are no object")


def _make_folder(folder: Path) -> None:
    """Have the folder of the files, not where another user's link leads. Errors: OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() and folder.lstat().st_uid not in (0, os.geteuid()):
        raise OSError(errno.ELOOP, f"{folder} is a symbolic link of another user")


def remove(path: Path) -> None:
    """Forget the state: everything was put back."""
    path.unlink(missing_ok=True)
    _sync_folder(path.parent)


@contextlib.contextmanager
def locked(path: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Be the only one who restores the interface of this file, or changes it.

    Raises:
        BusyError: if another is at it for longer than that.
    """
    file = lock(path, wait_s, restores=True)
    try:
        yield
    finally:
        os.close(file)


def lock_machine() -> int:
    """Be the only one who changes what all interfaces have in common, like `lock`.

    Raises:
        SettingError: if another sweep may, or one that ended has not put it back.
    """
    path = state_directory() / _WHOLE_MACHINE
    busy = "another sweep runs on this machine now; start this one when it has ended"
    file = lock(path, busy=busy)
    try:
        for left in filter(_holds_machine, saved_files()):
            raise SettingError(stale(left))
    except BaseException:
        os.close(file)
        raise
    return file


def _holds_machine(path: Path) -> bool:
    return not OF_THE_MACHINE.isdisjoint(read(path).state["settings"])


def stale(path: Path) -> str:
    """What an earlier sweep left changed and how to put it back."""
    first = as_typed("sweep --restore")
    return f"{path.stem}: an earlier sweep ended without putting it back. First: {first}"


def in_use(path: Path) -> BusyError | None:
    """Who changes or restores the interface of this file now; None if nobody does.

    Raises:
        SettingError: where that cannot be known.
    """
    try:
        with locked(path):
            return None
    except BusyError as error:
        return BusyError(f"{error}; start this when it has ended", restores=error.restores)


def lock(path: Path, wait_s: float = 0.0, busy: str = "", *, restores: bool = False) -> int:
    """Like `locked`, until the file descriptor is closed or the process ends.

    Args:
        busy: what is said if another has it.
        restores: what others are told of who has it: it puts the interface back.
    """
    try:
        _make_folder(path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(path.with_suffix(".lock"), flags, 0o600)
    except OSError as error:
        why = "is a symbolic link" if error.errno == errno.ELOOP else f"{error.strerror}"
        lock_name = path.with_suffix(".lock")
        raise SettingError(f"{lock_name}: cannot be written: {why}") from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise SettingError(f"{path.with_suffix('.lock')}: is no plain file; remove it")
    end = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() >= end:
                held = os.pread(file, 32, 0).decode("ascii", "replace")
                os.close(file)
                raise _busy(path, held, busy) from None
            time.sleep(POLL_S)
    os.ftruncate(file, 0)
    os.pwrite(file, f"{os.getpid()} {_RESTORES if restores else 'changes'}\n".encode(), 0)
    return file


def _busy(path: Path, held: str, busy: str) -> BusyError:
    process, _, does = held.strip().partition(" ")
    restores = does == _RESTORES
    now = "it is being put back now" if restores else "a sweep is changing it now"
    return BusyError(f"{busy or f'{path.stem}: {now}'} (process {process})", restores=restores)


def restore_saved(saved: Saved) -> None:
    """Put back what a sweep left, on the machine it was saved on.

    After a reboot the kernel has forgotten what was changed; only settings that differ all the same
    are written, and addresses, routes and the driver are left as the machine set them up.

    Raises:
        SettingError: with each thing that could not be put back, and the command for it.
    """
    if saved.machine_id != _line(MACHINE_ID):
        raise SettingError(f"{saved} were saved on another machine, and are not for this one")
    state = dict(saved.state)
    state["interface"] = _present_name(state)
    host = open_saved(state)
    if saved.boot_id != _line(BOOT_ID):
        host.restore_settings(state)
    else:
        host.restore(state)


def restore_file(path: Path) -> str:
    """Restore from one file and remove it; what was done, as a sentence."""
    with locked(path):
        saved = read(path)
        restore_saved(saved)
        remove(path)
    return f"{saved.interface}: put back as it was"


def _present_name(state: Mapping[str, Any]) -> str:
    """The interface's name now: by its bus address, should it have got another."""
    device = Device(str(state["interface"]), state["netns"])
    address = state["bus_address"]
    if address is None or (device.exists() and bus_address(device) == address):
        return device.name
    links = device.routing(lambda ip: list(ip.get_links()), "interfaces cannot be listed")
    for link in links:
        if link.get_attr("IFLA_PARENT_DEV_NAME") == address:
            return str(link.get_attr("IFLA_IFNAME"))
    if device.exists():
        raise SettingError(
            f"{device}: it is at {bus_address(device)} now, and was at {address} when its settings "
            "were saved: another device has its name"
        )
    return device.name  # its driver may be unloaded; the restore loads it


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
