# SPDX-License-Identifier: Apache-2.0
"""`verify` finds each kind of damage, and nothing where there is none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.runs import kept_summaries, summary_repository
from coalescope.untrusted.bounds import ROWS
from coalescope.uploads.reading import Reading
from coalescope.verification.service import Report, verify

CSV = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900.0\n1500,0,2,910\n9000,0,1,980\n"
MakeLog = Callable[..., bytes]


@pytest.fixture
def filled(client: Any, make_log: MakeLog) -> Any:
    """A store with logs, a table, a retracted run and a log that took another's place."""
    run = "11111111-2222-4333-8444-555555555555"
    whole = make_log(run_id=run, replicate=1)
    assert client.upload(whole[: len(whole) * 4 // 5]).status_code == 201
    assert client.upload(whole).status_code == 201
    second = client.upload(make_log(replicate=2), "second.runlog").json()["runs"][0]["id"]
    client.post(f"/api/runs/{second}/retraction", json={"reason": "a cable"})
    assert client.upload(CSV, "table.csv").status_code == 201
    return client


def look(client: Any, *, deep: bool = True) -> Report:
    state = client.app.state
    return verify(state.database, state.object_store, Reading() if deep else None)


def codes(report: Report) -> list[str]:
    return [fault.code for fault in report.faults]


def objects(client: Any, suffix: str = "runlog") -> list[Path]:
    return sorted(client.app.state.object_store.root.rglob(f"*.{suffix}"))


def change(client: Any, statement: str) -> None:
    """Change the database behind the program's back."""
    with client.app.state.database.write() as connection:
        connection.exec_driver_sql(statement)


def test_a_sound_store(filled: Any) -> None:
    report = look(filled)
    assert (codes(report), report.leftovers, report.sound) == ([], [], True)
    assert (report.files, report.experiments, report.runs) == (4, 2, 5)


@pytest.mark.parametrize(
    ("factor", "read"), [(1.0, 0), (1e150, 2), (1e-170, 2)], ids=["usual", "large", "small"]
)
def test_runs_are_read_of_those_cells_alone_that_sums_do_not_confirm(
    client: Any, monkeypatch: pytest.MonkeyPatch, factor: float, read: int
) -> None:
    assert client.upload(CSV.replace(b"980", b"980.1\n9000,0,2,0.3"), "table.csv").is_success
    with client.app.state.database.write() as connection:
        connection.exec_driver_sql(f"UPDATE run_measures SET value = value * {factor}")
        cells = connection.exec_driver_sql("SELECT id FROM cells").scalars()
        kept_summaries.recompute(connection, list(cells))
    seen: list[int] = []
    real = summary_repository.current_values

    def noted(connection: Any, touched: Any, *others: Any) -> Any:
        seen.extend(touched)
        return real(connection, touched, *others)

    monkeypatch.setattr(summary_repository, "current_values", noted)
    assert codes(look(client, deep=False)) == []
    assert len(seen) <= read
    change(client, "UPDATE summaries SET sd = sd * (1 + 1e-11)")
    change(client, "UPDATE summaries SET mean = mean * (1 + 1e-11)")
    assert set(codes(look(client, deep=False))) == {"wrong_summary"}


def test_it_says_how_far_it_is(filled: Any) -> None:
    told: list[tuple[str, int, int]] = []
    state = filled.app.state
    verify(state.database, state.object_store, None, lambda *far: told.append(far))
    assert told == [
        *(("experiments", done, 2) for done in range(2)),
        *(("files", done, 4) for done in range(4)),
    ]


@pytest.mark.parametrize(
    ("bound", "module", "name"),
    [
        ("ROWS", "uploads.tidy_csv", "more.csv"),
        ("FIELDS", "uploads.tidy_csv", "more.csv"),
        ("LEVELS", "uploads.tidy_csv", "more.csv"),
        ("COLUMNS", "uploads.csv_header", "more.csv"),
        ("FACTORS", "uploads.csv_header", "more.csv"),
        ("NAME_CHARACTERS", "uploads.csv_header", "more.csv"),
        ("FACTORS", "runs.factors", "more.runlog"),
    ],
)
def test_narrower_bounds_are_not_for_what_is_stored(
    filled: Any,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
    module: str,
    name: str,
) -> None:
    monkeypatch.setattr(f"coalescope.{module}.{bound}", 1)
    more = CSV + b"9000,0,2,985\n" if name.endswith("csv") else make_log(replicate=3)
    assert filled.upload(more, name).status_code == 422
    assert codes(look(filled)) == []


def test_a_table_that_was_taken_before_it_was_too_long_is_sound(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is large, and so read in a process of its own, which has today's bounds."""
    rows = "".join(f"1500,{row},1.5\n" for row in range(ROWS + 1))
    table = f"mtu_bytes,replicate,drops\n{rows}".encode()
    assert client.upload(table, "long.csv").status_code == 422
    with monkeypatch.context() as before:
        before.setattr("coalescope.uploads.tidy_csv.ROWS", ROWS + 1)
        before.setattr("coalescope.uploads.reading._is_read_here", lambda *_: True)
        assert client.upload(table, "long.csv").status_code == 201
    assert codes(look(client)) == []


def test_characters_that_are_refused_today_may_be_stored(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = "mtu_bytes,workload,drops\n1500,t\u200bcp,1\n".encode()
    assert client.upload(table, "unseen.csv").status_code == 422
    with monkeypatch.context() as before:
        before.setattr("coalescope.uploads.csv_row.fault_in", lambda _: None)
        assert client.upload(table, "unseen.csv").status_code == 201
    assert codes(look(client)) == []


def test_what_takes_too_much_to_read_again_is_not_said_to_be_unacceptable(client: Any) -> None:
    rows = "".join(f"1500,{row},1.5\n" for row in range(ROWS))
    table = f"mtu_bytes,replicate,drops\n{rows}".encode()
    assert client.upload(table, "long.csv").status_code == 201
    state = client.app.state
    report = verify(state.database, state.object_store, Reading(seconds=0.01))
    assert codes(report) == ["not_compared"]
    (fault,) = report.faults
    assert "took more to read than it may" in fault.message
    assert "COALESCOPE_READING_SECONDS" in str(fault.advice)


@pytest.mark.folder_stack
@pytest.mark.parametrize("suffix", ["runlog", "csv"])
def test_files_that_are_gone_cut_or_changed(filled: Any, suffix: str) -> None:
    path = objects(filled, suffix)[-1]
    content = path.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for damaged in (content[:-1], content + b"x", bytes(flipped)):
        path.write_bytes(damaged)
        assert codes(look(filled)) == ["damaged_file"]
    path.unlink()
    (fault,) = look(filled).faults
    assert (fault.code, fault.where["sha256"]) == ("missing_file", path.stem)


@pytest.mark.folder_stack
def test_sending_a_damaged_file_again_mends_it(filled: Any) -> None:
    (path,) = objects(filled, "csv")
    path.write_bytes(CSV.replace(b"980", b"990"))
    assert codes(look(filled)) == ["damaged_file"]
    assert filled.upload(CSV, "table.csv").status_code == 200
    assert look(filled).sound


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE summaries SET mean = mean * 1.001 WHERE measure = 'rx_bytes'", "wrong_summary"),
        ("DELETE FROM summaries WHERE measure = 'rx_bytes'", "wrong_summary"),
        ("UPDATE cells SET current_runs = current_runs + 1 WHERE id = 1", "wrong_count"),
        ("UPDATE runs SET status = 'current' WHERE status = 'retracted'", "wrong_count"),
        ("UPDATE uploads SET run_count = 4 WHERE content = 'csv'", "missing_runs"),
        ("UPDATE uploads SET bytes = bytes + 1 WHERE content = 'csv'", "damaged_file"),
    ],
)
def test_rows_that_contradict_each_other(filled: Any, statement: str, code: str) -> None:
    change(filled, statement)
    assert code in codes(look(filled, deep=False))


def test_a_measure_that_is_not_its_files(filled: Any) -> None:
    """One value alone in its cell, changed with its summary: only measuring anew finds it."""
    change(filled, "UPDATE run_measures SET value = 981 WHERE value = 980")
    change(filled, "UPDATE summaries SET mean = 981 WHERE mean = 980")
    assert look(filled, deep=False).sound
    (fault,) = look(filled, deep=True).faults
    assert fault.code == "measures_differ"
    assert "throughput_mbps" in fault.message


@pytest.mark.folder_stack
def test_a_reference_to_nothing(filled: Any) -> None:
    with filled.app.state.database.engine.connect() as connection:
        connection.rollback()
        raw = connection.connection.dbapi_connection
        raw.execute("PRAGMA foreign_keys=OFF")
        raw.execute("UPDATE run_history SET run_id = 999 WHERE id = 1")
        raw.execute("PRAGMA foreign_keys=ON")
    (fault,) = look(filled).faults
    assert fault.code == "dangling_reference"
    assert "run_history" in fault.message


@pytest.mark.folder_stack
def test_what_was_left_behind_is_named_and_no_fault(filled: Any) -> None:
    store = filled.app.state.object_store
    with store.stage() as staged:
        staged.write(b"bytes whose rows never came")
        staged.commit("runlog")
        lost = store.path(staged.sha256, "runlog")
    (store.root / "tmp" / "dead.part").write_bytes(b"half")
    (store.root / lost.name).write_bytes(b"in the wrong place")
    report = look(filled)
    assert report.sound
    assert {left.where["file"] for left in report.leftovers} == {
        str(lost),
        str(store.root / "tmp" / "dead.part"),
        str(store.root / lost.name),
    }
