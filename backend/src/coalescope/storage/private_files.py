# SPDX-License-Identifier: Apache-2.0
"""Folders and files of stores and backups: of their user alone, whatever the umask."""

import os
import stat
from io import FileIO
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_folder(folder: Path) -> None:
    """Make a folder, and those that it stands in, unless it is there. Errors: OSError."""
    try:
        folder.mkdir(FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():
            raise
    except FileNotFoundError:
        if folder.parent.is_dir():  # one that takes no folder, as /proc
            raise
        make_folder(folder.parent)
        make_folder(folder)


def new_file(path: Path) -> FileIO:
    """A file that was not there, to be written. Errors: FileExistsError."""
    return FileIO(path, "x", opener=_private)


def touch(path: Path) -> None:
    """Have a file there, empty if it is new."""
    FileIO(path, "a", opener=_private).close()


def opened(path: Path) -> FileIO:
    """A file that is there, to be read. Errors: OSError, also for a symbolic link."""
    return FileIO(path, "r", opener=_private)


def is_plain(path: Path) -> bool:
    """Whether it is a file itself, and no link to one that its reader may not be meant to see."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, FILE_MODE)


def wider(folder: Path) -> str | None:
    """Who else may look into a folder, as its mode; None where nobody may, or it is not there."""
    try:
        mode = stat.S_IMODE(folder.stat().st_mode)
    except OSError:
        return None
    return f"{mode:04o}" if mode & _OTHERS else None
