# SPDX-License-Identifier: Apache-2.0
"""`coalescope verify` as it is typed: exit status, text, JSON; and it changes nothing."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli import main


@pytest.fixture
def folder(client: Any, make_log: Callable[..., bytes], tmp_path: Path) -> Path:
    client.upload(make_log(), "one.runlog")
    client.app.state.database.close()
    return tmp_path / "data"


def state(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))  # SQLite's, shared
    }


@pytest.mark.fault("D1")
def test_sound_then_damaged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "logs" / "tmp" / "dead.part").write_bytes(b"half")
    before = state(folder)
    assert main(["verify", "--data", str(folder)]) == 0
    said = capsys.readouterr()
    assert "1 experiment, 1 run: all is well." in said.out
    assert "left over: " in said.out
    assert said.err == ""
    assert state(folder) == before, "verify changes nothing"

    (log,) = folder.rglob("*.runlog")
    log.write_bytes(log.read_bytes()[:-1])
    assert main(["verify", "--deep", "--data", str(folder)]) == 1
    said = capsys.readouterr()
    assert "were acknowledged. (file one.runlog" in said.err
    assert "Send or import the same file again" in said.err
    assert main(["verify", "--json", "--data", str(folder)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["sound"], found["faults"][0]["code"]) == (False, "damaged_file")


def test_a_long_check_says_how_far_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coalescope.cli.commands.verify._TOLD_EVERY_S", 0.0)
    assert main(["verify", "--json", "--data", str(folder)]) == 0
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "coalescope: 0 of 1 experiments checked",
        "coalescope: 0 of 1 files checked",
    ]
    assert json.loads(said.out)["sound"]


def test_no_store_is_no_sound_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--data", str(tmp_path / "nothing")]) == 1
    assert "There is no store" in capsys.readouterr().err
    assert not (tmp_path / "nothing").exists()


def test_a_file_that_is_no_database(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "coalescope.sqlite").write_bytes(b"not SQLite, not at all" * 100)
    assert main(["verify", "--data", str(folder)]) == 1
    assert "The database is damaged" in capsys.readouterr().err
    assert main(["experiments", "--data", str(folder)]) == 1
    assert "coalescope restore" in capsys.readouterr().err
