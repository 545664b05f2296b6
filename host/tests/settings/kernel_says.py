# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: what the kernel says of an interface's settings, and sets of them.

A second opinion: nothing of the package that is tested, and its own netlink. Names and numbers are
those of the kernel's headers, which `kernel_numbers` read.

As a program it is the workload of a sweep: it writes what it sees, and sends frames for a while.
Arguments: the interface, the file, seconds.
"""

import json
import os
import socket
import struct
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

SETTINGS = ("CHANNELS", "RINGS", "FEATURES", "PAUSE", "COALESCE", "NAPI")
"""Groups of settings: the words of the kernel's names, in the order in which they are set."""
NUMBERS = Path("/opt/kernel-numbers.json")
_REQUEST, _ACK, _DUMP = 0x1, 0x4, 0x300
_NESTED = 0x8000
_ERROR, _DONE, _CONTROLLER = 2, 3, 16
_WORDS = 1
_EXTENDED_ACK = 11
_NETLINK, _GENERIC = 270, 16
_HEAD, _ATTRIBUTE = struct.Struct("=IHHII"), struct.Struct("=HH")
_LOCAL_EXPERIMENT = 0x88B5

Value = bool | int | str | list[int]


class RefusedError(Exception):
    """What the kernel does not take, in its words."""


@cache
def _numbers() -> dict[str, int]:
    return dict(json.loads(NUMBERS.read_text()))


def attribute(number: int, content: bytes) -> bytes:
    """A netlink attribute."""
    padding = bytes(-len(content) % 4)
    return _ATTRIBUTE.pack(_ATTRIBUTE.size + len(content), number) + content + padding


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of netlink attributes that follow each other."""
    place = 0
    while place + _ATTRIBUTE.size <= len(data):
        length, kind = _ATTRIBUTE.unpack_from(data, place)
        if length < _ATTRIBUTE.size:
            return
        yield kind & ~_NESTED, data[place + _ATTRIBUTE.size : place + length]
        place += length + 3 & ~3


class Family:
    """A family of generic netlink."""

    def __init__(self, name: str) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _GENERIC)
        self._socket.setsockopt(_NETLINK, _EXTENDED_ACK, 1)
        self._socket.bind((0, 0))
        self._number = _CONTROLLER
        (answer,) = self.ask(3, attribute(2, name.encode() + b"\0"))
        self._number = struct.unpack("=H", dict(attributes(answer))[1])[0]

    def ask(self, command: int, content: bytes, flags: int = _ACK) -> list[bytes]:
        """The attributes of each answer. RefusedError with the kernel's words."""
        body = struct.pack("=BBH", command, 1, 0) + content
        head = _HEAD.pack(_HEAD.size + len(body), self._number, _REQUEST | flags, 1, 0)
        self._socket.send(head + body)
        answers: list[bytes] = []
        while True:
            for kind, told in self._messages():
                if kind == _ERROR:
                    _raise(told)
                    return answers
                if kind == _DONE:
                    return answers
                answers.append(told[4:])

    def _messages(self) -> Iterator[tuple[int, bytes]]:
        data = self._socket.recv(1 << 20)
        while data:
            length, kind, _, _, _ = _HEAD.unpack_from(data)
            yield kind, data[_HEAD.size : length]
            data = data[length + 3 & ~3 :]


def _raise(told: bytes) -> None:
    (code,) = struct.unpack_from("=i", told)
    if code:
        words = dict(attributes(told[20:])).get(_WORDS, b"").rstrip(b"\0").decode()
        raise RefusedError(words or os.strerror(-code))


