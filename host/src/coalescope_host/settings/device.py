# SPDX-License-Identifier: Apache-2.0
"""One network interface: what netlink and sysfs say of it, and the means to change it.

Sockets stay open, but only as long as requests get their answers: an interrupt in the middle of one
leaves nothing behind that the restore would stumble over.
"""

from __future__ import annotations

import array
import ctypes
import errno
import fcntl
import os
import shlex
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import SettingError, UnsupportedError
from .netlink import (
    NLM_F_ACK,
    NLM_F_DUMP,
    NLM_F_REQUEST,
    GenericNetlinkSocket,
    IPRoute,
    NetlinkError,
)
from .program import output, run

ETHTOOL_VERSION = 1
POLL_S = 0.05
CLONE_NEWNET = 0x40000000
_SIOCETHTOOL = 0x8946
_ETHTOOL_REQUEST = struct.Struct("16sP16x")

NAMED_NAMESPACES = Path("/run/netns")

_sockets: dict[tuple[Any, Path], tuple[int, Any]] = {}
"""By what they are for and where: the inode of the network namespace, and the socket."""
_seen_in_sysfs: dict[str, int] = {}


@contextmanager
def _kept(of: Any, namespace: Path, open_socket: Callable[[], Any]) -> Iterator[Any]:
    """Lend a socket that is kept for the next request of its kind, unless this one is cut short.

    One of a namespace that has ended is not lent to another one of its name.
    """
    inode = namespace.stat().st_ino
    was, kept = _sockets.pop((of, namespace), (inode, None))
    if kept is not None and was != inode:
        kept.close()
        kept = None
    kept = kept or open_socket()
    try:
        yield kept
    except NetlinkError:  # the kernel's refusal is a whole answer
        _sockets[of, namespace] = inode, kept
        raise
    except BaseException:
        kept.close()
        raise
    _sockets[of, namespace] = inode, kept


