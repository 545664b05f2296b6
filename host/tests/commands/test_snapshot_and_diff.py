# SPDX-License-Identifier: Apache-2.0
"""Snapshots by the real logger, and what differs after something was changed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOG = ROOT / "driver" / "testdata" / "module.runlog"
TOOL = [sys.executable, "-m", "coalescope_host"]


def typed(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TOOL, *map(str, words)], capture_output=True, text=True, check=False, cwd=folder
    )


def test_a_snapshot_is_compared_with_itself_and_with_a_changed_one(tmp_path: Path) -> None:
    done = typed("snapshot", "lo", "--out", "before.json", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Kept in before.json.\n"), done.stderr
    document = json.loads((tmp_path / "before.json").read_text())
    assert document["environment"]["mtu_bytes"] == 65536
    assert "command" not in document["environment"]
    alike = typed("diff", "before.json", "before.json", "--exit-code", folder=tmp_path)
    assert (alike.returncode, alike.stdout[:15]) == (0, "Nothing differs")
    document["environment"] |= {"mtu_bytes": 9000, "host": "other"}
    (tmp_path / "after.json").write_text(json.dumps(document))
    changed = typed("diff", "before.json", "after.json", folder=tmp_path)
    assert changed.returncode == 0
    rows = [line.split() for line in changed.stdout.splitlines()]
    assert ["mtu_bytes", "65536", "9000"] in rows
    assert "2 differ" in changed.stdout
    assert (
        typed("diff", "before.json", "after.json", "--exit-code", folder=tmp_path).returncode == 1
    )


@pytest.mark.network
def test_a_setting_that_was_changed_is_the_difference(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    tool = " ".join(TOOL)
    script = f"{tool} snapshot lo > a && ip link set lo mtu 1500 && {tool} snapshot lo > b"
    subprocess.run(["unshare", "-n", "sh", "-c", script], check=True, cwd=tmp_path)
    answer = json.loads(typed("diff", "a", "b", "-j", folder=tmp_path).stdout)
    assert answer["differences"] == [{"name": "mtu_bytes", "before": 65536, "after": 1500}]


def test_run_logs_are_compared_by_their_headers(tmp_path: Path) -> None:
    answer = json.loads(typed("diff", LOG, LOG, "-j", folder=tmp_path).stdout)
    assert (answer["status"], answer["differences"]) == (0, [])
    assert answer["same"] > 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"),
        (b"{}", "neither a snapshot nor a run log"),
        (b'{"format": "coalescope-snapshot", "version": 1}', "has no environment"),
        (b'{"format": "coalescope-snapshot", "version": 2}', "a snapshot of version 2"),
        (b"[1]", "neither a snapshot nor a run log"),
        (b"rx-usecs: 3", "neither a snapshot nor a run log"),
        (b"\x89COAL\r\n\x1a cut", "The file ends after 12 bytes"),
        (b" " * (1 << 20) + b"{}", "larger than a snapshot can be"),
        (b'{"environment":' * 200 + b"1" + b"}" * 200, "neither a snapshot nor a run log"),
    ],
)
def test_other_files_are_refused_by_name(content: bytes | None, says: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "x").write_bytes(content)
    done = typed("diff", "x", LOG, folder=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert "x: " in done.stderr
    assert "Traceback" not in done.stderr


def test_what_cannot_be_taken_is_said(tmp_path: Path) -> None:
    done = typed("snapshot", "none0", folder=tmp_path)
    assert done.returncode == 1
    assert "none0" in done.stderr
    (tmp_path / "there").touch()
    assert "--force" in typed("snapshot", "lo", "--out", "there", folder=tmp_path).stderr
    assert typed("snapshot", "lo", "--out", "there", "--force", folder=tmp_path).returncode == 0


def test_the_name_of_the_host_can_be_left_out(tmp_path: Path) -> None:
    answer = json.loads(typed("snapshot", "lo", "--redact-host", "-j", folder=tmp_path).stdout)
    hidden = answer["snapshot"]["environment"]
    assert hidden["host"] is None
    assert hidden.get("kernel_command_line") is None
    assert answer["snapshot"]["environment"]["kernel_version"]
