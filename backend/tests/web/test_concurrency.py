# SPDX-License-Identifier: Apache-2.0
"""Long computations are limited: some run, some wait, the rest is sent away and told when."""

import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from coalescope.errors import CoalescopeError
from coalescope.fits import service
from coalescope.web.concurrency import ConcurrencyLimiter
from timeouts import TIMEOUT_S, wait_until

MakeClient = Callable[..., Any]


class Work:
    """Takes a turn each, and holds it until it is told to end."""

    def __init__(self, computations: ConcurrencyLimiter) -> None:
        self.computations = computations
        self.end = threading.Event()
        self.lock = threading.Lock()
        self.running = self.most = self.refused = 0

    def do(self) -> None:
        try:
            with self.computations.acquire():
                with self.lock:
                    self.running += 1
                    self.most = max(self.most, self.running)
                self.end.wait(TIMEOUT_S)
                with self.lock:
                    self.running -= 1
        except CoalescopeError:
            with self.lock:
                self.refused += 1


def do_many(computations: ConcurrencyLimiter, count: int, running: int, refused: int) -> Work:
    """Those that run go on until so many run, and so many were refused."""
    work = Work(computations)
    threads = [threading.Thread(target=work.do) for _ in range(count)]
    for thread in threads:
        thread.start()
    wait_until(lambda: (work.running, work.refused) == (running, refused), "they do not come")
    work.end.set()
    for thread in threads:
        thread.join()
    return work


def test_no_more_run_than_may_and_few_wait() -> None:
    work = do_many(ConcurrencyLimiter(2, TIMEOUT_S), 10, running=2, refused=4)
    assert (work.most, work.refused) == (2, 4), "two ran, four waited for them"
    everybody = do_many(ConcurrencyLimiter(10), 10, running=10, refused=0)
    assert (everybody.most, everybody.refused) == (10, 0), "control"


def test_nobody_waits_for_long_and_turns_come_back() -> None:
    computations = ConcurrencyLimiter(1, timeout_s=0.1)
    work = do_many(computations, 3, running=1, refused=2)
    assert (work.most, work.refused) == (1, 2)
    with computations.acquire():
        pass


@pytest.fixture
def busy(make_client: MakeClient) -> Any:
    client = make_client(fits_at_once=1)
    client.app.state.computations = ConcurrencyLimiter(1, TIMEOUT_S)
    lines = ["mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"]
    lines += [
        f"{mtu},{delay},{replicate},1000000000,{10**9 // mtu},{10**8 // (mtu + 50 * delay)},"
        f"{9000 / mtu + 1 / (1 + delay) + replicate / 100}"
        for mtu in (1500, 3000, 9000)
        for delay in (0, 50, 100)
        for replicate in (1, 2, 3)
    ]
    assert client.upload("\n".join(lines).encode(), "lab.csv").status_code == 201
    return client


def test_a_server_that_computes_enough_says_when_to_come_again(busy: Any) -> None:
    begun, end = threading.Event(), threading.Event()
    whole = service.fit

    def slow(*arguments: Any) -> Any:
        begun.set()
        end.wait(TIMEOUT_S)
        return whole(*arguments)

    def ask(seed: int) -> Any:
        body = {"model": "cpu-overhead", "resamples": 10, "seed": seed}
        return busy.post("/api/experiments/lab/fits", json=body)

    kept = ask(1)
    assert kept.status_code == 200, kept.text
    answers: list[Any] = []
    with mock.patch.object(service, "fit", slow):
        threads = [
            threading.Thread(target=lambda seed=seed: answers.append(ask(seed)))
            for seed in (2, 3, 4)
        ]
        for thread in threads:
            thread.start()
        assert begun.wait(TIMEOUT_S)
        room = busy.app.state.computations._room
        wait_until(lambda: room._value == 0, "the two others do not wait")
        refused = ask(5)
        assert ask(1).json() == kept.json(), "what is known takes no turn"
        assert busy.get("/api/experiments").status_code == 200
        end.set()
        for thread in threads:
            thread.join()
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
    assert refused.headers["retry-after"] == "5"
    assert [answer.status_code for answer in answers] == [200] * 3
    assert ask(5).status_code == 200
