# SPDX-License-Identifier: Apache-2.0
"""Make the folder that versitygw shows as a bucket, in which what is written is on disk at once.

    make_bucket.py FOLDER

versitygw (1.2.0) answers before what it was sent is on disk. So folders are marked as synchronous,
as `chattr +S` does, and what is made in them inherits that: a call that writes returns when it is
on disk.
"""

import fcntl
import os
import struct
import sys
from pathlib import Path

_GET, _SET = 0x80086601, 0x40086602  # FS_IOC_GETFLAGS and FS_IOC_SETFLAGS of linux/fs.h
_SYNC = 0x8  # FS_SYNC_FL


def main() -> str | int:
    """Returns 0, or what is wrong."""
    bucket = Path(sys.argv[1])
    bucket.mkdir(parents=True, exist_ok=True)
    try:
        for folder, _, _ in os.walk(bucket):
            make_synchronous(folder)
    except OSError as error:
        return (
            f"{bucket} cannot be marked as synchronous: {error.strerror}. versitygw would "
            "acknowledge uploads that a power cut takes away. Keep the volume `buckets` on ext4 or "
            "XFS, or let the servers keep files on an S3 server that syncs them "
            "(COALESCOPE_OBJECT_STORE_URL, docs/scaling.md)."
        )
    return 0


def make_synchronous(folder: str) -> None:
    """Errors: OSError where the file system has no such mark, or does not keep it."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        before = fcntl.ioctl(file, _GET, bytes(4))
        marked = struct.unpack("I", before)[0] | _SYNC
        fcntl.ioctl(file, _SET, struct.pack("I", marked))
    finally:
        os.close(file)


if __name__ == "__main__":
    sys.exit(main())
