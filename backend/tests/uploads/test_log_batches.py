# SPDX-License-Identifier: Apache-2.0
"""Logs that come at the same time share a transaction, and nothing else."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db.batcher import Batcher
from coalescope.db.tables import changes
from coalescope.errors import CoalescopeError
from coalescope.verification.service import verify
from timeouts import TIMEOUT_S, wait_until

MakeLog = Callable[..., bytes]


@contextmanager
def nobody_writes(client: Any) -> Iterator[None]:
    """Hold the write lock, so that what comes meanwhile waits for it together."""
    held, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with client.app.state.database.write():
            held.set()
            let_go.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(TIMEOUT_S)
    try:
        yield
    finally:
        let_go.set()
        holder.join()


def send_at_once(client: Any, contents: Sequence[bytes]) -> list[Any]:
    """The first takes the turn and waits for the lock; the others are the next turn.

    What is known already waits for no turn: its answer is there before the others'.
    """
    batcher = client.app.state.database.batcher
    with ThreadPoolExecutor(len(contents)) as pool:
        with nobody_writes(client):
            first = pool.submit(client.upload, contents[0], "0.runlog")
            wait_until(
                lambda: batcher.waiting("lab") is not None, "the first does not take the turn"
            )
            named = [(content, f"{n}.runlog") for n, content in enumerate(contents[1:], start=1)]
            others = [pool.submit(client.upload, *one) for one in named]

            def all_wait() -> bool:
                return batcher.waiting("lab") + sum(one.done() for one in others) == len(others)

            wait_until(all_wait, "some do not wait for their turn")
        return [one.result() for one in (first, *others)]


def commits(client: Any) -> list[int]:
    """Counts transactions of the writer from now on."""
    counted = [0]

    def count(connection: Any) -> None:
        counted[0] += bool(connection.get_execution_options().get("coalescope_writes"))

    sa.event.listen(client.app.state.database.engine, "commit", count)
    return counted


def test_they_share_a_commit(client: Any, make_log: MakeLog) -> None:
    counted = commits(client)
    answers = send_at_once(client, [make_log(replicate=None) for _ in range(6)])
    assert [answer.status_code for answer in answers] == [201] * 6
    assert counted[0] == 3, "the lock's holder, the first, and one for the other five"
    runs = [answer.json()["runs"][0] for answer in answers]
    assert sorted(run["replicate"] for run in runs) == [1, 2, 3, 4, 5, 6]
    assert len({run["id"] for run in runs}) == 6
    assert client.get("/api/experiments/lab").json()["data_version"] == 6
    cell = client.get("/api/experiments/lab/cells").json()["cells"][0]
    assert (cell["runs"], cell["measures"]["rx_bytes"]["n"]) == (6, 6)


def test_each_has_its_own_note_and_history(client: Any, make_log: MakeLog) -> None:
    answers = send_at_once(client, [make_log(replicate=n) for n in range(1, 5)])
    with client.app.state.database.read() as connection:
        notes = list(connection.scalars(sa.select(changes.c.what)))
    uids = [answer.json()["runs"][0]["id"] for answer in answers]
    assert sorted(notes) == sorted(
        f"lab: run {uid} uploaded as {n}.runlog" for n, uid in enumerate(uids)
    )
    for number, answer in enumerate(answers):
        run = client.get(f"/api/runs/{answer.json()['runs'][0]['id']}").json()
        assert run["history"][0]["reason"] == f"uploaded as {number}.runlog"
        assert run["replicate"] == number + 1


def test_one_that_is_refused_spoils_no_other(client: Any, make_log: MakeLog) -> None:
    stored = make_log(run_id="00000000-0000-4000-8000-000000000001", replicate=1)
    assert client.upload(stored, "stored.runlog").status_code == 201
    contradicts = make_log(run_id="00000000-0000-4000-8000-000000000001", replicate=2)
    simulated = make_log(kind="simulated", replicate=3)
    sent = [make_log(replicate=4), contradicts, make_log(replicate=5), stored, simulated]
    twice = make_log(replicate=6)
    answers = send_at_once(client, [*sent, twice, twice])
    assert [answer.status_code for answer in answers[:5]] == [201, 409, 201, 200, 409]
    assert sorted(answer.status_code for answer in answers[5:]) == [200, 201]
    assert client.get("/api/experiments/lab/runs").json()["total"] == 4


def test_the_same_log_at_the_same_time_is_known_and_not_cut_off(
    client: Any, make_log: MakeLog
) -> None:
    receipts = [answer.json() for answer in send_at_once(client, [make_log()] * 3)]
    assert sorted(receipt["outcome"] for receipt in receipts) == ["known", "known", "stored"]
    assert [receipt["warnings"] for receipt in receipts] == [[], [], []]
    assert client.get("/api/experiments/lab/runs").json()["total"] == 1


def test_of_logs_of_one_run_that_contradict_each_other_one_is_stored(
    client: Any, make_log: MakeLog
) -> None:
    uid = "00000000-0000-4000-8000-000000000001"
    contradicting = [make_log(run_id=uid, replicate=number) for number in (1, 2)]
    answers = send_at_once(client, [make_log(), *contradicting, make_log()])
    assert sorted(answer.status_code for answer in answers[1:3]) == [201, 409]
    assert [answers[0].status_code, answers[3].status_code] == [201, 201]
    assert client.get("/api/experiments/lab/runs").json()["total"] == 3
    report = verify(client.app.state.database, client.app.state.object_store)
    assert (report.files, report.faults, report.leftovers) == (3, [], [])


def test_a_disk_that_fails_as_each_is_stored_alone_spoils_no_other(
    client: Any, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the batch is known only as rows are written, so each is stored alone."""
    store, uid = client.app.state.object_store, "00000000-0000-4000-8000-000000000001"
    contradicting = [make_log(run_id=uid, replicate=number) for number in (1, 2)]
    unlucky = make_log(replicate=7)
    digest = hashlib.sha256(unlucky).hexdigest()
    real = store.commit_all

    def place(staged: Sequence[Any], suffix: str) -> None:
        if digest in [one.sha256 for one in staged]:
            raise OSError(28, "No space left on device")
        real(staged, suffix)

    monkeypatch.setattr(store, "commit_all", place)
    answers = send_at_once(client, [make_log(), *contradicting, unlucky, make_log()])
    assert sorted(answer.status_code for answer in answers[1:3]) == [201, 409]
    assert [answers[n].status_code for n in (0, 3, 4)] == [201, 507, 201]
    assert client.get("/api/experiments/lab/runs").json()["total"] == 3


