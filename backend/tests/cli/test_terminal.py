# SPDX-License-Identifier: Apache-2.0
"""What others wrote cannot steer the terminal that it is printed on, whatever prints it."""

import argparse
import io
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from coalescope.cli import main
from coalescope.cli.parser import build_parser
from coalescope.db import tables

from .command_lines import Leaf, leaves
from .conftest import Run
from .hostile_texts import HOSTILE, STEERING, hostile_throughout, steers

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


LOGS = Path(__file__).parents[3] / "driver" / "testdata"
#: A name that is a part of a path.
NAME = HOSTILE.replace("/", "")
#: What others wrote into a store: text of theirs that earlier versions took, or that a copy brings.
WRITTEN = (
    ("experiments", "title"),
    ("experiments", "subtitle"),
    ("uploads", "filename"),
    ("tokens", "name"),
    ("changes", "who"),
    ("changes", "what"),
)
#: What is typed for each command that asks no server, in a folder with such a store and such files.
OF_THE_STORE: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("experiments", "list"): (),
    ("surface",): ("lab", "drops"),
    ("variance",): ("lab", "--measure", "drops", "--factors", "mtu_bytes,delay_us"),
    ("plan",): ("lab", "--measure", "drops", "--width", "1"),
    ("compare",): ("lab", "--split", "delay_us=0:80", "--measure", "drops"),
    ("recommend",): ("lab", "--minimise", "drops"),
    ("export",): ("lab", "--format", "json"),
    ("runs", "list"): ("lab",),
    ("changes",): (),
    ("token", "list"): (),
    ("token", "revoke"): (f"lab{HOSTILE}",),
    ("token", "create"): (NAME, "--scope", "read"),
    ("check",): (f"{NAME}.csv", f"{NAME}.runlog"),
    ("import",): (f"{NAME}.csv", f"{NAME}.runlog"),
    ("trace",): (f"{NAME}.csv",),
    ("predict",): ("--model", f"{NAME}.csv"),
    ("restore",): (NAME, "--data", "new"),
}
#: Which of them say it in a refusal, or with a recommendation that is none.
REFUSED = {
    ("token", "create"),
    *((name,) for name in ("recommend", "import", "trace", "predict", "restore")),
}
#: Which print nothing that others wrote, and why.
NOTHING_OF_OTHERS: Mapping[tuple[str, ...], str] = {
    ("serve",): "its log is JSON in ASCII: backend/tests/web",
    ("models",): "our own models",
    ("quantities",): "our own quantities",
    ("migrate",): "numbers",
    ("datasets", "list"): "our own recipes",
    ("datasets", "fetch"): "what our recipe says, of a file whose SHA-256 is known",
    ("verify",): "counts; its faults are lines of `fault_text`, as those of import",
    ("backup",): "the report of verify",
    ("publish",): "the folder that was typed, and the licence in a recipe of ours",
    ("openapi",): "our own document",
}


@pytest.fixture
def hostile(run: Run, tmp_path: Path) -> None:
    """A store, and files, with hostile text in what others write."""
    rows = [
        f"{mtu},{delay},{r},{mtu + delay + r}"
        for mtu in (1500, 9000)
        for delay in (0, 80)
        for r in range(3)
    ]
    content = "\n".join(["mtu_bytes,delay_us,replicate,drops", *rows])
    (tmp_path / "lab.csv").write_text(content)
    (tmp_path / f"{NAME}.csv").write_text(content.replace("1500", "3000"))
    (tmp_path / f"{NAME}.runlog").write_bytes((LOGS / "small.runlog").read_bytes())
    assert run("import", "lab.csv").returncode == 0
    assert run("token", "create", "lab", "--scope", "read").returncode == 0
    database = tmp_path / "data" / "coalescope.sqlite"
    if not database.exists():
        pytest.skip("what is written by hand here is a store in a file")
    with closing(sqlite3.connect(database)) as store, store:
        for table, column in WRITTEN:
            changed = store.execute(f"UPDATE {table} SET {column} = {column} || ?", (HOSTILE,))
            assert changed.rowcount


@pytest.mark.parametrize("words", OF_THE_STORE, ids=" ".join)
def test_no_command_prints_what_stands_in_a_store_or_file_raw(
    run: Run, hostile: None, words: tuple[str, ...]
) -> None:
    done = run(*words, *OF_THE_STORE[words])
    said = done.stdout + done.stderr
    assert "owned" in said, said
    assert not steers(said)
    assert (done.returncode != 0) is (words in REFUSED), said


#: What holds text, or JSON, of tables that have rows in a store with a table, a log and a token.
TEXTS = [
    column
    for table in ("changes", "experiments", "tokens", "cells", "uploads", "runs")
    for column in tables.METADATA.tables[table].columns
    if isinstance(column.type, sa.Text | sa.JSON)
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Such a store."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "lab.csv").write_text("mtu_bytes,workload,drops\n1500,udp,1\n9000,tcp,2\n")
    data = ("--data", str(folder / "data"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COALESCOPE_DATASETS_DIR", "")
        assert main(["import", str(folder / "lab.csv"), str(LOGS / "small.runlog"), *data]) == 0
        assert main(["token", "create", "lab", "--scope", "read", *data]) == 0
    return folder / "data"


@pytest.mark.folder_stack
@pytest.mark.parametrize("column", TEXTS, ids=str)
def test_verify_and_restore_print_no_text_of_a_store_raw(
    run: Run, stored: Path, tmp_path: Path, column: sa.Column[object]
) -> None:
    """And no traceback, whatever stands there."""
    shutil.copytree(stored, tmp_path / "data")
    named, name = f'"{column.name}"', column.table.name
    with closing(sqlite3.connect(tmp_path / "data" / "coalescope.sqlite")) as store, store:
        store.execute("PRAGMA ignore_check_constraints=ON")
        rows = store.execute(f"SELECT rowid, {named} FROM {name}").fetchall()
        assert rows
        for row, value in rows:
            is_json = isinstance(column.type, sa.JSON) and value is not None
            hostile = (
                json.dumps(hostile_throughout(json.loads(value)))
                if is_json
                else f"{value or ''}{HOSTILE}{row}"
            )
            store.execute(f"UPDATE {name} SET {named} = ? WHERE rowid = ?", (hostile, row))
    for words in (("verify",), ("restore", "data", "--data", "restored")):
        done = run(*words, COALESCOPE_DATASETS_DIR="")
        said = done.stdout + done.stderr
        assert said
        assert not steers(said)


def test_all_commands_are_here() -> None:
    def asks(leaf: Leaf) -> bool:
        """A server: what that says is in `test_strange_servers`."""
        return any("--server" in action.option_strings for action in leaf.parser._actions)

    named = {leaf.words for leaf in leaves(build_parser()) if not asks(leaf)}
    assert named <= OF_THE_STORE.keys() | NOTHING_OF_OTHERS.keys()
    assert not OF_THE_STORE.keys() & NOTHING_OF_OTHERS.keys()
