# SPDX-License-Identifier: Apache-2.0
"""A disk with a cache that forgets: when its power is cut, what was not flushed may be gone.

QEMU's own disks do not forget: what a guest wrote survives the emulator in the host's memory. Here
written sectors lie in memory until the guest flushes; at the cut each of them was kept or was not,
by chance, whatever the order in which they came. That is what disks are allowed to do.

Served over NBD on a Unix socket, to one guest after the other. Source of the protocol:
doc/proto.md of NetworkBlockDevice/nbd, fixed newstyle negotiation and simple replies.
"""

import random
import shutil
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread
from typing import BinaryIO

SECTOR_BYTES = 512

_MAGIC, _OPTION, _OPTION_REPLY = b"NBDMAGIC", b"IHAVEOPT", 0x3E889045565A9
_REQUEST, _REPLY = 0x25609513, 0x67446698
_FIXED_NEWSTYLE, _NO_ZEROES = 1, 2
_EXPORT_NAME, _ABORT, _INFO, _GO = 1, 2, 6, 7
_ACK, _REP_INFO, _UNSUPPORTED = 1, 3, 2**31 + 1
_HAS_FLAGS, _SEND_FLUSH, _SEND_FUA = 1, 4, 8
_READ, _WRITE, _DISCONNECT, _FLUSH = 0, 1, 2, 3
_FUA, _INVALID = 1, 22


class VolatileDisk:
    """The blocks of a file, behind a cache that a cut of the power empties.

    Attributes:
        address: what QEMU takes as the file of a drive.

    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._file = path.open("r+b")
        self._size = path.stat().st_size
        self._pending: dict[int, bytes] = {}
        self._writes_since_flush = 0
        self._lock = Condition()
        self._off = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / "disk.socket"))
        self._listener.listen()
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()
        self.address = f"nbd:unix:{folder / 'disk.socket'}"

    @contextmanager
    def held(self, writes: int, within_s: float) -> Iterator[None]:
        """Nothing is written or flushed meanwhile.

        It is held once so many writes came since the last flush, so that there is something to
        forget, and after `within_s` in any case.
        """
        with self._lock:
            self._lock.wait_for(lambda: self._writes_since_flush >= writes, within_s)
            yield

    def as_cut_now(self, chance: random.Random, target: Path) -> int:
        """Write what the disk would hold if its power were cut now; returns sectors forgotten.

        The disk itself goes on.
        """
        with self._lock:
            self._file.flush()
            shutil.copyfile(self._path, target)
            with target.open("r+b") as copy:
                return _keep_some(copy, self._pending, chance)

    def cut(self, chance: random.Random) -> int:
        """Cut the power; returns sectors forgotten. Nothing is written after it."""
        with self._lock:
            self._off = True
            forgotten = _keep_some(self._file, self._pending, chance)
            self._pending.clear()
            self._file.flush()
        return forgotten

    def close(self) -> None:
        """End the service; what was not flushed is forgotten."""
        with self._lock:
            self._off = True
            self._file.close()
        self._listener.close()

    def read(self, offset: int, length: int) -> bytes:
        """What the guest would see there."""
        with self._lock:
            return self._read(offset, length)

    def write(self, offset: int, content: bytes) -> None:
        """Take whole sectors, into the cache."""
        with self._lock:
            if self._off:
                raise ConnectionError("the power is cut")
            for start in range(0, len(content), SECTOR_BYTES):
                sector = (offset + start) // SECTOR_BYTES
                self._pending[sector] = content[start : start + SECTOR_BYTES]
            self._writes_since_flush += 1
            self._lock.notify_all()

    def flush(self) -> None:
        """Make what was written last."""
        with self._lock:
            if self._off:
                raise ConnectionError("the power is cut")
            for sector, content in self._pending.items():
                _put(self._file, sector, content)
            self._pending.clear()
            self._writes_since_flush = 0
            self._file.flush()

    def _read(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        found = bytearray(self._file.read(length))
        for start in range(0, length, SECTOR_BYTES):
            newer = self._pending.get((offset + start) // SECTOR_BYTES)
            if newer is not None:
                found[start : start + SECTOR_BYTES] = newer
        return bytes(found)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                try:
                    _Session(self, self._size, connection).run()
                except (ConnectionError, OSError, ValueError):
                    continue  # the guest is gone, or the power is


def _put(file: BinaryIO, sector: int, content: bytes) -> None:
    file.seek(sector * SECTOR_BYTES)
    file.write(content)


def _keep_some(file: BinaryIO, pending: Mapping[int, bytes], chance: random.Random) -> int:
    """Write each pending sector or do not, by chance; returns how many were not written."""
    kept = {sector: content for sector, content in pending.items() if chance.random() < 0.5}
    for sector, content in kept.items():
        _put(file, sector, content)
    return len(pending) - len(kept)


class _Session:
    """One connection: what the protocol wants said, then requests one after the other."""

    def __init__(self, disk: VolatileDisk, size: int, connection: socket.socket) -> None:
        self._disk = disk
        self._size = size
        self._connection = connection

    def run(self) -> None:
        self._send(_MAGIC + _OPTION + struct.pack(">H", _FIXED_NEWSTYLE | _NO_ZEROES))
        self._receive(4)
        while not self._negotiated():
            pass
        while self._answered():
            pass

    def _negotiated(self) -> bool:
        """Answer one option; whether requests come next."""
        magic, option, length = struct.unpack(">8sII", self._receive(16))
        self._receive(length)
        flags = _HAS_FLAGS | _SEND_FLUSH | _SEND_FUA
        if magic != _OPTION or option == _ABORT:
            raise ConnectionError("no client of this protocol, or of this disk")
        if option == _EXPORT_NAME:
            self._send(struct.pack(">QH", self._size, flags))
            return True
        if option not in (_INFO, _GO):
            self._option_reply(option, _UNSUPPORTED)
            return False
        self._option_reply(option, _REP_INFO, struct.pack(">HQH", 0, self._size, flags))
        self._option_reply(option, _ACK)
        return bool(option == _GO)

    def _option_reply(self, option: int, kind: int, data: bytes = b"") -> None:
        self._send(struct.pack(">QIII", _OPTION_REPLY, option, kind, len(data)) + data)

    def _answered(self) -> bool:
        """Answer one request; whether more may come."""
        head = struct.unpack(">IHHQQI", self._receive(28))
        magic, flags, kind, cookie, offset, length = head
        if magic != _REQUEST or kind == _DISCONNECT:
            return False
        data, error = b"", 0
        if kind == _WRITE:
            self._disk.write(offset, self._receive(length))
        elif kind == _READ:
            data = self._disk.read(offset, length)
        elif kind != _FLUSH:
            error = _INVALID
        if kind == _FLUSH or flags & _FUA:
            self._disk.flush()
        self._send(struct.pack(">IIQ", _REPLY, error, cookie) + data)
        return True

    def _send(self, data: bytes) -> None:
        self._connection.sendall(data)

    def _receive(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            more = self._connection.recv(length - len(found))
            if not more:
                raise ConnectionError("the guest is gone")
            found += more
        return bytes(found)