def test_a_store_that_fails_is_not_asked_again_for_each(
    client: Any, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, asked = client.app.state.object_store, []

    def fail(staged: Sequence[Any], suffix: str) -> None:
        asked.append(len(staged))
        raise CoalescopeError("bucket_unreachable", "It is gone.", status=503)

    monkeypatch.setattr(store, "commit_all", fail)
    answers = send_at_once(client, [make_log() for _ in range(4)])
    assert [answer.status_code for answer in answers] == [503] * 4
    assert sum(asked) == 4, "each log once, in the first's turn or the others'"
    assert client.get("/api/experiments").json() == []


def test_turns_are_taken_whole_and_errors_reach_everybody() -> None:
    together, begun, go_on = Batcher(), threading.Event(), threading.Event()
    seen: list[list[int]] = []

    def work(items: Sequence[int]) -> list[int]:
        seen.append(list(items))
        begun.set()
        go_on.wait()
        if 13 in items:
            raise ValueError("thirteen")
        return [-item for item in items]

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(together.do, "key", 1, work)
        assert begun.wait(TIMEOUT_S)
        others = [pool.submit(together.do, "key", item, work) for item in (13, 14, 15)]
        elsewhere = pool.submit(together.do, "another key", 2, work)
        wait_until(lambda: together.waiting("key") == 3 and [2] in seen, "they do not wait")
        go_on.set()
    assert (first.result(), elsewhere.result()) == (-1, -2)
    assert seen[0] == [1]
    assert [2] in seen, "keys do not wait for each other"
    assert sorted(max(seen, key=len)) == [13, 14, 15]
    for other in others:
        with pytest.raises(ValueError, match="thirteen"):
            other.result()
    go_on.set()
    assert together.do("key", 3, work) == -3
