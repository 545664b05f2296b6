# SPDX-License-Identifier: Apache-2.0
"""Two hosts on this machine: network namespaces that a veth pair joins.

They have no name and no owner but processes: when this one ends, however it ends, the kernel
removes them, and all that was mounted for them.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from coalescope_host.program_environment import program_environment
from coalescope_host.protocols import SweepError
from coalescope_host.settings.capabilities import NET_ADMIN, SYS_ADMIN, SYS_CHROOT, lacking
from coalescope_host.settings.device import Device
from coalescope_host.settings.host import open_host
from coalescope_host.settings.netlink import IPRoute

NEAR, FAR = "coalescope0", "coalescope1"
NEAR_ADDRESS, FAR_ADDRESS = "198.18.0.1", "198.18.0.2"
"""Of the block for tests between networks (RFC 2544): in namespaces of their own, nobody's."""
PREFIX = 24

_CLONE_NEWNS, _CLONE_NEWNET = 0x00020000, 0x40000000
_LIBC = ctypes.CDLL(None, use_errno=True)
_OWN_SYSFS = "mount -t sysfs sysfs /sys"
_EMPTY_FOLDERS = ("/mnt", "/media", "/srv")
_REFUSED = "Network namespaces cannot be made here"


@dataclass(frozen=True)
class Cable:
    """What joins the two.

    Attributes:
        shell: runs a command line at the far end when that is added to it.
        memory: a folder that goes with this process.
        home: the network namespace that this process came from.
    """

    shell: tuple[str, ...]
    memory: Path
    home: int

    @contextmanager
    def at_home(self) -> Iterator[None]:
        """Open sockets in the network that this process came from."""
        here = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            _enter(self.home)
            yield
        finally:
            _enter(here)
            os.close(here)


@contextmanager
def cable(mtu_bytes: int) -> Iterator[Cable]:
    """Move this process to the near end of a new cable; `mtu_bytes`: of the far end.

    Nobody leaves: the process ends there.

    Raises:
        SweepError: if namespaces cannot be made; it says what is missing for them.
    """
    _check_here()
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    if _LIBC.unshare(_CLONE_NEWNET | _CLONE_NEWNS):
        reason = os.strerror(ctypes.get_errno())
        raise SweepError(f"{_REFUSED}: {reason}.")
    _run("mount", "--make-rprivate", "/")
    _run(*_OWN_SYSFS.split())
    with _far_end() as pid:
        _join(pid, mtu_bytes)
        shell = ("nsenter", "--target", str(pid), "--net", "--mount", "sh", "-c")
        yield Cable(shell, _memory(), home)


def _check_here() -> None:
    """Errors: SweepError with all that a plain chroot, a container or a user lacks."""
    mounts = Path("/proc/self/mountinfo")
    if not mounts.exists():
        raise SweepError(f"{_REFUSED}: /proc is not mounted (mount -t proc proc /proc).")
    missing = []
    if "/" not in (line.split()[4] for line in mounts.read_text().splitlines()):
        missing.append(
            "this root is not mounted, as in a plain chroot (mount --bind DIR DIR, then chroot DIR)"
        )
    if needed := lacking(NET_ADMIN, SYS_CHROOT, SYS_ADMIN):
        missing.append(f"this process needs {', '.join(needed)} (run it with sudo)")
    if missing:
        raise SweepError(f"{_REFUSED}: {'; '.join(missing)}.")


@contextmanager
def _far_end() -> Iterator[int]:
    """A process in namespaces of its own, which ends when its input does, thus with this one."""
    holder = subprocess.Popen(  # noqa: S603
        ["unshare", "--net", "--mount", "sh", "-c", f"{_OWN_SYSFS} && echo && exec cat"],  # noqa: S607
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program_environment(),
        start_new_session=True,  # the terminal's Ctrl-C is for the sweep alone
    )
    try:
        assert holder.stdout is not None
        assert holder.stderr is not None
        if not holder.stdout.readline():
            raise SweepError(f"The far end cannot be made: {holder.stderr.read().decode().strip()}")
        yield holder.pid
    finally:
        holder.communicate()


def _join(pid: int, far_mtu_bytes: int) -> None:
    """A veth pair between the two, both ends up.

    Without TSO at the far end frames are what a wire would carry, and the near end polls for them.
    """
    near, far = Device(NEAR), Device(FAR)
    near.routing(
        lambda ip: ip.link("add", ifname=NEAR, kind="veth", peer={"ifname": FAR}),
        "no veth pair can be made",
    )
    open_host(FAR).apply({"offload.tso": False})
    far.routing(lambda ip: ip.link("set", index=far.index(), net_ns_pid=pid), "cannot be moved")
    _up(NEAR, NEAR_ADDRESS, far_mtu_bytes)
    here = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    try:
        _enter(there)
        _up(FAR, FAR_ADDRESS, far_mtu_bytes)
    finally:
        _enter(here)
        os.close(there)
        os.close(here)


def _up(name: str, address: str, mtu_bytes: int) -> None:
    with IPRoute() as ip:
        (index,) = ip.link_lookup(ifname=name)
        ip.addr("add", index=index, address=address, prefixlen=PREFIX)
        ip.link("set", index=index, mtu=mtu_bytes, state="up")


def _memory() -> Path:
    """A folder in memory, in the mount namespace of this process only."""
    for name in _EMPTY_FOLDERS:
        folder = Path(name)
        if folder.is_dir() and not any(folder.iterdir()):
            _run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", name)
            return folder
    raise SweepError(f"None of {', '.join(_EMPTY_FOLDERS)} is empty: say with --out where logs go.")


def _run(*command: str) -> None:
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=False, env=program_environment()
        )
    except OSError as error:
        raise SweepError(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        raise SweepError(f"{' '.join(command)}: {done.stderr.strip()}")


def _enter(namespace: int) -> None:
    if _LIBC.setns(namespace, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
