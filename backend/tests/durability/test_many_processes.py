# SPDX-License-Identifier: Apache-2.0
"""Eight processes store the same files and files of their own in one store at once."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from .conftest import look

MakeLog = Callable[..., bytes]


def test_one_row_per_file_and_no_lock_errors(tmp_path: Path, make_log: MakeLog) -> None:
    store_at_once(tmp_path, make_log, 8)


@pytest.mark.parametrize(
    ("mutant", "caught"),
    [("no-queue", "database is locked"), ("nothing-unique", "by one of them")],
)
def test_programs_that_do_not_heed_each_other_are_caught(
    tmp_path: Path, make_log: MakeLog, mutant: str, caught: str
) -> None:
    """Controls: writers that do not queue, and rows that nothing keeps apart."""
    alone = [sys.executable, str(Path(__file__).with_name("heeding_nobody.py")), mutant]
    with pytest.raises(AssertionError, match=caught):
        store_at_once(tmp_path, make_log, 4, alone)


def store_at_once(
    tmp_path: Path, make_log: MakeLog, processes: int, wrapped: Sequence[str] = ()
) -> None:
    common = [make_log(replicate=number) for number in range(1, 6)]
    typed = []
    for process in range(processes):
        folder = tmp_path / str(process)
        folder.mkdir()
        own = [make_log(replicate=100 + process * 10 + number) for number in range(3)]
        for number, content in enumerate([*common, *own]):
            (folder / f"{number}.runlog").write_bytes(content)
        typed.append(sorted(folder.iterdir(), reverse=process % 2 == 1))
    (tmp_path / "none").mkdir()
    environment = os.environ | {
        "COALESCOPE_DATA_DIR": str(tmp_path / "data"),
        "COALESCOPE_DATASETS_DIR": str(tmp_path / "none"),
    }
    importers = [
        subprocess.Popen(
            [*wrapped, sys.executable, "-m", "coalescope", "import", *map(str, files)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for files in typed
    ]
    said = [importer.communicate(timeout=180) for importer in importers]
    assert "".join(complaints for _, complaints in said) == ""
    assert [importer.returncode for importer in importers] == [0] * processes
    files = len(common) + 3 * processes
    stored = sum(out.count("stored  ") for out, _ in said)
    assert stored == files, "each file was stored by one of them"
    report = look(tmp_path / "data")
    assert (report.files, report.runs, report.faults) == (files, files, [])
    assert report.leftovers == []
