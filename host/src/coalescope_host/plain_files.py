# SPDX-License-Identifier: Apache-2.0
"""Files opened in folders that others may have put something into, and files put there whole."""

import errno
import os
import stat
import tempfile
from pathlib import Path


def plain(path: str, flags: int) -> int:
    """An opener of files that are none elsewhere, and no device or pipe that keeps one waiting.

    Errors: OSError, with ELOOP for a symbolic link.
    """
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is no plain file")
    return file


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
