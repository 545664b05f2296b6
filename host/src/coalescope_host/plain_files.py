# SPDX-License-Identifier: Apache-2.0
"""Opening files in folders that others may have put something into."""

import errno
import os
import stat


def plain(path: str, flags: int) -> int:
    """An opener of files that are none elsewhere, and no device or pipe that keeps one waiting.

    Errors: OSError, with ELOOP for a symbolic link.
    """
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is no plain file")
    return file
