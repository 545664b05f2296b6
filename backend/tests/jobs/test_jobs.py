# SPDX-License-Identifier: Apache-2.0
"""Jobs: asked for once, computed by some server, kept; a server that ends takes none with it."""

import time
from collections.abc import Callable
from threading import Event, Thread
from threading import enumerate as threads
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db.engine import Database
from coalescope.db.tables import jobs
from coalescope.errors import CoalescopeError, not_found
from coalescope.fits import service as fits
from coalescope.fits.schemas import FitOut
from coalescope.jobs import service
from coalescope.jobs.runner import JobRunner
from coalescope.jobs.schemas import JobIn
from coalescope.jobs.underway import Underway
from timeouts import TIMEOUT_S, wait_until

MakeClient = Callable[..., Any]
FIT = {"model": "cpu-overhead", "resamples": 200, "seed": 7, "response": "system_cpu_s"}
HEADER = "mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"


@pytest.fixture
def asked(client: Any) -> Any:
    """An experiment that can be fitted, at a server whose jobs nobody computes yet."""
    rows = [
        f"{mtu},{delay},{number},5010000000,{5010000000 // mtu + 40 * number},"
        f"{(5010000000 // mtu) // (1 + delay // 10) + 30 * number},{60 + mtu / 900 + delay / 7}"
        for mtu in (1500, 3000, 6000)
        for delay in (0, 20, 80)
        for number in (1, 2, 3)
    ]
    table = "\n".join([HEADER, *rows, ""]).encode()
    assert client.upload(table, "lab.csv", experiment="lab").status_code == 201
    return client


def ask(client: Any, **fit: Any) -> Any:
    return client.post("/api/jobs", json={"experiment": "lab", "fit": {**FIT, **fit}})


