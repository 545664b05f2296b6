# SPDX-License-Identifier: Apache-2.0
"""Both units under a systemd that boots: the server's, and the one that restores after a crash.

debootstrap makes the root; DEBIAN_MIRROR names a mirror other than its own. systemd is the first
process of namespaces of its own; the kernel is this one's, so a boot has the same boot ID.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path

import pytest
from timeouts import wait_until

ROOT = Path(__file__).parents[2]
MIRROR = os.environ.get("DEBIAN_MIRROR")
SUITES = {(3, 11): "bookworm", (3, 13): "trixie"}
"""With the Python that these tests run with: the server's packages are its own."""
SUITE = SUITES.get(sys.version_info[:2])
PACKAGES = "systemd,systemd-sysv,python3,iproute2,ethtool"
# $0 becomes the whole of what is seen
BOOT = """
mount --bind "$0" "$0"; cd "$0"
mount -t proc proc proc; mount -t sysfs sysfs sys; mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run; mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do
	: > "dev/$name"; mount --bind "/dev/$name" "dev/$name"
done
ln -s /proc/self/fd dev/fd; ln -s pts/ptmx dev/ptmx; mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mkdir -p outside; pivot_root . outside; umount -l /outside; rmdir /outside
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
"""
SPACES = ("--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup")
SERVER, RESTORE = "coalescope.service", "coalescope-host-restore.service"
ASK = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=30).read().decode())"
UPLOAD = """
import urllib.request as r
table = b"mtu_bytes,delay_us,replicate,throughput_mbps\\n1500,0,1,900\\n9000,0,1,990\\n"
print(r.urlopen("http://127.0.0.1:8000/api/uploads?filename=lab.csv&experiment=lab", table).status)
"""
# as a sweep does before its first change
SAVE = """
import sys
sys.path.insert(0, "/usr/bin/coalescope-host")
from coalescope_host.settings import restore_file
from coalescope_host.settings.host import open_host
restore_file.write(restore_file.file_of("cable0"), open_host("cable0").save())
"""
ADDRESS = "02:00:00:00:00:01"
CABLE = f"""\
[Unit]
Before={RESTORE}
[Service]
Type=oneshot
ExecStart=ip link add cable0 mtu 1500 address {ADDRESS} type veth peer cable1
[Install]
WantedBy=multi-user.target
"""

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
    pytest.mark.skipif(shutil.which("debootstrap") is None, reason="needs debootstrap"),
    pytest.mark.skipif(SUITE is None, reason="no release of Debian has this Python"),
]


class Machine:
    """A root that is booted, and how to run programs in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.systemd = 0

    @contextmanager
    def booted(self) -> Iterator[None]:
        """At the end its power is cut."""
        command = ["unshare", *SPACES, "--fork", "sh", "-ec", BOOT, str(self.root)]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as outside:
            children = Path(f"/proc/{outside.pid}/task/{outside.pid}/children")
            wait_until(lambda: children.read_text().strip(), "nothing is booted")
            self.systemd = int(children.read_text())
            try:
                wait_until(lambda: self.run("systemctl", check=False) == 0, "systemd is not up")
                self.said("systemctl", "is-system-running", "--wait", check=False)
                yield
            finally:
                os.kill(self.systemd, signal.SIGKILL)

    def _inside(self, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        command = ["nsenter", "--all", f"--target={self.systemd}", *words]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def run(self, *words: str, check: bool = True) -> int:
        done = self._inside(words)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.returncode

    def said(self, *words: str, check: bool = True) -> str:
        done = self._inside(words)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def shown(self, unit: str) -> Mapping[str, str]:
        text = self.said("systemctl", "show", unit)
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    def ask(self, path: str) -> str | None:
        """What the server answers; None where it does not."""
        done = self._inside(("python3", "-c", ASK, f"http://127.0.0.1:8000{path}"))
        return done.stdout if done.returncode == 0 else None

    def runs(self) -> int:
        """How many are stored."""
        return len(json.loads(self.ask("/api/experiments/lab/runs") or "")["runs"])

    def wait_for_server(self) -> None:
        wait_until(lambda: self.ask("/api/health"), "the server does not answer")

    def process(self) -> Mapping[str, str]:
        """The server's: /proc/PID/status."""
        text = self.said("cat", f"/proc/{self.shown(SERVER)['MainPID']}/status")
        return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def install_server(root: Path, folder: Path) -> None:
    """As docs/operation.md says, but for packages: those are this environment's."""
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    made = ["make", "-s", "-C", str(ROOT), "wheels", f"WHEELS={folder}"]
    subprocess.run(made, check=True, env=environment, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("coalescope-*.whl")
    version = f"python3.{sys.version_info.minor}"
    packages = root / "opt/coalescope/lib" / version / "site-packages"
    lock = (ROOT / "requirements.lock").read_text()
    for name in ["pip", *re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)]:
        for found in distributions(name=name):
            for file in found.files or ():
                if ".." not in file.parts and file.suffix != ".pyc":
                    (packages / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file.locate(), packages / file)
    programs = root / "opt/coalescope/bin"
    programs.mkdir()
    (programs / "python").symlink_to("/usr/bin/python3")
    (root / "opt/coalescope/pyvenv.cfg").write_text("home = /usr/bin\n")
    shutil.copy(wheel, root / "root" / wheel.name)
    pip = ["/opt/coalescope/bin/python", "-m", "pip", "install", "--no-index", "--no-deps"]
    subprocess.run(["chroot", root, *pip, f"/root/{wheel.name}"], check=True)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("machine")
    root = folder / "root"
    made = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", str(SUITE), str(root)]
    if MIRROR:
        made.append(MIRROR)
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    install_server(root, folder)
    yield Machine(root)
    shutil.rmtree(folder)


