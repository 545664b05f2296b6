# SPDX-License-Identifier: Apache-2.0
"""What a user's model may take: its process is bounded, and the server beside it goes on."""

import errno
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from children import children_of
from coalescope.errors import CoalescopeError
from coalescope.untrusted.confined import Bounds
from coalescope.untrusted.confinement import OF_THE_SERVER
from coalescope.user_models.confinement import Confinement, here
from coalescope_models.catalogue import DomainError, evaluate, find
from coalescope_models.expr import Graph
from coalescope_models.inference.fitting import FitInputError, fit_nonlinear
from coalescope_models.user_models.model import Constant, UserModel, user_model
from timeouts import TIMEOUT_S

MakeClient = Callable[..., Any]
ENOUGH = Confinement(Bounds(seconds=30, mib=256))
NODES = 1_990


@pytest.fixture(autouse=True)
def what_is_asked_for_is_found(
    monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    """The functions of these tests: a process runs no file of the folder it is begun in."""
    ours = [str(place) for place in (pytestconfig.rootpath, *pytestconfig.getini("pythonpath"))]
    places = [*ours, os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))


def model() -> UserModel:
    """Latency = delay + base."""
    graph = {
        "format": 1,
        "inputs": ["delay_us", "base_us"],
        "nodes": [["input", 0], ["input", 1], ["add", 0, 1]],
        "outputs": {"latency_us": 2},
    }
    read = Graph.from_json(graph)
    return user_model("x", read, ["delay_us"], [Constant("base_us", 50, 0, 500, "µs")])


def of_model(own: UserModel, work: str, amount: Any) -> Any:
    """What a process is made to do in these tests."""
    match work:
        case "sleep":
            time.sleep(amount)
        case "spin":
            while True:
                pass
        case "allocate":
            return float(np.ones(int(amount) << 17).sum())  # that many MiB
        case "write":
            Path(own.title).write_text("x")
        case "environment":
            return dict(os.environ)
        case "die":
            os.kill(os.getpid(), int(amount))
        case "leave":
            os._exit(int(amount))
        case "say and leave":
            os.write(2, str(amount).encode())
            os._exit(1)
        case "system call":
            raise OSError(int(amount), os.strerror(int(amount)))
        case "library":
            try:
                raise MemoryError
            except MemoryError as error:
                raise ValueError("the library could not do it") from error
    return os.getpid()


def test_it_is_done_elsewhere_and_comes_back_whole() -> None:
    delays = np.linspace(0, 100, 5)
    found = ENOUGH(evaluate, model(), {"delay_us": delays})
    assert np.array_equal(found["latency_us"], delays + 50)
    assert ENOUGH(of_model, model(), "pid", 0) != os.getpid()
    assert here(of_model, model(), "pid", 0) == os.getpid()
    assert ENOUGH(of_model, find("request-response"), "pid", 0) == os.getpid(), "none of a user's"


@pytest.mark.parametrize("mib", [256, 40])
def test_a_fit_is_the_same_there(mib: int) -> None:
    """The libraries that it imports are not its own: in 40 MiB they would have no room."""
    delays = np.repeat([0.0, 10.0, 40.0, 90.0], 3)
    table = {"delay_us": delays, "latency_us": 120 + delays + np.tile([-1.0, 0.0, 1.0], 4)}
    asked: dict[str, Any] = {"cells": delays, "resamples": 50, "rng": 3}
    there = Confinement(Bounds(seconds=30, mib=mib))(
        fit_nonlinear, model(), table, "latency_us", ["base_us"], **asked
    )
    assert there == fit_nonlinear(model(), table, "latency_us", ["base_us"], **asked)
    assert there.estimates["base_us"].value == pytest.approx(120, rel=1e-3)


def test_its_refusals_come_back() -> None:
    with pytest.raises(DomainError) as outside:
        ENOUGH(evaluate, model(), {"delay_us": -1.0})
    assert (outside.value.name, "at least 0" in str(outside.value)) == ("delay_us", True)
    with pytest.raises(FitInputError) as wrong:
        ENOUGH(fit_nonlinear, model(), {"delay_us": [1.0], "latency_us": [1.0]}, "speed", ["x"])
    assert wrong.value.name == "output"


@pytest.mark.parametrize("work", ["sleep", "spin"])
def test_its_time_is_bounded(work: str) -> None:
    before = children_of(os.getpid())
    start = time.monotonic()
    with pytest.raises(CoalescopeError) as refused:
        Confinement(Bounds(seconds=1, mib=256))(of_model, model(), work, 600)
    assert time.monotonic() - start < TIMEOUT_S
    assert (refused.value.status, refused.value.code) == (422, "took_too_long")
    assert "1 s" in refused.value.message
    assert children_of(os.getpid()) - before == set(), "it was killed, and nothing is left of it"


def test_its_memory_is_bounded() -> None:
    with pytest.raises(CoalescopeError) as refused:
        Confinement(Bounds(seconds=30, mib=64))(of_model, model(), "allocate", 100)
    assert (refused.value.status, refused.value.code) == (422, "took_too_much_memory")
    assert ENOUGH(of_model, model(), "allocate", 100) == 100 << 17, "control: it is the bound"


@pytest.mark.parametrize(
    "ended_by", [signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGKILL]
)
def test_native_code_may_die_of_refused_memory(ended_by: signal.Signals) -> None:
    with pytest.raises(CoalescopeError) as refused:
        ENOUGH(of_model, model(), "die", ended_by)
    assert refused.value.code == "took_too_much_memory"


