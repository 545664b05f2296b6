# SPDX-License-Identifier: Apache-2.0
"""The two hosts of `veth_pair`, one of them with a real sshd: a peer that can be driven.

The hosts have two links: `lab0`, which is tested, and `control0`, which ssh goes over. The key is
made for one lab and goes with it.
"""

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from veth_pair import INTERFACE, RECEIVER_ADDRESS, SENDER_ADDRESS, LabError, VethPair, run

__all__ = ["CONTROL", "INTERFACE", "LabError", "SshPeer"]

CONTROL = "control0"
HERE_CONTROL_ADDRESS, THERE_CONTROL_ADDRESS = "10.213.1.1", "10.213.1.2"
PORT = 2222
START_S = 10.0
CONFIGURATION = """
Port {port}
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv XDG_STATE_HOME={folder}/state PATH={path}
"""
USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class SshPeer:
    """Here the host under test, there its peer with sshd. Leaving the block removes everything.

    `programs`: a folder that the peer has in its PATH.
    """

    here_address, there_address = RECEIVER_ADDRESS, SENDER_ADDRESS

    def __init__(self, programs: Path | None = None) -> None:
        self._pair = VethPair()
        self._path = f"{programs}:{USUAL_PATH}" if programs else USUAL_PATH
        self.here, self.there = self._pair.receiver, self._pair.sender
        self._stack = ExitStack()
        self.destination = f"root@{THERE_CONTROL_ADDRESS}"

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._pair)
            folder = tempfile.TemporaryDirectory(prefix="coalescope-lab-")
            self.folder = Path(stack.enter_context(folder))
            self._link()
            self._keys()
            self._daemon = self._start_daemon(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def ssh_options(self) -> tuple[str, ...]:
        """What ssh needs within the namespace `here` to reach the peer."""
        return (
            *("-p", str(PORT), "-i", str(self.folder / "key"), "-F", "none"),
            *("-o", f"UserKnownHostsFile={self.folder / 'known_hosts'}"),
            *("-o", "IdentitiesOnly=yes", "-o", "LogLevel=ERROR"),
        )

    @property
    def ssh_options_from_outside(self) -> tuple[str, ...]:
        """The same for a process that is in neither namespace."""
        relay = Path(__file__).with_name("relay.py")
        through = f"ip netns exec {self.here} {sys.executable} {relay} %h %p"
        return (*self.ssh_options, "-o", f"ProxyCommand={through}")

    def inside(self, namespace: str, *command: str) -> str:
        """Run a command in one of the namespaces; what it printed."""
        return run(self._pair.inside(namespace, command))

    def visitors(self) -> set[int]:
        """Processes there beside sshd itself: sessions over ssh, and what they started."""
        found = run(["ip", "netns", "pids", self.there]).split()
        return {int(process) for process in found} - {self._daemon.pid}

    def _link(self) -> None:
        run(
            [
                *("ip", "link", "add", CONTROL, "netns", self.here, "type", "veth"),
                *("peer", "name", CONTROL, "netns", self.there),
            ]
        )
        for namespace, address in (
            (self.here, HERE_CONTROL_ADDRESS),
            (self.there, THERE_CONTROL_ADDRESS),
        ):
            run(["ip", "-n", namespace, "address", "add", f"{address}/24", "dev", CONTROL])
            run(["ip", "-n", namespace, "link", "set", CONTROL, "up"])
        # whoever compares the state of both ends finds them as they stay
        deadline = time.monotonic() + START_S
        while any(self._states(side) != {"up"} for side in (self.here, self.there)):
            if time.monotonic() > deadline:
                raise LabError("the links do not come up")
            time.sleep(0.01)

    def _states(self, side: str) -> set[str]:
        """Of both links."""
        paths = (f"/sys/class/net/{name}/operstate" for name in (INTERFACE, CONTROL))
        return set(self.inside(side, "cat", *paths).split())

    def _keys(self) -> None:
        for name in ("host_key", "key"):
            path = str(self.folder / name)
            run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", path])
        public = (self.folder / "host_key.pub").read_text()
        known = f"[{THERE_CONTROL_ADDRESS}]:{PORT} {public}"
        (self.folder / "known_hosts").write_text(known)

    def _start_daemon(self, stack: ExitStack) -> subprocess.Popen[bytes]:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where it drops its privileges
        configuration = self.folder / "sshd_config"
        own = {"folder": self.folder, "path": self._path}
        text = CONFIGURATION.format(port=PORT, address=THERE_CONTROL_ADDRESS, **own)
        configuration.write_text(text)
        log = stack.enter_context((self.folder / "sshd.log").open("wb"))
        command = ["/usr/sbin/sshd", "-D", "-e", "-f", str(configuration)]
        daemon = subprocess.Popen(self._pair.inside(self.there, command), stderr=log)
        stack.callback(_end, daemon)
        deadline = time.monotonic() + START_S
        while f":{PORT} " not in self.inside(self.there, "ss", "-Htln"):
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise LabError(f"sshd: {(self.folder / 'sshd.log').read_text()}")
            time.sleep(0.05)
        return daemon


def _end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    daemon.wait()
