# SPDX-License-Identifier: Apache-2.0
"""Two hosts on a veth pair in namespaces, one with a real sshd, for the real command line."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.schedule import schedule
from ssh_peer import INTERFACE, SshPeer
from timeouts import TIMEOUT_S, wait_until

ROOT = Path(__file__).resolve().parents[3]

TOOL = (sys.executable, "-m", "coalescope_host")
PLACES = ("bin/coalescope-host", ".venv/bin/coalescope-host", "coalescope-host.pyz")
"""Where the manuals have it: installed, in a checkout, as one file."""
WORKLOADS = """
[workloads.udp]
kind = "udp-fan-in"
rate_mbps = 50
[workloads.tcp]
kind = "tcp-fan-in"
"""


@dataclass
class Hosts:
    """Two hosts, a folder with a plan, and the programs on PATH."""

    lab: SshPeer
    folder: Path
    programs: Path
    wide_addresses: tuple[str, str] | None = None

    def use_ipv6(self) -> None:
        """Both ends get an address more; plans that are written later name the peer's."""
        self.wide_addresses = "fd00:5b::1", "fd00:5b::2"
        sides = (self.lab.here, self.lab.there)
        for side, address in zip(sides, self.wide_addresses, strict=True):
            given = ("address", "replace", f"{address}/64", "dev", INTERFACE, "nodad")
            self.lab.inside(side, "sysctl", "-qw", f"net.ipv6.conf.{INTERFACE}.disable_ipv6=0")
            self.lab.inside(side, "ip", *given)

    @property
    def peer_address(self) -> str:
        """Of the other end, on the cable."""
        return self.wide_addresses[1] if self.wide_addresses else self.lab.there_address

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def type(self, text: str) -> subprocess.CompletedProcess[str]:
        """Type what a manual shows, at the host under test, with the programs where it has them.

        Its interface and its peer become those of the cable; a veth has no `rx-usecs`, so that GRO
        is varied in their place.
        """
        for program, script in (
            ("bin/sudo", '"$@"'),
            ("bin/make", f'{shutil.which("make")} -s -C {ROOT} BUILD={self.folder} "$@"'),
            *((name, f'{shlex.join(TOOL)} "$@"') for name in PLACES),
        ):
            (self.folder / program).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / program).write_text(f"#!/bin/sh\nexec {script}\n")
            (self.folder / program).chmod(0o755)
        options = shlex.join(self.lab.ssh_options)
        peer = f"--peer {self.lab.destination} --ssh-options={shlex.quote(options)}"
        text = re.sub(r"--peer \S+", lambda _: peer, text.replace("eth1", INTERFACE))
        text = text.replace("--rx-usecs 0,25,50", "--gro on,off")
        environment = self.environment
        return subprocess.run(
            ["ip", "netns", "exec", self.lab.here, "bash", "-ec", text],
            env={**environment, "PATH": f"{self.folder / 'bin'}:{environment['PATH']}"},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=3 * TIMEOUT_S,
            check=False,
        )

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "XDG_STATE_HOME": str(self.folder / "state"),
            "PATH": f"{self.programs}:{os.environ['PATH']}",
        }

    def plan(self, factors: str, workloads: str = WORKLOADS, **keys: object) -> None:
        usual = {
            "experiment": '"over-veth"',
            "interface": f'"{INTERFACE}"',
            "seed": 3,
            "replicates": 1,
            "duration_s": 0.5,
            "interval_ms": 10,
            "settle_s": 0.1,
            "pilot_s": 0,
            "idle_s": 0,
            "source": '"proc"',
        }
        head = "\n".join(f"{name} = {value}" for name, value in {**usual, **keys}.items())
        peer = "\n".join(
            [
                "[[peers]]",
                f'ssh = "{self.lab.destination}"',
                f"ssh_options = {json.dumps(list(self.lab.ssh_options))}",
                f'interface = "{INTERFACE}"',
                f'address = "{self.peer_address}"',
                f'python = "{self.programs / "python"}"',  # the traffic tool is on its PATH
            ]
        )
        text = f"{head}\n[factors]\n{factors}\n{workloads}\n{peer}\n"
        (self.folder / "plan.toml").write_text(text)

    def command(self, *arguments: str, tool: Sequence[str] = TOOL) -> list[str]:
        plan, out = str(self.folder / "plan.toml"), str(self.out)
        inside = ["ip", "netns", "exec", self.lab.here]
        return [*inside, *tool, "sweep", *(arguments or (plan, "--out", out))]

    @contextmanager
    def start(self, tool: Sequence[str] = TOOL) -> Iterator[subprocess.Popen[str]]:
        """A sweep that runs; killed at the end of the block if it still does."""
        process = subprocess.Popen(
            self.command(tool=tool), env=self.environment, stderr=subprocess.PIPE, text=True
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()

    def sweep(
        self, *arguments: str, tool: Sequence[str] = TOOL
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments, tool=tool),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=3 * TIMEOUT_S,
            check=False,
        )

    def settings(self) -> dict[str, Any]:
        """MTU, addresses, flags and offloads of both ends."""
        found = {}
        for side in (self.lab.here, self.lab.there):
            link = json.loads(self.lab.inside(side, "ip", "-j", "address", "show", INTERFACE))[0]
            addresses = [entry["local"] for entry in link["addr_info"] if entry["family"] == "inet"]
            offloads = self.lab.inside(side, "ethtool", "-k", INTERFACE)
            found[side] = (link["mtu"], sorted(link["flags"]), addresses, offloads)
        return found

    def entries(self) -> list[Mapping[str, Any]]:
        """The journal's lines about runs."""
        path = self.out / "journal.jsonl"
        if not path.exists():
            return []
        whole = [line for line in path.read_text().splitlines(keepends=True) if line[-1] == "\n"]
        return [line for line in map(json.loads, whole) if line["type"] == "run"]

    def done(self) -> list[str]:
        return [line["id"] for line in self.entries() if line["status"] == "done"]

    def scheduled(self) -> list[str]:
        return [run.id for run in schedule(load_plan(self.folder / "plan.toml"), 3)]


@pytest.fixture(scope="module")
def lab(programs: Path) -> Iterator[SshPeer]:
    with SshPeer(programs) as made:
        yield made


@pytest.fixture(scope="module")
def programs(logger: Path) -> Iterator[Path]:
    """Logger, traffic tool and a peer's Python, where the user nobody can run them too."""
    folder = Path(f"/tmp/coalescope-programs-{os.getpid()}")
    subprocess.run(
        ["make", "-s", "-C", str(ROOT / "driver" / "traffic"), f"BUILD={folder}"], check=True
    )
    (folder / "coalescope-logger").write_bytes(logger.read_bytes())
    (folder / "tmp").mkdir()
    found = f"PATH={folder}:$PATH TMPDIR={folder}/tmp"
    (folder / "python").write_text(f'#!/bin/sh\n{found} exec {sys.executable} "$@"\n')
    for program in [folder, folder / "python", *folder.glob("coalescope-*")]:
        program.chmod(0o755)
    yield folder
    subprocess.run(["rm", "-r", str(folder)], check=True)


@pytest.fixture
def hosts(lab: SshPeer, programs: Path, tmp_path: Path) -> Iterator[Hosts]:
    made = Hosts(lab, tmp_path, programs)
    before = made.settings()
    yield made
    wait_until(lambda: not lab.visitors(), "what was started on the peer goes on")
    assert made.settings() == before


def processes_with(text: str) -> list[int]:
    """The processes that have this in their command line."""
    listed = subprocess.run(
        ["ps", "-eww", "-o", "pid=,args="], capture_output=True, text=True, check=True
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if text in line]