class Interface:
    """What ethtool and netdev say of one interface, by the names of the kernel's attributes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ethtool, self._netdev = Family("ethtool"), Family("netdev")
        self._bytes: dict[str, int] = {}

    def read(self) -> dict[str, Value]:
        """Each setting, e.g. RINGS_RX; of NAPIs a list; of features those that can be changed."""
        found: dict[str, Value] = {}
        for group in SETTINGS:
            if group == "NAPI":
                found |= self._napi()
            elif group == "FEATURES":
                found |= self._features()
            else:
                found |= self._group(group)
        return found

    def set(self, setting: str, value: Value) -> None:
        """Ask the kernel for it. RefusedError with its words."""
        group, _, name = setting.partition("_")
        if group == "FEATURES":
            self._set_feature(name, on=bool(value))
        elif group == "NAPI":
            self._set_napi(setting, value)
        else:
            content = self._encoded(f"ETHTOOL_A_{setting}", value)
            self._ask(group, "SET", content)

    def _ask(self, group: str, what: str, content: bytes = b"") -> dict[int, bytes]:
        header = attribute(_numbers()["ETHTOOL_A_HEADER_DEV_NAME"], self.name.encode() + b"\0")
        command = _numbers()[f"ETHTOOL_MSG_{group}_{what}"]
        answers = self._ethtool.ask(command, attribute(1 | _NESTED, header) + content)
        return dict(attributes(answers[0])) if answers else {}

    def _encoded(self, name: str, value: Value) -> bytes:
        assert isinstance(value, int)
        return attribute(_numbers()[name], value.to_bytes(self._bytes[name], sys.byteorder))

    def _named(self, prefix: str, answer: dict[int, bytes]) -> dict[str, Value]:
        names = {number: name for name, number in _numbers().items() if name.startswith(prefix)}
        found: dict[str, Value] = {}
        for number, content in answer.items():
            name = names.get(number, f"{prefix}{number}")
            self._bytes[name] = len(content)
            if len(content) in (1, 4, 8):
                found[name] = int.from_bytes(content, sys.byteorder)
            elif not name.endswith("_HEADER"):
                found[name] = content.hex()
        return found

    def _group(self, group: str) -> dict[str, Value]:
        try:
            answer = self._ask(group, "GET")
        except RefusedError:
            return {}
        named = self._named(f"ETHTOOL_A_{group}_", answer)
        return {name.removeprefix("ETHTOOL_A_"): value for name, value in named.items()}

    def _features(self) -> dict[str, Value]:
        """Active or not, of those that are the driver's to change."""
        answer = self._ask("FEATURES", "GET")
        can, _, active, never = (_bits(answer.get(number, b"")) for number in (2, 3, 4, 5))
        changeable = {name for name, on in can.items() if on} - never.keys()
        return {f"FEATURES_{name}": name in active for name in sorted(changeable)}

    def _set_feature(self, name: str, *, on: bool) -> None:
        bit = attribute(2, name.encode() + b"\0") + (attribute(3, b"") if on else b"")
        bits = attribute(3 | _NESTED, attribute(1 | _NESTED, bit))
        self._ask("FEATURES", "SET", attribute(3 | _NESTED, bits))

    def _napis(self) -> list[dict[str, Value]]:
        index = attribute(1, struct.pack("=I", socket.if_nametoindex(self.name)))
        command = _numbers()["NETDEV_CMD_NAPI_GET"]
        answers = self._netdev.ask(command, index, _DUMP)
        listed = [self._named("NETDEV_A_NAPI_", dict(attributes(told))) for told in answers]
        return sorted(listed, key=lambda napi: str(napi["NETDEV_A_NAPI_ID"]).zfill(10))

    def _napi(self) -> dict[str, Value]:
        found: dict[str, Any] = {}
        for napi in self._napis():
            for name, value in napi.items():
                found.setdefault(name.removeprefix("NETDEV_A_"), []).append(value)
        for told in ("ID", "IFINDEX", "IRQ", "PID"):  # what it is, and nothing that is set
            found.pop(f"NAPI_{told}", None)
        return found

    def _set_napi(self, setting: str, value: Value) -> None:
        napis = self._napis()
        values = value if isinstance(value, list) else [int(value)] * len(napis)
        for napi, each in zip(napis, values, strict=False):
            content = self._encoded("NETDEV_A_NAPI_ID", napi["NETDEV_A_NAPI_ID"])
            content += self._encoded(f"NETDEV_A_{setting}", each)
            self._netdev.ask(_numbers()["NETDEV_CMD_NAPI_SET"], content)


def _bits(bitset: bytes) -> dict[str, bool]:
    found = {}
    for kind, bits in attributes(bitset):
        for _, bit in attributes(bits) if kind == 3 else ():
            parts = dict(attributes(bit))
            found[parts[2].rstrip(b"\0").decode()] = 3 in parts
    return found


def others(setting: str, now: Value) -> list[Value]:
    """Values that it might have instead, the likeliest first."""
    return [value for value in _tried(setting, now) if not holds(now, value)]


def _tried(setting: str, now: Value) -> list[Value]:
    if isinstance(now, bool):
        return [not now]
    if isinstance(now, list):
        (first, *_) = now
        return _tried(setting, first)
    if not isinstance(now, int) or setting.endswith("_MAX"):
        return []
    if setting in ("RINGS_TCP_DATA_SPLIT", "NAPI_THREADED"):
        return [1, 2, 0]
    if "_USE_" in setting or setting.endswith("_PUSH") or setting.startswith("PAUSE"):
        return [1 - now]
    if setting.startswith("RINGS"):
        return [now * 2, now // 2, 512, 64]
    if setting.startswith("CHANNELS"):
        return [now + 1, now - 1]
    return [now + 40, now + 4, 1]


def holds(now: Value | None, value: Value) -> bool:
    """Whether a setting, of each NAPI if it is of NAPIs, has that value."""
    return all(each == value for each in now) if isinstance(now, list) else now == value


def send_frames(interface: str, seconds: float) -> None:
    """Something for a recording: what is left of a second is for the logger to see its end."""
    frame = b"\xff" * 6 + b"\x02" + bytes(5) + struct.pack("!H", _LOCAL_EXPERIMENT) + bytes(46)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as opened:
        opened.bind((interface, 0))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            opened.send(frame)
            time.sleep(0.01)


def main(interface: str, path: str, seconds: float) -> None:
    Path(path).write_text(json.dumps(Interface(interface).read()))
    send_frames(interface, seconds)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
