# SPDX-License-Identifier: Apache-2.0
"""Work spread over a real Dask scheduler with workers in processes of their own."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coalescope.errors import CoalescopeError
from coalescope.jobs.cluster import Cluster
from coalescope.jobs.underway import Underway
from coalescope.predictions.service import Span
from coalescope.predictions.sweeps import sweep
from coalescope_models.inference.fitting import FitResult, fit_linear
from timeouts import TIMEOUT_S, wait_until

COLUMNS = ("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts")


def begun(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words], stdout=log, stderr=log, cwd=folder
        )


class Machines:
    """A scheduler, and workers that can be ended."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        port = self.address.rpartition(":")[2]
        no_page = ("--no-dashboard", "--host", "127.0.0.1")
        self.running = [begun(folder, "scheduler", "--port", port, *no_page)]
        # without a nanny, which would begin it again
        typed = ("worker", self.address, "--no-nanny", "--nthreads", "1", *no_page)
        self.begin_a_worker = lambda: self.running.append(begun(folder, *typed))
        for _ in range(2):
            self.begin_a_worker()

    def kill_a_worker(self) -> None:
        worker = self.running.pop()
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(TIMEOUT_S)

    def close(self) -> None:
        for process in reversed(self.running):
            process.terminate()
            process.wait(TIMEOUT_S)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    found = Machines(tmp_path_factory.mktemp("dask"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def cluster(machines: Machines) -> Iterator[Cluster]:
    found = Cluster(machines.address)
    wait_for_two(found)
    yield found
    found.close()


def wait_for_two(cluster: Cluster) -> None:
    def there() -> bool:
        try:
            cluster.map(lambda item: item, [1])
        except CoalescopeError:
            return False
        return cluster.threads() == 2

    wait_until(there, "the workers do not come")


def fitted(workers: object, *, replicated: bool) -> FitResult:
    rng = np.random.default_rng(1)
    cells, replicates = 40, 4
    counts = rng.uniform(1.0, 9.0, (cells, 3)).repeat(replicates, axis=0)
    noisy = counts @ [0.8, 0.3, 1.1] * (1.0 + 0.01 * rng.normal(size=len(counts)))
    table = dict(zip((*COLUMNS, "system_cpu_jiffies"), [*counts.T, noisy], strict=True))
    labels = np.arange(cells).repeat(replicates)
    how = {"cells": labels} if replicated else {"strata": labels // 10}
    return fit_linear("cpu-overhead", table, rng=3, resamples=10_000, workers=workers, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("replicated", [True, False])
def test_a_fit_is_the_same_bit_by_bit(cluster: Cluster, replicated: bool) -> None:
    here = fitted(1, replicated=replicated)
    assert fitted(cluster.map, replicated=replicated) == here
    assert fitted(2, replicated=replicated) == here


def test_results_come_in_order_and_failures_through(cluster: Cluster) -> None:
    assert list(cluster.map(lambda item: item * item, range(50))) == [n * n for n in range(50)]
    assert list(cluster.map(lambda item: item, [])) == []
    with pytest.raises(ZeroDivisionError):
        cluster.map(lambda item: 1 / item, [1, 0])


def test_parts_are_counted_and_not_begun_after_the_end(cluster: Cluster) -> None:
    done = Underway()
    assert list(cluster.map(abs, range(50), done)) == list(range(50))
    assert done.done == done.parts >= 2

    def slow(item: int) -> int:
        time.sleep(0.2)
        return item

    cancelled = Underway()
    ending = threading.Timer(0.5, cancelled.ending.come)
    ending.start()
    with pytest.raises(CoalescopeError) as refused:
        list(cluster.map(slow, range(1000), cancelled))
    ending.join()
    assert refused.value.code == "ended"
    assert cancelled.done < cancelled.parts
    assert list(cluster.map(abs, [-1])) == [1], "the workers are free again"


def test_a_sweep_of_predictions_survives_a_worker_bit_by_bit(
    cluster: Cluster, machines: Machines
) -> None:
    """The worker is killed while parts of the grid are being computed; another takes its place."""
    over = {"delay_us": Span(0, 500, 501), "mtu_bytes": Span(600, 9000, 400)}
    model = "tcp-lossy-throughput"
    here = sweep(model, {}, over)
    seen: list[int] = []

    def slowly(function: Callable[[int], Any], firsts: Sequence[int]) -> Iterable[Any]:
        def part(first: int) -> Any:
            time.sleep(0.2)
            return os.getpid(), function(first)

        killed = threading.Timer(0.7, machines.kill_a_worker)
        killed.start()
        found = list(cluster.map(part, firsts))
        killed.join()
        seen.extend(pid for pid, _ in found)
        return [outputs for _, outputs in found]

    there = sweep(model, {}, over, slowly)
    assert os.getpid() not in seen
    wait_until(lambda: cluster.threads() == 1, "control: it was not killed")
    for name, values in here.outputs.items():
        assert values.shape == (501, 400)
        assert there.outputs[name].tobytes() == values.tobytes()
    machines.begin_a_worker()
    wait_for_two(cluster)


def test_a_worker_that_is_killed_changes_no_bit(cluster: Cluster, machines: Machines) -> None:
    """The last test: one of the two workers is gone after it."""
    streams = np.random.default_rng(5).spawn(24)

    def slow(rng: np.random.Generator) -> float:
        time.sleep(0.1)
        return float(rng.normal(size=1000).sum())

    here = [slow(rng) for rng in np.random.default_rng(5).spawn(24)]
    killed = threading.Timer(0.5, machines.kill_a_worker)
    killed.start()
    assert list(cluster.map(slow, streams)) == here
    killed.join()
    wait_until(lambda: cluster.threads() == 1, "it was not killed")
    assert fitted(cluster.map, replicated=True) == fitted(1, replicated=True)


def test_without_a_scheduler_it_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(CoalescopeError) as refused:
        Cluster(address, timeout_s=1).map(abs, [1])
    assert (refused.value.code, refused.value.status) == ("cluster_unreachable", 503)
