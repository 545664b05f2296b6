# SPDX-License-Identifier: Apache-2.0
"""What others wrote cannot steer the terminal that it is printed on, whatever prints it."""

import argparse
import io
import re
import tarfile
from pathlib import Path

import pytest
from coalescope.cli import main
from coalescope.cli.parser import build_parser

from .conftest import Run

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\rover"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
COMMANDS = next(
    sorted(action.choices)
    for action in build_parser()._actions
    if isinstance(action, argparse._SubParsersAction)
)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_no_command_prints_it_raw(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([HOSTILE], [f"--{HOSTILE}"]):
        with pytest.raises(SystemExit):
            main([*filter(None, [command]), *words, f"--{HOSTILE}"])
    printed = "".join(capsys.readouterr())
    assert "owned" in printed or "are required" in printed
    assert not STEERING.findall(printed)


def test_the_name_of_a_member_of_an_archive(run: Run, tmp_path: Path) -> None:
    archive = tmp_path / "evil.tar"
    with tarfile.open(archive, "w") as tar:
        member = tarfile.TarInfo(f"{HOSTILE}.runlog")
        member.size = 5
        tar.addfile(member, io.BytesIO(b"no log"))
    done = run("import", archive)
    assert done.returncode == 1
    assert "owned" in done.stdout + done.stderr
    assert not STEERING.findall(done.stdout + done.stderr)
