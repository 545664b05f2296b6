# SPDX-License-Identifier: Apache-2.0
"""Files opened in folders that others may have put something into, and files put there whole."""

import errno
import os
import stat
import tempfile
from pathlib import Path


class NotPlainError(OSError):
    """It is a symbolic link, a device, a pipe or a folder."""


def plain(path: str, flags: int) -> int:
    """An opener of files that are none elsewhere, and no device or pipe that keeps one waiting.

    Errors: OSError; of what is no plain file it is a NotPlainError.
    """
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise NotPlainError(errno.ELOOP, "it is a symbolic link", path) from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotPlainError(errno.EINVAL, "it is no plain file", path)
    return file


def own(path: str, flags: int) -> int:
    """As `plain`, of files that are this user's or root's. Errors: OSError."""
    file = plain(path, flags)
    if os.fstat(file).st_uid not in (0, os.geteuid()):
        os.close(file)
        raise OSError(errno.EPERM, "it is another user's", path)
    return file


def write_plain(path: Path, text: str, *, over: bool) -> None:
    """Write a new file, or `over` what a plain file holds.

    Errors: OSError, FileExistsError where there is one that is not to be written over.
    """
    with open(path, "w" if over else "x", encoding="utf-8", opener=plain) as file:
        file.write(text)


def replace_file(path: Path, content: str, mode: int = 0o600) -> None:
    """Put a file there, or in the place of the one there: at no moment is it half written.

    Errors: OSError.
    """
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
