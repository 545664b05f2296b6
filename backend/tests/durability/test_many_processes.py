# SPDX-License-Identifier: Apache-2.0
"""Eight processes store the same files and files of their own in one store at once."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import coalescope.store
import pytest
from coalescope.db.engine import Database
from coalescope.settings import Settings
from coalescope.storage.object_store import ObjectStore, StagedObject
from coalescope.store import open_store
from coalescope.uploads.reading import Reading
from coalescope.uploads.service import UploadRequest, accept
from coalescope.uploads.stored_files import orphaned_objects
from timeouts import TIMEOUT_S

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


@pytest.mark.parametrize("ends_well", [True, False])
def test_who_opens_a_store_misses_nothing_that_others_are_storing(
    tmp_path: Path,
    make_log: MakeLog,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    ends_well: bool,
) -> None:
    """Its bytes are there, its rows are not yet. Control: where they never come, that is said."""
    (tmp_path / "none").mkdir()
    settings = Settings(data_dir=tmp_path / "data", datasets_dir=tmp_path / "none")
    other = open_store(settings)
    placed, looked_for = Event(), Event()

    def place_and_wait(staged: Sequence[StagedObject], suffix: str) -> None:
        place(staged, suffix)
        placed.set()
        assert looked_for.wait(TIMEOUT_S)
        time.sleep(0.3)
        if not ends_well:
            raise OSError("the power fails")

    def noted(database: Database, store: ObjectStore) -> list[tuple[str, str]]:
        found = orphaned_objects(database, store)
        looked_for.set()
        return found

    place = other.object_store.commit_all
    monkeypatch.setattr(other.object_store, "commit_all", place_and_wait)
    monkeypatch.setattr(coalescope.store, "orphaned_objects", noted)
    with ThreadPoolExecutor(1) as pool, other.object_store.stage() as staged:
        staged.write(make_log())
        request = UploadRequest("x.runlog")
        stored = pool.submit(accept, other.database, other.object_store, staged, request, Reading())
        assert placed.wait(TIMEOUT_S)
        open_store(settings).close()
        assert (stored.exception() is None) is ends_well
    other.close()
    assert ("1 files have no rows" in caplog.text) is not ends_well


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
