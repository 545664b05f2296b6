# SPDX-License-Identifier: Apache-2.0
"""The systemd unit: what systemd says of it, and that the server works within what it allows."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from timeouts import TIMEOUT_S

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "backend/packaging/coalescope.service"
MOST_EXPOSURE = 20  # tenths; systemd calls 1.1 to 3.9 "OK", and a unit without any of it has 9.6
HAS_SYSTEMD = shutil.which("systemd-analyze") is not None
UNTRACED = "futex,read,write,pread64,pwrite64,epoll_wait,getpid,gettid,lseek,fstat,newfstatat"
needs_systemd = pytest.mark.skipif(not HAS_SYSTEMD, reason="needs systemd-analyze")


def settings() -> list[tuple[str, str]]:
    """All of the unit, in order."""
    return re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE)


def analysed(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "--no-pager", *map(str, words)]
    environment = {**os.environ, "LC_ALL": "C", "SYSTEMD_COLORS": "0"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.fault("C11")
@needs_systemd
def test_systemd_takes_it(tmp_path: Path) -> None:
    here = Path(sys.executable).with_name("coalescope")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/coalescope/bin/coalescope", str(here)))
    assert [
        line for line in analysed("verify", unit).stderr.splitlines() if UNIT.name in line
    ] == []
    unit.write_text(unit.read_text() + "ProtectEverything=yes\n[Service]\nNoNewPrivilege=yes\n")
    assert "NoNewPrivilege" in analysed("verify", unit).stderr, "control: what is no setting"


@needs_systemd
def test_little_is_left_open(tmp_path: Path) -> None:
    how = ("security", "--offline=true", f"--threshold={MOST_EXPOSURE}")
    done = analysed(*how, UNIT)
    assert done.returncode == 0, done.stdout
    open_unit = tmp_path / UNIT.name
    open_unit.write_text("[Service]\nExecStart=/bin/true\n")
    assert analysed(*how, open_unit).returncode != 0, "control: a unit that allows all"


def test_beyond_loopback_it_does_not_listen_by_itself() -> None:
    environment = [value for name, value in settings() if name == "Environment"]
    assert environment == ["COALESCOPE_DATA_DIR=%S/coalescope"]


class Service:
    """The unit's command with its settings, without systemd, and what it asked of the kernel."""

    def __init__(self, folder: Path) -> None:
        self.state, self.trace = folder / "state", folder / "trace"
        self.url = ""
        for one in (self.state, folder / "tmp"):
            one.mkdir(mode=0o700)
        given = [value for name, value in settings() if name == "Environment"]
        (name, value) = given[0].replace("%S/coalescope", str(self.state)).split("=")
        self.environment = {
            name: value,
            "COALESCOPE_PORT": "0",
            "COALESCOPE_READING_SECONDS": "120",  # traced, it is slower
            "TMPDIR": str(folder / "tmp"),
            "PATH": os.environ["PATH"],
        }
        (start,) = (value for name, value in settings() if name == "ExecStart")
        command = start.replace("/opt/coalescope/bin", str(Path(sys.executable).parent))
        # ProtectSystem=strict and StateDirectory; then no capability, and none to be had
        places = f"mount --bind {self.state} {self.state}; mount --bind {folder}/tmp {folder}/tmp;"
        places += "mount -o remount,bind,ro /; exec setpriv --no-new-privs --inh-caps=-all"
        places += " --bounding-set=-all"
        traced = f"strace --seccomp-bpf -f -qq -e trace=!{UNTRACED} -o /proc/self/fd/3 {command}"
        self.command = ["unshare", "--mount", "sh", "-ec", f"umask 077; {places} {traced}"]

    @contextmanager
    def started(self) -> Iterator[str]:
        with subprocess.Popen(
            ["sh", "-c", 'exec 3>"$0"; exec "$@"', str(self.trace), *self.command],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            if not found:
                process.kill()
                raise AssertionError(process.communicate())
            try:
                yield found[0].rstrip("/")
                children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
                os.kill(int(children.split()[0]), signal.SIGTERM)
                _, complaints = process.communicate(timeout=TIMEOUT_S)
            finally:
                process.kill()
            assert process.returncode == 0, complaints
            assert complaints == ""


def allowed(filter_set: str) -> set[str]:
    """System calls of a set of systemd's and of those that it has inside."""
    said = analysed("syscall-filter").stdout
    sets = {
        block.split()[0]: [line.strip() for line in block.splitlines()[1:]]
        for block in re.split(r"^(?=@)", said, flags=re.MULTILINE)
        if block.startswith("@")
    }
    found, waiting = set[str](), [filter_set, "@default"]
    while waiting:
        for name in sets[waiting.pop()]:
            if name.startswith("@"):
                waiting.append(name)
            elif name and not name.startswith("#"):
                found.add(name)
    return found


@needs_systemd
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_the_server_works_within_what_it_allows(
    tmp_path: Path, make_log: Callable[..., bytes]
) -> None:
    """It starts on a machine that it cannot write, stores, fits, and ends in order."""
    service = Service(tmp_path)
    with service.started() as url:
        assert url.startswith("http://127.0.0.1:")
        fit = b'{"model": "cpu-overhead"}'
        table = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,0,1,990\n"
        log = make_log()
        # larger than what the server reads in its own process
        many = table + b"".join(
            b"9000,%d,%d,985\n" % (one % 900, 2 + one // 900) for one in range(4_000)
        )
        for path, content in (
            ("/api/uploads?filename=a.runlog", log),
            ("/api/uploads?filename=lab.csv", table),
            ("/api/uploads?filename=many.csv", many),
            ("/api/experiments/geist-2005-nfs/fits", fit),
        ):
            kind = "application/json" if path.endswith("fits") else "application/octet-stream"
            asked = {"content": content, "headers": {"Content-Type": kind}}
            answer = httpx.post(url + path, timeout=TIMEOUT_S, **asked)
            assert answer.status_code in (200, 201), answer.text
    assert {path.name for path in service.state.iterdir()} >= {"coalescope.sqlite", "logs"}
    trace = service.trace.read_text()
    called = set(re.findall(r"^\d+ +(\w+)\(", trace, re.MULTILINE))
    assert {"openat", "execve", "listen"} <= called, "control: it was traced"
    (filter_set,) = (value for name, value in settings() if name == "SystemCallFilter")
    assert (called | set(UNTRACED.split(","))) - allowed(filter_set) == set()
    # MemoryDenyWriteExecute
    executable = re.findall(r"^\d+ +(?:mmap|mprotect)\(.*PROT_EXEC.*$", trace, re.MULTILINE)
    assert executable, "control: libraries are mapped"
    assert [line for line in executable if "PROT_WRITE" in line or "mprotect" in line] == []
    families = set(re.findall(r" socket\((AF_\w+)", trace))
    (few,) = (value for name, value in settings() if name == "RestrictAddressFamilies")
    assert families <= set(few.split())