def ended(client: Any, uid: str) -> Any:
    deadline = time.monotonic() + TIMEOUT_S
    while (job := client.get(f"/api/jobs/{uid}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return job


def database(client: Any) -> Database:
    found: Database = client.app.state.database
    return found


def take(client: Any, at_once: int = 1) -> service.Claim | None:
    with database(client).write() as connection:
        return service.take(connection, at_once)


def silence(client: Any) -> None:
    """The server that had it was ended an hour ago."""
    with database(client).write() as connection:
        connection.execute(sa.update(jobs).values(heard_at="2020-01-01T00:00:00.000Z"))


def test_a_job_answers_what_a_fit_does(asked: Any) -> None:
    made = ask(asked)
    assert (made.status_code, made.json()["state"]) == (202, "queued")
    runner = asked.app.state.job_runner
    runner.start()
    job = ended(asked, made.json()["id"])
    assert (job["state"], job["error"], job["nonlinear_fit"]) == ("done", None, None)
    assert job["fit"] == asked.post("/api/experiments/lab/fits", json=FIT).json()
    again = ask(asked)
    assert (again.status_code, again.json()) == (200, job), "the same question is the same job"
    assert ask(asked, seed=8).status_code == 202
    assert [one["id"] for one in asked.get("/api/jobs?experiment=lab").json()][1] == job["id"]
    assert (
        asked.get("/api/jobs?experiment=lba").json()["error"]["advice"].startswith("Did you mean")
    )
    runner.stop()


def test_a_job_may_take_longer_than_a_request(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits, "_MAX_DRAWS", 1000)
    refused = asked.post("/api/experiments/lab/fits", json=FIT)
    assert refused.json()["error"]["code"] == "too_many_draws"
    asked.app.state.job_runner.start()
    assert ended(asked, ask(asked).json()["id"])["state"] == "done"
    beyond = ended(asked, ask(asked, resamples=100_000).json()["id"])
    assert (beyond["state"], beyond["error"]["code"]) == ("failed", "too_many_draws")
    asked.app.state.job_runner.stop()


def test_new_data_is_another_question(asked: Any) -> None:
    assert ask(asked).status_code == 202
    more = f"{HEADER}\n9000,0,1,5010000000,557000,550000,70\n"
    assert asked.upload(more.encode(), "more.csv", experiment="lab").status_code == 201
    assert ask(asked).status_code == 202


def test_a_server_that_died_takes_no_job_with_it(asked: Any, make_client: MakeClient) -> None:
    uid = ask(asked).json()["id"]
    claim = take(asked)
    assert claim is not None
    assert take(asked) is None, "nobody else computes it meanwhile"
    silence(asked)
    restarted = make_client()
    restarted.app.state.job_runner.start()
    job = ended(restarted, uid)
    restarted.app.state.job_runner.stop()
    assert job["state"] == "done"
    with database(asked).write() as connection:
        assert not service.still_at_it(connection, claim, Underway())
        service.finish(connection, claim, Underway(), {"late": True})
    assert asked.get(f"/api/jobs/{uid}").json() == job, "what comes too late changes nothing"


def test_a_job_that_ends_servers_is_given_up(asked: Any) -> None:
    uid = ask(asked).json()["id"]
    for _ in range(3):
        assert take(asked) is not None
        silence(asked)
    assert take(asked) is None
    job = asked.get(f"/api/jobs/{uid}").json()
    assert (job["state"], job["error"]["code"]) == ("failed", "job_lost")
    assert ask(asked).status_code == 202, "it can be asked anew"


@pytest.mark.parametrize("at_once", [1, 2])
def test_so_many_run_at_once(asked: Any, at_once: int) -> None:
    for seed in range(3):
        ask(asked, seed=seed)
    taken = [take(asked, at_once) for _ in range(3)]
    assert [claim is not None for claim in taken] == [number < at_once for number in range(3)]


def test_a_server_that_ends_in_order_gives_its_job_back(asked: Any) -> None:
    uid = ask(asked).json()["id"]
    begun, never = Event(), Event()

    def calculate() -> FitOut:
        begun.set()
        never.wait(TIMEOUT_S)
        raise AssertionError

    runner = JobRunner(database(asked), lambda _question, _underway: calculate, at_once=1)
    runner.start()
    assert begun.wait(TIMEOUT_S)
    assert asked.get(f"/api/jobs/{uid}").json()["state"] == "running"
    runner.stop()
    assert asked.get(f"/api/jobs/{uid}").json()["state"] == "queued"


@pytest.mark.parametrize("ends", [1, 4])
def test_servers_that_end_in_order_give_no_job_up(asked: Any, ends: int) -> None:
    ask(asked)
    for _ in range(ends):
        claim = take(asked)
        assert claim is not None
        with database(asked).write() as connection:
            service.give_back(connection, claim)
    assert take(asked) is not None
    silence(asked)
    assert take(asked) is not None, "one that died once is computed again"


def test_what_the_servers_end_ended_is_computed_again(asked: Any) -> None:
    """Also where its process was killed before the runner was told to stop."""
    uid = ask(asked).json()["id"]
    works: list[Underway] = []

    def prepare(_question: JobIn, underway: Underway) -> Callable[[], FitOut]:
        works.append(underway)
        if len(works) == 1:
            underway.ending.come()
        underway.ending.check()
        raise CoalescopeError("of_the_second", "It is computed again.")

    runner = JobRunner(database(asked), prepare, at_once=1)
    runner.start()
    assert ended(asked, uid)["error"]["code"] == "of_the_second"
    runner.stop()


def test_a_server_ends_after_what_it_reads(asked: Any) -> None:
    """What computes is left to itself; what reads has a connection, and is waited for."""
    ask(asked)
    reading, go = Event(), Event()

    def prepare(_question: JobIn, _underway: Underway) -> Callable[[], FitOut]:
        with database(asked).read():
            reading.set()
            assert go.wait(TIMEOUT_S)
        raise not_found("experiment", "lab", "It was there before.")

    runner = JobRunner(database(asked), prepare, at_once=1)
    runner.start()
    assert reading.wait(TIMEOUT_S)
    stopping = Thread(target=runner.stop)
    stopping.start()
    stopping.join(0.3)
    assert stopping.is_alive()
    go.set()
    stopping.join(TIMEOUT_S)
    assert not stopping.is_alive()


def test_what_cannot_be_asked(asked: Any) -> None:
    assert asked.post("/api/jobs", json={"experiment": "lab"}).status_code == 422
    both = {"experiment": "lab", "fit": FIT, "nonlinear_fit": {}}
    assert asked.post("/api/jobs", json=both).status_code == 422
    other = {"experiment": "other", "fit": FIT}
    assert asked.post("/api/jobs", json=other).json()["error"]["code"] == "not_found"
    assert asked.get("/api/jobs/nothing").status_code == 404


def test_predictions_over_a_grid_that_is_too_large_for_a_request(client: Any) -> None:
    model = "timer-packets-per-interrupt"
    small = {"over": {"delay_us": {"lo": 0, "hi": 500, "n": 300}}}
    large = {"over": {**small["over"], "mtu_bytes": {"lo": 600, "hi": 9000, "n": 300}}}
    refused = client.post(f"/api/models/{model}/predictions", json=large)
    assert refused.status_code == 422
    assert "90000 points" in refused.json()["error"]["message"]
    asked = client.post("/api/jobs", json={"prediction": {"model": model, **large}})
    assert asked.status_code == 202, asked.text
    runner = client.app.state.job_runner
    runner.start()
    job = ended(client, asked.json()["id"])
    runner.stop()
    assert (job["state"], job["experiment"], job["fit"]) == ("done", None, None)
    assert job["prediction"]["shape"] == [300, 300]
    fixed = {"values": {"mtu_bytes": 9000}, **small}
    line = client.post(f"/api/models/{model}/predictions", json=fixed).json()
    for name, values in line["outputs"].items():
        assert job["prediction"]["outputs"][name][299::300] == values
    again = client.post("/api/jobs", json={"prediction": {"model": model, **large}})
    assert (again.status_code, again.json()["id"]) == (200, job["id"])


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"experiment": "lab"},
        {"experiment": "lab", "prediction": {"model": "link"}},
        {"fit": FIT},
        {"fit": FIT, "prediction": {"model": "link"}},
    ],
)
def test_a_job_has_one_question(client: Any, question: Any) -> None:
    assert client.post("/api/jobs", json=question).status_code == 422