@dataclass(frozen=True)
class Device:
    """An interface by name in a network namespace; None is the namespace of this process."""

    name: str
    netns: str | None = None

    def __str__(self) -> str:
        return self.name if self.netns is None else f"{self.name} (namespace {self.netns})"

    @property
    def namespace(self) -> Path:
        """The file that is the interface's network namespace."""
        if self.netns is None:
            return Path("/proc/self/ns/net")
        return NAMED_NAMESPACES / self.netns  # of a path, the path

    def command(self, *words: object) -> str:
        """The shell command that does something in the interface's namespace."""
        inside = [] if self.netns is None else ["ip", "netns", "exec", self.netns]
        return shlex.join([*inside, *map(str, words)])

    def routing(self, request: Callable[[Any], Any], what: str) -> Any:
        """Do a request with an open IPRoute socket and return all that it answers.

        Raises:
            SettingError: what the kernel refused, in its words; `what` says what was asked.
        """
        try:
            with _kept("route", self.namespace, self._open_routing) as kept:
                return request(kept)
        except (NetlinkError, OSError) as error:
            raise said(error, f"{self}: {what}") from None

    def _open_routing(self) -> Any:
        return IPRoute(ext_ack=True, netns=self.netns, flags=0)

    def _open_generic(self, family: str, message_class: Any) -> Any:
        opened = GenericNetlinkSocket(ext_ack=True, netns=self.netns, flags=0)
        try:
            opened.bind(family, message_class)
        except BaseException:
            opened.close()
            raise
        return opened

    def socket(self) -> socket.socket:
        """A socket in the interface's namespace, for requests that netlink does not have."""
        if self.netns is None:
            return socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        found: list[socket.socket | OSError] = []
        thread = threading.Thread(target=_open_there, args=(self.netns, found))
        thread.start()
        thread.join()
        if isinstance(opened := found[0], OSError):
            raise opened
        return opened

    def ethtool_ioctl(self, content: bytes) -> bytes:
        """Send one command of ethtool that netlink does not have; what the kernel made of it.

        Raises:
            OSError: what the kernel refused.
        """
        buffer = array.array("B", content)
        request = _ETHTOOL_REQUEST.pack(self.name.encode(), buffer.buffer_info()[0])
        with self.socket() as opened:
            fcntl.ioctl(opened, _SIOCETHTOOL, request)
        return buffer.tobytes()

    def sysfs_names(self, folder: str) -> list[str]:
        """What is in a folder of /sys/class/net/NAME, sorted; nothing where there is none."""
        path = self._sysfs_path(folder)
        if self.netns is not None:
            return sorted((self._inside(["ls", "-1", str(path)]) or "").split())
        if not self.is_in_sysfs() or not path.is_dir():
            return []
        return sorted(entry.name for entry in path.iterdir())

    def hardware(self) -> Path | None:
        """The folder of the interface's hardware in /sys/devices; None if there is none."""
        path = self._sysfs_path("device")
        if self.netns is not None:
            target = self._inside(["readlink", "-e", str(path)])
            return Path(target) if target else None
        return path.resolve() if self.is_in_sysfs() and path.exists() else None

    def link(self) -> Any:
        """The interface as the kernel describes it now."""
        answer = self.routing(lambda ip: list(ip.link("get", ifname=self.name)), "cannot be read")
        return answer[0]

    def index(self) -> int:
        """The interface's number.

        Raises:
            SettingError: there is no such interface.
        """
        if self.netns is not None:
            return int(self.link()["index"])
        try:
            return socket.if_nametoindex(self.name)
        except OSError:
            raise said(OSError(errno.ENODEV, ""), f"{self}: cannot be read") from None

    def exists(self) -> bool:
        """Whether there is such an interface in the namespace."""
        try:
            self.index()
        except SettingError:
            return False
        return True

    def change_link(self, what: str, **attributes: object) -> None:
        """Change attributes of the link, as `ip link set` does."""
        index = self.index()
        self.routing(lambda ip: ip.link("set", index=index, **attributes), what)

    def ethtool(self, message_class: Any, command: int, what: str, attributes: Any = ()) -> Any:
        """Send one request to the kernel's ethtool family; its answer, or None for a plain yes.

        Raises:
            UnsupportedError: if the driver does not know this kind of setting.
            SettingError: if it refuses.
        """
        message = self._ethtool_message(message_class, command, attributes)
        answers = self._generic("ethtool", message, NLM_F_ACK, what)
        return answers[0] if answers else None

    def ethtool_list(self, message_class: Any, command: int, what: str) -> Sequence[Any]:
        """All answers to one request of which the device may have several.

        Raises:
            SettingError: what the kernel refused, or that it lists nothing of the kind.
        """
        message = self._ethtool_message(message_class, command)
        return self._generic("ethtool", message, NLM_F_DUMP, what)

    def _ethtool_message(self, message_class: Any, command: int, attributes: Any = ()) -> Any:
        message = message_class()
        message["cmd"], message["version"] = command, ETHTOOL_VERSION
        header = {"attrs": [["ETHTOOL_A_HEADER_DEV_NAME", self.name]]}
        message["attrs"] = [(f"{message.prefix}HEADER", header), *attributes]
        return message

    def netdev(self, message: Any, what: str, *, everything: bool = False) -> Sequence[Any]:
        """Send a message of the netdev family; `everything`: for all that it lists.

        Raises:
            SettingError: what the kernel refused, or that it has no such family.
        """
        return self._generic("netdev", message, NLM_F_DUMP if everything else NLM_F_ACK, what)

    def _generic(self, family: str, message: Any, flag: int, what: str) -> Sequence[Any]:
        message_class = type(message)
        try:
            lent = _kept(
                message_class, self.namespace, lambda: self._open_generic(family, message_class)
            )
            with lent as kept:
                return list(
                    kept.nlm_request(message, msg_type=kept.prid, msg_flags=NLM_F_REQUEST | flag)
                )
        except (NetlinkError, OSError) as error:
            raise said(error, f"{self}: {what}") from None

    def sysfs(self, attribute: str) -> str | None:
        """The text of /sys/class/net/NAME/ATTRIBUTE; None where there is no such attribute."""
        self._same_namespace()
        path = self._sysfs_path(attribute)
        if self.netns is not None:
            return self._inside(["cat", str(path)])
        try:
            return path.read_text(encoding="ascii").strip()
        except OSError:
            return None

    def write_sysfs(self, attribute: str, value: str, what: str) -> None:
        """Write an attribute of the interface in sysfs."""
        self._same_namespace()
        path = self._sysfs_path(attribute)
        if self.netns is not None:
            inside = ["ip", "netns", "exec", self.netns, "tee", str(path)]
            run(inside, f"{self}: {what}", text=value)
            return
        try:
            path.write_text(value, encoding="ascii")
        except OSError as error:
            raise said(error, f"{self}: {what}") from None

    def sysfs_link(self, attribute: str) -> str | None:
        """The last part of what a symbolic link in sysfs points to, e.g. of "device/driver"."""
        path = self._sysfs_path(attribute)
        if self.netns is not None:
            target = self._inside(["readlink", str(path)])
            return None if target is None else Path(target).name
        return path.readlink().name if path.is_symlink() else None

    def has_carrier(self) -> bool:
        """Whether the interface is up and its cable carries a signal."""
        if self.netns is None:
            return self.sysfs("carrier") == "1"
        return bool(self.link().get_attr("IFLA_CARRIER"))

    def wait_for_carrier(self, seconds: float) -> bool:
        """Wait until the interface has a carrier; False if it takes longer."""
        return wait_until(self.has_carrier, seconds)

    def _sysfs_path(self, attribute: str) -> Path:
        return Path("/sys/class/net", self.name, attribute)

    def _inside(self, command: Sequence[str]) -> str | None:
        printed = output(["ip", "netns", "exec", str(self.netns), *command])
        return None if printed is None else printed.strip()

    def is_in_sysfs(self) -> bool:
        """Whether /sys shows this interface, and not one of its name in another namespace."""
        if self.netns is not None:  # `ip netns exec` mounts the right one
            return True
        try:
            index = int(self._sysfs_path("ifindex").read_text(encoding="ascii"))
        except OSError:
            index = 0
        if _seen_in_sysfs.get(self.name) != index:  # an interface that comes back has another
            if index != self.index():
                return False
            _seen_in_sysfs[self.name] = index
        return True

    def _same_namespace(self) -> None:
        if not self.is_in_sysfs():
            raise SettingError(
                f"{self}: /sys belongs to another network namespace than this process; "
                "enter the namespace with `ip netns exec`, which mounts the right one"
            )


