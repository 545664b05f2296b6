# SPDX-License-Identifier: Apache-2.0
"""A journal holds what was written, whatever cut it off; a damaged one is refused, not guessed."""

import os
from pathlib import Path

import pytest
from coalescope_host.run.journal import Journal, JournalError, read_head


def write(folder: Path) -> bytes:
    with Journal(folder) as journal:
        journal.append(type="sweep", format=1, seed=7, plan={"title": "Größe"})
        for order in range(3):
            journal.append(type="run", id=f"id-{order}", status="done", log=f"logs/{order}")
    return (folder / "journal.jsonl").read_bytes()


def test_cut_off_at_any_byte_the_whole_lines_are_there_and_it_goes_on(tmp_path: Path) -> None:
    whole = write(tmp_path)
    path = tmp_path / "journal.jsonl"
    lines = whole.splitlines(keepends=True)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        with Journal(tmp_path) as journal:
            kept = len(journal.entries)
            assert sum(map(len, lines[:kept])) <= cut < sum(map(len, lines[: kept + 1])) or (
                kept == len(lines) and cut == len(whole)
            )
            journal.append(
                **(
                    {"type": "sweep", "format": 1, "seed": 7, "plan": {}}
                    if kept == 0
                    else {"type": "run", "id": "more", "status": "failed"}
                )
            )
        with Journal(tmp_path) as journal:
            assert len(journal.entries) == kept + 1
        assert path.read_bytes().startswith(whole[: sum(map(len, lines[:kept]))])


def test_cleared_it_holds_what_is_written_afterwards(tmp_path: Path) -> None:
    write(tmp_path)
    with Journal(tmp_path) as journal:
        journal.clear()
        assert journal.head is None
        journal.append(type="sweep", format=1, seed=8, plan={})
    with Journal(tmp_path) as journal:
        assert [entry["seed"] for entry in journal.entries] == [8]


def test_the_head_is_read_without_touching_the_folder(tmp_path: Path) -> None:
    assert read_head(tmp_path / "nowhere") is None
    assert not (tmp_path / "nowhere").exists()
    whole = write(tmp_path)
    head = read_head(tmp_path)
    assert head is not None
    assert head["seed"] == 7
    (tmp_path / "journal.jsonl").write_bytes(whole[:10])
    assert read_head(tmp_path) is None


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    whole = write(tmp_path)
    (tmp_path / "journal.jsonl").write_bytes(whole.replace(b'"id": "id-1"', b'"id": id-1"'))
    with pytest.raises(JournalError, match=r"journal\.jsonl, line 3: "):
        Journal(tmp_path)


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_text('{"type": "sweep", "format": 2}\n')
    with pytest.raises(JournalError, match="format 1"):
        Journal(tmp_path)


def test_only_one_at_a_time_has_it(tmp_path: Path) -> None:
    with Journal(tmp_path), pytest.raises(JournalError, match="in use by another sweep"):
        Journal(tmp_path)
    Journal(tmp_path).close()


def test_a_line_that_does_not_fit_on_the_disk_leaves_the_others_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = write(tmp_path)
    with Journal(tmp_path) as journal:

        def full(_descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(
                JournalError, match=r"journal\.jsonl cannot be written: No space left"
            ):
                journal.append(type="run", id="lost", status="failed")
        assert (tmp_path / "journal.jsonl").read_bytes() == whole
        journal.append(type="run", id="kept", status="failed")
    with Journal(tmp_path) as journal:
        assert [entry.get("id") for entry in journal.entries][-2:] == ["id-2", "kept"]
