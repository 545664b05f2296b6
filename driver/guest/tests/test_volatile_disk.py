# SPDX-License-Identifier: Apache-2.0
"""The disk itself: what was flushed is kept, what was not is kept by chance."""

import random
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
from guest.volatile_disk import SECTOR_BYTES, VolatileDisk
from timeouts import TIMEOUT_S

SECTORS = 256


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk"
    path.write_bytes(bytes(SECTORS * SECTOR_BYTES))
    made = VolatileDisk(path, tmp_path)
    yield made
    made.close()


def sector(number):
    return bytes([number % 255 + 1]) * SECTOR_BYTES


def test_what_was_flushed_outlasts_the_cut_and_the_rest_does_by_chance(disk, tmp_path):
    for number in range(128):
        disk.write(number * SECTOR_BYTES, sector(number))
    disk.flush()
    for number in range(128, SECTORS):
        disk.write(number * SECTOR_BYTES, sector(number))
    assert disk.read(200 * SECTOR_BYTES, SECTOR_BYTES) == sector(200), (
        "the guest sees what it wrote"
    )
    disk.as_cut_now(random.Random(1), tmp_path / "copy")
    forgotten = disk.cut(random.Random(1))
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "disk").read_bytes()
    assert 30 < forgotten < 98
    left = (tmp_path / "disk").read_bytes()
    kept = [left[n * SECTOR_BYTES : (n + 1) * SECTOR_BYTES] == sector(n) for n in range(SECTORS)]
    assert all(kept[:128])
    assert kept[128:].count(False) == forgotten


def test_it_is_held_once_there_is_something_to_forget(disk, tmp_path):
    much = sector(1) * 64

    def cut():
        with disk.held(writes=2, within_s=TIMEOUT_S):
            return disk.as_cut_now(random.Random(1), tmp_path / "copy")

    with ThreadPoolExecutor(1) as pool:
        cutting = pool.submit(cut)
        disk.write(0, much)
        disk.flush()
        disk.write(64 * SECTOR_BYTES, much)
        assert not cutting.done(), "one write since the flush is too few"
        disk.write(128 * SECTOR_BYTES, much)
        assert cutting.result(TIMEOUT_S) > 0
    assert (tmp_path / "copy").read_bytes().startswith(much)


def test_where_nothing_comes_it_is_held_all_the_same(disk, tmp_path):
    with disk.held(writes=1, within_s=0.01):
        assert disk.as_cut_now(random.Random(1), tmp_path / "copy") == 0


def test_nothing_is_written_after_the_cut(disk, tmp_path):
    disk.cut(random.Random(1))
    for late in (lambda: disk.write(0, sector(1)), disk.flush):
        with pytest.raises(ConnectionError):
            late()
    assert (tmp_path / "disk").read_bytes() == bytes(SECTORS * SECTOR_BYTES)


def receive(connection, length):
    return connection.recv(length, socket.MSG_WAITALL)


def request(connection, kind, offset=0, length=0, data=b"", flags=0):
    connection.sendall(struct.pack(">IHHQQI", 0x25609513, flags, kind, 7, offset, length) + data)
    magic, error, cookie = struct.unpack(">IIQ", receive(connection, 16))
    assert (magic, cookie) == (0x67446698, 7)
    return error


def test_it_speaks_the_protocol(disk, tmp_path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(tmp_path / "disk.socket"))
    with connection:
        assert receive(connection, 18)[:8] == b"NBDMAGIC"
        connection.sendall(struct.pack(">I", 3))
        connection.sendall(struct.pack(">8sII", b"IHAVEOPT", 8, 0))  # structured replies
        assert struct.unpack(">QIII", receive(connection, 20))[2] == 2**31 + 1, "not here"
        connection.sendall(struct.pack(">8sII", b"IHAVEOPT", 7, 6) + bytes(6))
        _, _, kind, length = struct.unpack(">QIII", receive(connection, 20))
        _, size, flags = struct.unpack(">HQH", receive(connection, length))
        assert (kind, size, flags & 4) == (3, SECTORS * SECTOR_BYTES, 4)
        assert struct.unpack(">QIII", receive(connection, 20))[2] == 1
        assert request(connection, 1, SECTOR_BYTES, SECTOR_BYTES, sector(4)) == 0
        assert request(connection, 0, SECTOR_BYTES, SECTOR_BYTES) == 0
        assert receive(connection, SECTOR_BYTES) == sector(4)
        assert (tmp_path / "disk").read_bytes().count(5) == 0
        assert request(connection, 3) == 0
        assert request(connection, 1, 0, SECTOR_BYTES, sector(8), flags=1) == 0
        assert request(connection, 99) == 22
    left = (tmp_path / "disk").read_bytes()
    assert left[: 2 * SECTOR_BYTES] == sector(8) + sector(4)
