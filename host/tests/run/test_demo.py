# SPDX-License-Identifier: Apache-2.0
"""`demo`: a surface of one machine, of which nothing stays, however it ends."""

import os
import shlex
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from coalescope_host.run_log import far_end_is_here, read
from manuals import ROOT, fence
from timeouts import TIMEOUT_S, wait_until

from .hosts_on_a_cable import TOOL, processes_with

pytestmark = [pytest.mark.network, pytest.mark.slow]

SERVE, DEMO = fence("README.md", "make serve").splitlines()


def spaces(pids: Iterable[int]) -> set[str]:
    """The network namespaces of processes; none of those that are gone."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            found.add(str(Path(f"/proc/{pid}/ns/net").readlink()))
    return found


def in_spaces(wanted: set[str]) -> list[int]:
    """The processes in these namespaces: without any, and without a name, they are no more."""
    everyone = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [pid for pid in everyone if spaces([pid]) & wanted]


def visible() -> str:
    """Links of its names, and where it mounts, as others see it."""
    links = subprocess.run(["ip", "-br", "link"], capture_output=True, text=True, check=True).stdout
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    ours = [line for line in mounts if line.split()[1] in ("/mnt", "/media", "/srv", "/sys")]
    return "\n".join([*ours, *(line for line in links.splitlines() if "coalescope" in line)])


@contextmanager
def demo(logger: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    sudo, program, *typed = shlex.split(DEMO, comments=True)
    assert (sudo, program) == ("sudo", ".venv/bin/coalescope-host")
    command = [*TOOL, *typed, "--replicates", "1", "--duration", "0.2", *arguments]
    process = subprocess.Popen(
        command,
        env={**os.environ, "PATH": f"{logger.parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_before_it_a_server_is_started() -> None:
    """`make serve` would end in that; what it sets up first is what the tests run in."""
    typed = shlex.split(SERVE, comments=True)
    done = subprocess.run(
        [*typed, "--dry-run"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-3:] == ["exec", ".venv/bin/coalescope", "serve"]


@pytest.mark.fault("C16")
def test_it_measures_a_surface_and_leaves_nothing(tmp_path: Path, logger: Path) -> None:
    before = visible()
    with demo(logger, "--out", str(tmp_path), "--server", "http://127.0.0.1:1") as process:
        shown, said = process.communicate(timeout=3 * TIMEOUT_S)
    assert process.returncode == 1, "the server has none of it"
    assert "12 of 12 runs done, 0 failed." in said
    assert "other tasks took" in said
    assert "the sender, on this machine, took" in said
    assert shown.split()[shown.split().index("mtu_bytes") + 1] == "factor.gro_flush_timeout_ns"
    assert "What this cannot show: a card." in said
    assert "http://127.0.0.1:1/explorer/demo" in said
    logs = [read(path) for path in (tmp_path / "logs").glob("*.runlog")]
    assert all(far_end_is_here(log.header["environment"]) for log in logs)
    cells = {
        tuple(
            log.header["factors"][name]["read_back"] for name in sorted(log.header["factors"])[:2]
        )
        for log in logs
    }
    assert len(logs) == len(cells) == 12
    rows = [line.split() for line in shown.splitlines() if line.strip()[:4].isdigit()]
    assert len(rows) == 12
    assert visible() == before


@pytest.mark.fault("H3")
def test_the_page_shows_a_cpu_time_that_the_logs_have(tmp_path: Path, logger: Path) -> None:
    """Without eBPF they have none of the interface's own."""
    without = tmp_path / "bin" / "coalescope-logger"
    without.parent.mkdir()
    without.write_text(
        '#!/bin/sh\nfor a; do shift; [ "$a" = auto ] && a=proc; set -- "$@" "$a"; done\n'
        f'exec {logger} "$@"\n'
    )
    without.chmod(0o755)
    with demo(without, "--out", str(tmp_path), "--server", "http://127.0.0.1:1") as process:
        _, said = process.communicate(timeout=3 * TIMEOUT_S)
    assert "http://127.0.0.1:1/explorer/demo?measure=workload_cpu_percent\n" in said


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_stays_however_it_ends(
    tmp_path: Path, logger: Path, number: signal.Signals
) -> None:
    before = visible()
    own = spaces([os.getpid()])
    with demo(logger, "--out", str(tmp_path)) as process:
        wait_until(lambda: list((tmp_path).glob("logs/*.part")), "no run begins")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        made = spaces([process.pid, *map(int, children)]) - own
        assert len(made) == 2
        process.send_signal(number)
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert (f"The logs: {tmp_path / 'logs'}\n" in said) is (number != signal.SIGKILL)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    wait_until(lambda: not in_spaces(made), "a namespace is left")
    assert visible() == before
    wait_until(lambda: not processes_with(str(tmp_path)), "a process is left")


# a root with this machine's folders, but for /proc and /sys; mounted itself if $1 says so
CHROOT = """
[ "$1" = plain ] || mount --bind "$0" "$0"
cd "$0"
for folder in /*; do
	case $folder in /proc|/sys|/mnt|/media|/srv|/lost+found) mkdir -p ".$folder"; continue;; esac
	if [ -L "$folder" ]; then cp -P "$folder" .; elif [ -d "$folder" ]; then
		mkdir -p ".$folder" && mount --rbind "$folder" ".$folder"
	fi
done
[ "$2" = none ] || mount -t proc proc proc
shift 2
exec chroot . "$@"
"""


@pytest.mark.parametrize(
    ("root", "proc", "without", "missing"),
    [
        ("plain", "none", "", "/proc is not mounted (mount -t proc proc /proc)."),
        ("plain", "proc", "", "this root is not mounted, as in a plain chroot"),
        ("mounted", "proc", "-net_admin", "this process needs CAP_NET_ADMIN (run it with sudo)."),
        ("mounted", "proc", "-sys_admin,-sys_chroot", "needs CAP_SYS_CHROOT, CAP_SYS_ADMIN"),
    ],
)
def test_what_a_chroot_lacks_is_said_before_anything(
    tmp_path: Path, root: str, proc: str, without: str, missing: str
) -> None:
    command = [*TOOL, "demo", "--out", "/mnt/demo"]
    if without:
        command = ["setpriv", f"--bounding-set={without}", *command]
    outside = ["unshare", "--mount", "sh", "-ec", CHROOT, str(tmp_path), root, proc]
    done = subprocess.run([*outside, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (reason,) = done.stderr.strip().splitlines()[-1:]
    assert reason.startswith("coalescope-host demo: Network namespaces cannot be made here: ")
    assert missing in reason
    assert not (tmp_path / "mnt/demo").exists()
