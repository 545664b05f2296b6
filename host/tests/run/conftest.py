# SPDX-License-Identifier: Apache-2.0
"""A logger, and sweeps as processes of their own on a host whose settings are a file."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from timeouts import TIMEOUT_S

from .hosts_on_a_cable import hosts, lab, programs

__all__ = ["hosts", "lab", "programs"]

ROOT = Path(__file__).resolve().parents[3]
BENCH = Path(__file__).with_name("bench_on_files.py")
BEFORE = {"mtu_bytes": 1500, "ring_rx": 256, "delay_us": 3}

#: A workload that is quick to start, and lasts longer than the window on a busy machine too.
TRAFFIC = ("ping", "-q", "-i", "0.01", "-c", "75", "127.0.0.1")


@pytest.fixture(scope="session")
def logger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logger, built for this session."""
    folder = tmp_path_factory.mktemp("logger")
    done = subprocess.run(
        ["make", "-s", "-C", str(ROOT / "driver" / "logger"), f"BUILD={folder}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for above in [folder, *folder.parents]:  # workloads run as nobody; the logger does not
        if above.stat().st_uid == os.geteuid() and above != Path("/tmp"):
            above.chmod(above.stat().st_mode | 0o011)
    return folder / "coalescope-logger"


@dataclass(frozen=True)
class Files:
    """One folder with a plan, settings and what a sweep makes."""

    folder: Path
    logger: Path

    @property
    def settings(self) -> dict[str, Any]:
        """The host's settings now."""
        return json.loads((self.folder / "settings.json").read_text())

    @property
    def journal(self) -> Path:
        """The sweep's journal."""
        return self.folder / "out" / "journal.jsonl"

    def entries(self, kind: str = "run") -> list[Mapping[str, Any]]:
        """The whole lines of the journal of one type."""
        content = self.journal.read_bytes()
        lines = [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]
        return [line for line in lines if line["type"] == kind]

    def done(self) -> list[str]:
        """Ids of the runs that are done, in the order in which they were."""
        return [entry["id"] for entry in self.entries() if entry["status"] == "done"]

    def command(self, *arguments: str, tune: bool = False) -> list[str]:
        """What starts a sweep, or a tuning."""
        return [
            *(sys.executable, str(BENCH), str(self.folder / "settings.json"), str(self.logger)),
            *("--", *(["tune"] if tune else []), str(self.folder / "plan.toml")),
            *("--out", str(self.folder / "out")),
            *("--yes-this-interface", "lo", "--really", *arguments),
        ]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A sweep that runs."""
        return subprocess.Popen(
            self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def sweep(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A sweep to its end."""
        return subprocess.run(
            self.command(*arguments),
            capture_output=True,
            text=True,
            timeout=3 * TIMEOUT_S,
            check=False,
        )

    def plan(self, factors: str, workloads: str = "", **keys: object) -> None:
        """Write a plan; keys beside the usual ones as they stand in TOML."""
        usual = {
            "experiment": '"on-files"',
            "interface": '"lo"',
            "seed": 7,
            "replicates": 2,
            "duration_s": 0.1,
            "interval_ms": 10,
            "settle_s": 0,
            "pilot_s": 0,
            "idle_s": 0,
            "source": '"proc"',
        }
        head = "\n".join(f"{name} = {value}" for name, value in {**usual, **keys}.items())
        text = f"{head}\n[factors]\n{factors}\n{workloads or self.traffic()}\n"
        (self.folder / "plan.toml").write_text(text)

    def traffic(self, name: str = "udp") -> str:
        """A workload that works."""
        return self.workload(name, TRAFFIC)

    def workload(self, name: str, command: Sequence[str], **keys: object) -> str:
        """A workload that runs a command as whoever runs the tests."""
        more = "\n".join(f"{key} = {value}" for key, value in keys.items())
        return (
            f'[workloads.{name}]\nkind = "command"\nuser = "root"\n{more}\n'
            f"command = {json.dumps(list(command))}\n"
        )


@pytest.fixture(scope="session")
def always_some_traffic() -> Iterator[None]:
    """On a busy machine a run's own may begin after its short window; runs without any fail."""
    ping = subprocess.Popen(
        ["ping", "-q", "-i", "0.01", "127.0.0.1"], stdout=subprocess.DEVNULL, start_new_session=True
    )
    yield
    ping.kill()
    ping.wait()


@pytest.fixture
def files(tmp_path: Path, logger: Path, always_some_traffic: None) -> Files:
    """A folder for a sweep, with the settings as they are before it."""
    made = Files(tmp_path, logger)
    (tmp_path / "settings.json").write_text(json.dumps(BEFORE))
    return made
