# SPDX-License-Identifier: Apache-2.0
"""Run logs and SQLite's write-ahead log, torn or with a bit flipped, in a store that died.

Whatever the store shows after that is what its files say; what it lost is named.
"""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.store import open_store
from coalescope.uploads.reading import Reading
from coalescope.verification import service as verification
from coalescope.verification.service import verify
from sqlalchemy.exc import DBAPIError

MakeLog = Callable[..., bytes]


@pytest.fixture
def died(client: Any, make_log: MakeLog, tmp_path: Path) -> tuple[Path, set[str]]:
    """A store as a sudden end leaves it, some of it in the write-ahead log alone."""

    def send(replicate: int) -> str:
        answer = client.upload(make_log(replicate=replicate))
        assert answer.status_code == 201
        digest: str = answer.json()["sha256"]
        return digest

    acknowledged = {send(replicate) for replicate in range(1, 5)}
    with client.app.state.database.engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    acknowledged |= {send(replicate) for replicate in range(5, 9)}
    shutil.copytree(tmp_path / "data", tmp_path / "died")
    (tmp_path / "died" / "coalescope.sqlite-shm").unlink()
    assert (tmp_path / "died" / "coalescope.sqlite-wal").stat().st_size > 0
    return tmp_path / "died", acknowledged


def damage(path: Path, chance: random.Random) -> None:
    """Cut the file off somewhere, or flip one bit of it."""
    content = bytearray(path.read_bytes())
    at = chance.randrange(len(content))
    if chance.random() < 0.5:
        path.write_bytes(content[:at])
    else:
        content[at] ^= 1 << chance.randrange(8)
        path.write_bytes(content)


def lost_and_named(data: Path, acknowledged: set[str]) -> tuple[set[str], set[str]]:
    """Start on the store and check it: digests whose upload is gone, and digests it names."""
    store = open_store(Settings(data_dir=data, datasets_dir=None))
    try:
        report = verify(store.database, store.object_store, Reading())
        with store.database.read() as connection:
            there = set(connection.exec_driver_sql("SELECT sha256 FROM uploads").scalars())
    finally:
        store.close()
    faulty = {str(fault.where.get("sha256")) for fault in report.faults}
    left = {Path(str(item.where["file"])).stem for item in report.leftovers}
    assert {fault.code for fault in report.faults} <= {"damaged_file"}, "rows are never wrong"
    return acknowledged - there, faulty | left


@pytest.mark.parametrize("times", [50, pytest.param(1000, marks=pytest.mark.soak)])
def test_damage_is_found(died: tuple[Path, set[str]], tmp_path: Path, times: int) -> None:
    find_damage(*died, tmp_path / "work", times)


@pytest.mark.parametrize(
    ("unchecked", "what_shows_it"),
    [
        # the reader refuses what its CRCs do not fit, as it would a file of another version
        (["same_bytes"], "rows are never wrong"),
        (["same_bytes", "remeasured"], "a damaged log is named"),
    ],
)
def test_a_program_that_checks_less_is_caught(
    died: tuple[Path, set[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    unchecked: list[str],
    what_shows_it: str,
) -> None:
    """Control: bits of a log turn, and neither digest nor CRC is looked at."""
    taken_for_sound: dict[str, object] = {"same_bytes": True, "remeasured": ()}
    for name in unchecked:
        monkeypatch.setattr(verification, name, lambda *_, found=taken_for_sound[name]: found)
    with pytest.raises(AssertionError, match=what_shows_it):
        find_damage(*died, tmp_path / "work", 50)


def find_damage(source: Path, acknowledged: set[str], data: Path, times: int) -> None:
    chance = random.Random(times)
    lost_some = 0
    for number in range(times):
        shutil.copytree(source, data)
        logs = sorted((data / "logs").rglob("*.runlog"))
        of_a_log = number % 2 == 0
        target = chance.choice(logs) if of_a_log else data / "coalescope.sqlite-wal"
        damage(target, chance)
        try:
            lost, named = lost_and_named(data, acknowledged)
        except (CoalescopeError, DBAPIError):
            lost, named = set(), {target.stem}  # it does not start, and says why
        if of_a_log:
            assert target.stem in named, "a damaged log is named"
        assert lost <= named, "an upload is gone, and nothing says so"
        lost_some += bool(lost)
        shutil.rmtree(data)
    assert lost_some, "control: damage to the write-ahead log loses what was in it alone"
