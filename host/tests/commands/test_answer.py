# SPDX-License-Identifier: Apache-2.0
"""What commands answer to programs: one JSON object, errors too, as docs/host-answers.md says."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.command_line import COMMANDS
from coalescope_host.commands.answer import Answer
from coalescope_host.commands.measured import measured_in
from coalescope_host.plan.plan_file import plan_of

DOCUMENT = (Path(__file__).parents[3] / "docs" / "host-answers.md").read_text(encoding="utf-8")
IN_ALL = {"command", "status", "error"}

pytestmark = pytest.mark.fault("C8")


def typed(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    tool = [sys.executable, "-m", "coalescope_host", *words]
    return subprocess.run(tool, capture_output=True, text=True, check=False, cwd=folder)


def answered(*words: str, folder: Path) -> Mapping[str, Any]:
    done = typed(*words, folder=folder)
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["status"] == done.returncode
    return answer


def described(command: str) -> set[str]:
    """The members that the section of a command describes in its table."""
    sections = re.split(r"^## ", DOCUMENT, flags=re.MULTILINE)
    (section,) = (text for text in sections if f"`{command}`" in text.splitlines()[0])
    rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([a-z_0-9]+)`", row)}


@pytest.mark.parametrize(("command", "option"), [("upload", "-j"), ("upload", "--json")])
def test_an_answer_is_one_object(command: str, option: str, tmp_path: Path) -> None:
    answer = answered(
        command, "no.runlog", "--server", "http://127.0.0.1:1", option, folder=tmp_path
    )
    assert answer["files"] == [
        {"file": "no.runlog", "outcome": "refused", "reason": "there is no such file"}
    ]
    assert answer.keys() == described("upload") | IN_ALL
    assert (answer["status"], answer["error"]) == (1, None)


def test_what_is_put_back_is_answered(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    answer = answered("restore", "-j", "--state", str(state), folder=tmp_path)
    assert answer["status"] == 0 or answer["error"]["kind"] == "failed"
    assert answer.keys() <= described("restore") | IN_ALL


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        (["sweep"], "usage", "which plan, or which interface?"),
        (["sweep", "none.toml"], "usage", "none.toml"),
        (["upload", "x"], "usage", "--server"),
        (["upload", "x", "--sever", "y"], "usage", "Did you mean --server?"),
        (["swep"], "usage", "Did you mean sweep?"),
        (["init", "none0"], "failed", "none0"),
    ],
)
def test_errors_are_answered_too(words: list[str], kind: str, says: str, tmp_path: Path) -> None:
    answer = answered(*words, "-j", folder=tmp_path)
    assert answer["error"]["kind"] == kind
    assert says in answer["error"]["message"]
    assert answer["status"] == (2 if kind == "usage" else 1)


def test_a_misspelt_option_is_named_although_one_is_missing(tmp_path: Path) -> None:
    said = typed("upload", "x", "--sever", "y", folder=tmp_path).stderr
    assert "--sever is no option of it. Did you mean --server?" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_option(command: str, tmp_path: Path) -> None:
    assert "-j, --json" in typed(command, "--help", folder=tmp_path).stdout


def test_cells_are_told_with_all_their_measures(capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_of(
        Path("here"),
        {
            "experiment": "here",
            "interface": "eth1",
            "replicates": 2,
            "duration_s": 1.0,
            "factors": {"mtu_bytes": [1500], "workload": ["udp"]},
            "workloads": {"udp": {"kind": "udp-fan-in"}},
            "peers": [{"ssh": "peer", "address": "10.0.0.2"}],
        },
    )
    runs = [{"throughput_mbps": 900.0, "elapsed_s": 1.0}, {"throughput_mbps": 902.0}]
    answer = Answer("sweep", as_json=True)
    measured_in(answer)(plan, [({"mtu_bytes": 1500, "workload": "udp"}, runs)])
    assert capsys.readouterr().out == "", "the table is for people"
    answer.end(0)
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert cell["levels"] == {"mtu_bytes": 1500, "workload": "udp"}
    assert cell["replicates"] == 2
    rate = cell["measures"]["throughput_mbps"]
    assert rate["mean"] == 901.0
    assert rate["ci95"] == pytest.approx([901 - 12.706, 901 + 12.706])
    assert cell["measures"]["elapsed_s"] == {"mean": 1.0, "ci95": None}
    assert described("sweep") == {"experiment", "folder", "page", "cells"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--json", *(f"no-{number}.runlog" for number in range(2000))),
        ("upload", ".", "--server", "http://127.0.0.1:1", "--json"),
        ("diff", "before.json", "after.json", "--json"),
        ("--help",),
        ("sweep", "--help"),
        ("--version",),
    ],
)
def test_a_reader_that_has_seen_enough_is_no_error(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    tool = [sys.executable, "-m", "coalescope_host", *arguments]
    with subprocess.Popen(
        tool, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode == 141
    for noise in (b"Traceback", b"Exception ignored", b"roken pipe"):
        assert noise not in said


def test_nor_is_one_of_standard_error(tmp_path: Path) -> None:
    tool = [sys.executable, "-m", "coalescope_host", "upload", ".", "--server", "no server"]
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(tool, stdout=subprocess.PIPE, stderr=writer, cwd=tmp_path) as process:
        os.close(writer)
        assert process.stdout is not None
        assert process.stdout.read() == b""
    assert process.returncode == 141


def test_a_member_may_be_called_lines(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Answer("tune", as_json=True)
    answer.tell(["said to people"], **{"lines": ["said to programs"]})
    answer.end(0)
    assert json.loads(capsys.readouterr().out)["lines"] == ["said to programs"]