def test_a_grid_that_is_too_large_for_a_job_fails_it(client: Any) -> None:
    over = {name: {"lo": 600, "hi": 900, "n": 2000} for name in ("delay_us", "mtu_bytes")}
    question = {"prediction": {"model": "timer-packets-per-interrupt", "over": over}}
    asked = client.post("/api/jobs", json=question)
    runner = client.app.state.job_runner
    runner.start()
    job = ended(client, asked.json()["id"])
    runner.stop()
    assert (job["state"], job["error"]["code"]) == ("failed", "wrong_range")


def cancel(client: Any, uid: str) -> Any:
    return client.post(f"/api/jobs/{uid}/cancellation")


def test_a_job_that_waits_is_cancelled(asked: Any) -> None:
    uid = ask(asked).json()["id"]
    job = cancel(asked, uid).json()
    assert (job["state"], job["fit"], job["error"]) == ("cancelled", None, None)
    assert job["finished_at"] is not None
    assert take(asked) is None, "nobody computes it"
    assert cancel(asked, uid).json() == job, "cancelling it again changes nothing"
    again = ask(asked)
    assert again.status_code == 202
    assert again.json()["id"] != uid, "its question can be asked anew"
    assert cancel(asked, "nothing").status_code == 404


def test_what_has_ended_cannot_be_cancelled(asked: Any) -> None:
    uid = ask(asked).json()["id"]
    asked.app.state.job_runner.start()
    job = ended(asked, uid)
    asked.app.state.job_runner.stop()
    refused = cancel(asked, uid)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "job_ended")
    assert asked.get(f"/api/jobs/{uid}").json() == job


def test_a_job_says_how_far_it_is_and_ends_with_the_part_at_hand(asked: Any) -> None:
    uid = ask(asked).json()["id"]
    fourth, go = Event(), Event()
    computed: list[int] = []
    works: list[Underway] = []

    def part(number: int) -> None:
        if number == 3:
            fourth.set()
            assert go.wait(TIMEOUT_S)
        computed.append(number)

    def prepare(_question: JobIn, underway: Underway) -> Callable[[], FitOut]:
        works.append(underway)

        def calculate() -> FitOut:
            list(underway.one_by_one(part, range(10)))
            raise AssertionError

        return calculate

    def how_far() -> tuple[int, int]:
        job = asked.get(f"/api/jobs/{uid}").json()
        return job["parts_done"], job["parts"]

    runner = JobRunner(database(asked), prepare, at_once=1)
    runner.start()
    assert fourth.wait(TIMEOUT_S)
    wait_until(lambda: how_far() == (3, 10), "it does not say how far it is")
    assert cancel(asked, uid).json()["state"] == "cancelled"
    runner.look()

    def is_told() -> bool:
        try:
            works[0].ending.check()
        except CoalescopeError:
            return True
        return False

    wait_until(is_told, "what computes is not told")
    go.set()
    wait_until(lambda: not under_way(uid), "it goes on")
    runner.stop()
    assert computed == [0, 1, 2, 3]
    assert asked.get(f"/api/jobs/{uid}").json()["state"] == "cancelled"


def under_way(uid: str) -> bool:
    return any(thread.name == f"job {uid}" for thread in threads())


def test_a_nonlinear_job_answers_what_a_request_does(asked: Any) -> None:
    fit = {
        "model": "cpu-overhead",
        "output": "system_cpu",
        "response": "system_cpu_s",
        "free": ["alpha"],
        "resamples": 50,
    }
    found = asked.post("/api/experiments/lab/nonlinear-fits", json=fit)
    uid = asked.post("/api/jobs", json={"experiment": "lab", "nonlinear_fit": fit}).json()["id"]
    asked.app.state.job_runner.start()
    job = ended(asked, uid)
    asked.app.state.job_runner.stop()
    assert found.status_code == 200, found.text
    assert job["nonlinear_fit"] == found.json()
    assert job["parts_done"] == job["parts"] >= 1


def test_jobs_of_a_deleted_experiment_are_not_seen(asked: Any) -> None:
    uid = ask(asked).json()["id"]
    assert "coalescope_store_experiments 1.0" in asked.get("/metrics").text
    assert asked.request("DELETE", "/api/experiments/lab").status_code == 200
    assert asked.get("/api/jobs").json() == []
    assert asked.get(f"/api/jobs/{uid}").status_code == 404
    assert cancel(asked, uid).status_code == 404
    assert "coalescope_store_experiments 0.0" in asked.get("/metrics").text
    assert asked.post("/api/experiments/lab/restoration").status_code == 200
    assert [job["id"] for job in asked.get("/api/jobs").json()] == [uid]
