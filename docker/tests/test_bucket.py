# SPDX-License-Identifier: Apache-2.0
"""The bucket's folder: what is written there is on disk when the call that wrote it returns."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "make_bucket.py"
_FS_IOC_GETFLAGS, _FS_SYNC_FL = 0x80086601, 0x8


def make(bucket: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, PROGRAM, bucket]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)


def synchronous(path: Path) -> bool:
    file = os.open(path, os.O_RDONLY)
    try:
        flags = fcntl.ioctl(file, _FS_IOC_GETFLAGS, bytes(4))
    finally:
        os.close(file)
    return bool(int.from_bytes(flags, sys.byteorder) & _FS_SYNC_FL)


def test_what_is_made_in_it_is_synchronous_too(tmp_path: Path) -> None:
    before = tmp_path / "bucket/from/before"
    before.mkdir(parents=True)
    if (made := make(tmp_path / "bucket")).returncode and "not supported" in made.stderr:
        pytest.skip("the tests' folder is on a file system without the mark")
    assert made.returncode == 0, made.stderr
    (before / "file").touch()
    assert synchronous(before / "file")
    assert make(tmp_path / "bucket").returncode == 0
    assert not synchronous(tmp_path)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no file system in memory")
def test_where_that_cannot_be_the_reason_and_the_remedy_are_said() -> None:
    bucket = Path(f"/dev/shm/coalescope-bucket-{os.getpid()}")
    try:
        made = make(bucket)
        assert made.returncode == 1
        assert f"{bucket} cannot be marked as synchronous: Operation not supported" in made.stderr
        assert "ext4 or XFS" in made.stderr
    finally:
        bucket.rmdir()