@pytest.mark.parametrize("raised_by", ["system call", "library"])
def test_memory_is_refused_in_other_words_too(raised_by: str) -> None:
    """Python's import system says OSError; a library may say what it could not do."""
    with pytest.raises(CoalescopeError) as refused:
        ENOUGH(of_model, model(), raised_by, errno.ENOMEM)
    assert refused.value.code == "took_too_much_memory"


def test_openblas_says_it_itself() -> None:
    said = "OpenBLAS error: Memory allocation still failed after 10 retries, giving up.\n"
    with pytest.raises(CoalescopeError) as refused:
        ENOUGH(of_model, model(), "say and leave", said)
    assert refused.value.code == "took_too_much_memory"


def test_a_system_call_may_fail_for_another_reason() -> None:
    with pytest.raises(FileNotFoundError):
        ENOUGH(of_model, model(), "system call", errno.ENOENT)


def test_what_is_killed_for_the_servers_end_is_not_blamed() -> None:
    """It dies as one does whose memory is refused; what is begun afterwards goes on."""
    over = Event()
    ending = Thread(target=end_again_and_again, args=(over,))
    ending.start()
    with pytest.raises(CoalescopeError) as refused:
        ENOUGH(of_model, model(), "sleep", 600)
    over.set()
    ending.join()
    assert (refused.value.status, refused.value.code) == (503, "ended")
    assert ENOUGH(of_model, model(), "allocate", 1) == 1 << 17


def end_again_and_again(over: Event) -> None:
    """As what has begun is known to the ending a moment later."""
    while not over.wait(0.05):
        OF_THE_SERVER.end_what_is_under_way()


def test_any_other_end_is_a_fault() -> None:
    with pytest.raises(RuntimeError, match="ended with 7"):
        ENOUGH(of_model, model(), "leave", 7)


def test_it_writes_no_file_and_knows_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COALESCOPE_TOKEN", "a secret of the server")
    assert "a secret of the server" in here(of_model, model(), "environment", 0).values()
    assert "a secret of the server" not in ENOUGH(of_model, model(), "environment", 0).values()
    own = user_model(
        str(tmp_path / "written"), model().graph, ["delay_us"], [Constant("base_us", 50, 0, 500)]
    )
    with pytest.raises(OSError, match="File too large"):
        ENOUGH(of_model, own, "write", 0)


# --- the same through the API


def greedy(nodes: int = NODES) -> dict[str, Any]:
    """A graph of as many nodes as there may be, each of which bends what the next one gets."""
    steps = [["exp", 1], *(["div", k, 0] if k % 2 else ["log1p", k] for k in range(2, nodes))]
    return {
        "format": 1,
        "title": "Greedy",
        "inputs": [{"name": "d", "source": "delay_us"}],
        "parameters": [{"name": "p0", "default": 0.5, "lo": 0.1, "hi": 2}],
        "graph": {
            "format": 1,
            "inputs": ["d", "p0"],
            "nodes": [["input", 0], ["input", 1], *steps],
            "outputs": {"throughput_mbps": nodes},
        },
    }


def table(levels: int) -> bytes:
    lines = ["delay_us,replicate,throughput_mbps"]
    lines += [f"{d},{r},{400 / (1 + 0.02 * d) + r}" for d in range(1, levels) for r in (1, 2)]
    return "\n".join(lines).encode()


def fit(client: Any) -> Any:
    body = {"model": greedy(), "output": "throughput_mbps", "free": ["p0"], "resamples": 10}
    return client.post("/api/experiments/lab/nonlinear-fits", json=body)


def own_memory() -> int:
    """Bytes of memory that are this process's own, at its largest, since it was reset."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("mib", [9, 10, 11, 12, 32])
def test_a_greedy_fit_takes_nothing_of_the_server(make_client: MakeClient, mib: int) -> None:
    """Wherever in the fit its memory ends: in Python, or in NumPy's loops, which die of it."""
    client = make_client(user_model_mib=mib)
    client.upload(table(150), "lab.csv")
    Path("/proc/self/clear_refs").write_text("5")  # the largest begins anew
    before = own_memory()
    refused = fit(client)
    assert refused.status_code == 422
    assert refused.json()["error"]["code"] == "took_too_much_memory"
    assert refused.json()["error"]["where"] == {"limit_mib": mib}
    assert own_memory() - before < 16 * 2**20


def test_a_slow_fit_is_ended(make_client: MakeClient) -> None:
    hasty = make_client(user_model_seconds=0.2)
    hasty.upload(table(150), "lab.csv")
    late = fit(hasty)
    assert (late.status_code, late.json()["error"]["code"]) == (422, "took_too_long")


def test_an_answer_is_bounded_too(client: Any) -> None:
    """Many outputs of one node: little to compute, and much to write."""
    document = greedy(8)
    outputs = {f"o{k}": 3 for k in range(64)}
    document["graph"]["outputs"] = outputs
    over = {"d": {"lo": 1, "hi": 2, "n": 65_536}}
    error = client.post("/api/predictions", json={"model": document, "over": over}).json()["error"]
    assert (error["code"], "15625 are the most" in error["message"]) == ("wrong_range", True)
    over["d"]["n"] = 15_625
    answer = client.post("/api/predictions", json={"model": document, "over": over})
    assert answer.status_code == 200