def _open_there(netns: str, found: list[socket.socket | OSError]) -> None:
    """Open a socket in another namespace: a thread can enter one and leave the others here."""
    try:
        path = netns if "/" in netns else f"/run/netns/{netns}"
        place = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if ctypes.CDLL(None, use_errno=True).setns(place, CLONE_NEWNET):
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number))
            found.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC))
        finally:
            os.close(place)
    except OSError as error:
        found.append(error)


def said(error: Exception, context: str) -> SettingError:
    """An error of the kernel in words that say what to do."""
    code = getattr(error, "code", None) or getattr(error, "errno", None)
    words = error.args[-1] if error.args and isinstance(error.args[-1], str) else str(error)
    if code in (errno.EOPNOTSUPP, errno.ENOTSUP):
        return UnsupportedError(f"{context}: not supported by this driver ({words})")
    if code in (errno.EPERM, errno.EACCES):
        return SettingError(f"{context}: no permission; this needs root (CAP_NET_ADMIN)")
    if code == errno.ENODEV:
        return SettingError(f"{context}: there is no such interface; `ip -br link` lists them")
    if code == errno.EINVAL and words == os.strerror(errno.EINVAL):
        return SettingError(f"{context}: the driver refuses this value (invalid argument)")
    return SettingError(f"{context}: {words}")


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Ask again and again until it holds; False if that takes longer."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True