def test_the_server_s_unit_starts_stops_restarts_and_outlasts_a_crash(machine: Machine) -> None:
    unit = f"/opt/coalescope/lib/systemd/system/{SERVER}"
    with machine.booted():
        machine.run("systemctl", "enable", "--now", unit)
        machine.wait_for_server()
        status = machine.process()
        assert status["Uid"].split()[0] != "0"
        assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
        assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
        assert machine.said("python3", "-c", UPLOAD) == "201\n"
        machine.run("systemctl", "stop", SERVER)
        ended = machine.shown(SERVER)
        assert (ended["ActiveState"], ended["Result"]) == ("inactive", "success")
        assert (ended["ExecMainCode"], ended["ExecMainStatus"]) == ("1", "0")  # it exited by itself
        assert machine.ask("/api/health") is None, "control"
        machine.run("systemctl", "start", SERVER)
        machine.wait_for_server()
        assert machine.runs() == 2
        machine.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", SERVER)
        wait_until(lambda: machine.shown(SERVER)["NRestarts"] == "1", "it is not started again")
        machine.wait_for_server()
    with machine.booted():
        machine.wait_for_server()
        assert machine.runs() == 2


def test_what_a_sweep_left_changed_is_put_back_at_the_next_boot(
    machine: Machine, tmp_path: Path
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    made = ["make", "-s", "-C", str(ROOT), "packages", f"WHEELS={tmp_path}"]
    subprocess.run(made, check=True, env=environment, stdout=subprocess.DEVNULL)
    (package,) = tmp_path.glob("coalescope-host_*.deb")
    shutil.copy(package, machine.root / "root" / package.name)
    (machine.root / "etc/systemd/system/cable.service").write_text(CABLE)
    saved = machine.root / "var/lib/coalescope-host/cable0.json"
    mtu = ("cat", "/sys/class/net/cable0/mtu")
    with machine.booted():
        machine.run("dpkg", "-i", f"/root/{package.name}")
        assert machine.said("systemctl", "is-enabled", RESTORE) == "enabled\n"
        machine.run("systemctl", "enable", "--now", "cable")
        machine.run("python3", "-c", SAVE)
    assert saved.exists()
    changed = CABLE.replace("mtu 1500", "mtu 1280")
    (machine.root / "etc/systemd/system/cable.service").write_text(changed)
    with machine.booted():
        restored = machine.shown(RESTORE)
        assert (restored["Result"], restored["ExecMainStatus"]) == ("success", "0"), restored
        assert machine.said(*mtu) == "1500\n"
    assert not saved.exists()
    with machine.booted():
        assert machine.shown(RESTORE)["ConditionResult"] == "no"
        assert machine.said(*mtu) == "1280\n", "control: without a file nothing is put back"
