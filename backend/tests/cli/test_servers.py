# SPDX-License-Identifier: Apache-2.0
"""Commands on a server: the same words as on the local store, and what they mean there."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from timeouts import TIMEOUT_S

from .conftest import COMMAND, environment, serving_in

Run = Callable[..., Any]
FIT = ("fit", "lab", "cpu-overhead", "--method", "ols", "--response", "system_cpu_s")
VARIANCE = ("variance", "lab", "--measure", "rx_packets", "--factors", "mtu_bytes,delay_us")
PLAN = ("plan", "lab", "--measure", "rx_interrupts", "--width", "1", "--where", "delay_us=20")
COMPARE = ("compare", "lab", "--split", "delay_us=0:80", "--measure", "system_cpu_s")
GATE = (*COMPARE, "--fail-if-worse", "--same-session")
POLICY = ("policy", "dim", "lab", "--where", "mtu_bytes=1500", "--duration", "20")
RECOMMEND = (
    *("recommend", "lab", "--minimise", "system_cpu_s", "--unguarded", "--current", "delay_us=0"),
    *("--where", "mtu_bytes=1500", "--interface", "eth0", "--driver", "e1000e"),
)
RECOMMENDED_BY_MODEL = (
    *("recommend", "--model", "request-response", "--set", "mtu_bytes=1500"),
    *("--choose", "delay_us=10,40,160", "--maximise", "throughput_mbps"),
)
HEADER = "mtu_bytes,delay_us,replicate,elapsed_s,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"


def table(replicates: int = 3) -> str:
    rows = [
        f"{mtu},{delay},{number},50,5010000000,{5010000000 // mtu + 40 * number},"
        f"{(5010000000 // mtu) // (1 + delay // 10) + 30 * number},{60 + mtu / 900 + delay / 7}"
        for mtu in (1500, 3000, 6000)
        for delay in (0, 20, 80)
        for number in range(1, replicates + 1)
    ]
    return "\n".join([HEADER, *rows, ""])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_in(tmp_path_factory.mktemp("server"))() as (found, _):
        yield found


@pytest.fixture
def both(run: Run, address: str, tmp_path: Path) -> Run:
    """Run a command on the local store, or on the server; each has the experiment lab."""
    (tmp_path / "lab.csv").write_text(table())
    run("import", "lab.csv")
    run("experiments", "restore", "lab", "--server", address)
    assert run("upload", "lab.csv", "--server", address).returncode == 0

    def command(*typed: object, there: bool) -> Any:
        return run(*typed, *(["--server", address] if there else []))

    return command


def plain(text: str) -> Any:
    """Without what differs between two stores: when, and row numbers."""
    differing = ("data_version", "created_at", "updated_at", "deleted_at", "recorded_at")

    def without(found: Any) -> Any:
        if isinstance(found, dict):
            return {name: without(each) for name, each in found.items() if name not in differing}
        return [without(each) for each in found] if isinstance(found, list) else found

    return without(json.loads(text))


@pytest.mark.fault("C6")
def test_a_server_answers_as_the_local_store_does(both: Run) -> None:
    for typed in (
        ("runs", "list", "lab", "--where", "mtu_bytes=1500", "--limit", "4", "--json"),
        ("experiments", "--json"),
        ("experiments", "list", "--deleted", "--json"),
        ("jobs", "--json"),
        ("surface", "lab", "system_cpu_s", "--json"),
        ("surface", "lab", "system_cpu_s", "--where", "delay_us=20", "--json"),
        (*VARIANCE, "--json"),
        (*COMPARE, "--json"),
        (*COMPARE, "--measure", "rx_packets", "--json"),
        (*POLICY, "--json"),
        ("policy", "--json"),
        ("export", "lab", "--format", "json"),
        ("export", "lab", "--format", "json", "--what", "runs"),
        ("export", "lab", "--format", "json", "--where", "mtu_bytes=1500,3000"),
        (*PLAN, "--json"),
        (*RECOMMEND, "--json"),
        (*RECOMMENDED_BY_MODEL, "--json"),
        (*FIT, "--resamples", "100", "--json"),
        (*FIT, "--resamples", "100", "--where", "mtu_bytes=1500,3000", "--json"),
        ("fit", "lab", "cpu-overhead", "--output", "system_cpu", "--free", "alpha", "--response",
         "system_cpu_s", "--resamples", "20", "--json"),
    ):  # fmt: skip
        here, there = both(*typed, there=False), both(*typed, there=True)
        assert (here.returncode, there.returncode) == (0, 0), (typed, there.stderr)
        assert plain(here.stdout) == plain(there.stdout)


def test_people_read_the_same_of_a_server(both: Run) -> None:
    for typed, words in (
        (("surface", "lab", "system_cpu_s"), "half its 95 % interval"),
        ((*FIT, "--method", "robust"), "alpha"),
        (VARIANCE, "mtu_bytes × delay_us"),
        (PLAN, "to ± 1 %"),
        (COMPARE, "system_cpu_s [s], B over A"),
        ((*COMPARE, "--measure", "rx_packets"), "of 2 measures together"),
        ((*GATE, "--allow", "40%"), "system_cpu_s is not worse by more than 40 %"),
        (POLICY, "than the best fixed interval"),
        (("policy", "dim", "--clients", "8", "--intervals", "0,64"), "than the best fixed"),
        (("policy",), "dim: Linux DIM"),
        (("export", "lab", "--format", "csv", "--what", "runs"), "mtu_bytes,"),
        (RECOMMEND, "ethtool -C eth0 rx-usecs"),
        (RECOMMENDED_BY_MODEL, "Predictions of request-response"),
    ):
        here, there = both(*typed, there=False), both(*typed, there=True)
        assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
        assert words in here.stdout, here


def test_an_export_is_the_same_file(both: Run, tmp_path: Path) -> None:
    for there in (False, True):
        file = tmp_path / f"{there}.csv"
        typed = ("export", "lab", "--format", "csv", "--what", "runs", "--output", file)
        assert both(*typed, there=there).returncode == 0
    assert (tmp_path / "True.csv").read_bytes() == (tmp_path / "False.csv").read_bytes()
    refused = both("export", "lab", "--format", "parquet", "--output", "x.parquet", there=True)
    assert refused.returncode == 1
    assert "A server sends CSV and JSON, and no Parquet." in refused.stderr
    assert not (tmp_path / "x.parquet").exists()


def test_what_is_kept_in_order_here_is_there(both: Run) -> None:
    for there in (False, True):
        listed = both("runs", "list", "lab", "--json", there=there).stdout
        first, second = [run["id"] for run in json.loads(listed)["runs"]][:2]

        def status(uid: str, there: bool = there) -> str:
            found = json.loads(both("runs", "list", "lab", "--json", there=there).stdout)
            return next(run["status"] for run in found["runs"] if run["id"] == uid)

        why = ("--reason", "warm-up")
        assert both("runs", "retract", first, second, *why, there=there).stdout == (
            "retracted 2 runs\n"
        )
        assert status(first) == "retracted"
        assert both("runs", "restore", first, second, *why, there=there).returncode == 0
        assert status(first) == "current"
        correct = ("runs", "correct", first, "--set", "mtu_bytes=9000", *why)
        assert both(*correct, there=there).returncode == 0
        back = ("runs", "correct", first, "--set", "mtu_bytes=1500", *why)
        assert both(*back, there=there).returncode == 0
        renamed = both("experiments", "rename", "lab", "Two hosts", there=there)
        assert renamed.stdout.startswith("lab is called 'Two hosts' now")
        said = ("experiments", "describe", "lab", "--citation", "Us 2026", "--json")
        assert json.loads(both(*said, there=there).stdout)["source"]["citation"] == "Us 2026"
        assert both("experiments", "delete", "lab", there=there).stdout.startswith("deleted lab")
        assert "lab" in both("experiments", "list", "--deleted", there=there).stdout
        assert both("experiments", "restore", "lab", there=there).stdout == (
            "restored lab, 27 runs\n"
        )


def test_who_changed_a_server_is_told_as_of_the_local_store(both: Run) -> None:
    for there in (False, True):
        assert both("runs", "list", "lab", there=there).returncode == 0
        for title in ("Mine", "Ours"):
            assert both("experiments", "rename", "lab", title, there=there).returncode == 0
        found = json.loads(both("changes", "--limit", "2", "--json", there=there).stdout)
        assert [each["what"] for each in found] == [
            "lab: renamed to 'Ours'",
            "lab: renamed to 'Mine'",
        ]
        assert all(set(each) == {"at", "who", "what"} and each["who"] for each in found)
        rows = both("changes", "--limit", "2", there=there).stdout.splitlines()
        assert rows[0].split() == ["when", "who", "what"]
        assert all(each["what"] in row for each, row in zip(found, rows[-2:], strict=True))


def test_what_is_refused_is_said_alike(both: Run) -> None:
    for typed in (
        ("runs", "list", "nothing"),
        ("runs", "retract", "nothing", "--reason", "x"),
        ("experiments", "delete", "nothing"),
        ("experiments", "rename", "geist-2005-nfs", "Mine"),
        ("jobs", "show", "nothing"),
        ("jobs", "cancel", "nothing"),
        ("fit", "lab", "cpu-overheat"),
        (*FIT, "--without", "nothing"),
        (*VARIANCE, "--without", "nothing"),
        (*VARIANCE, "--where", "delay_us=1"),
        (*COMPARE[:2], "nothing", *COMPARE[4:]),
        (*COMPARE[:-1], "latency_us"),
        ("policy", "dim", "nothing"),
        ("policy", "dum", "lab"),
        ("export", "nothing", "--format", "csv"),
        ("export", "lab", "--format", "csv", "--without", "nothing"),
        ("export", "lab", "--format", "csv", "--where", "mtu=1500"),
        ("export", "lab", "--format", "csv", "--where", "mtu_bytes=1"),
        (*PLAN, "--without", "nothing"),
        (*PLAN[:3], "latency_us", *PLAN[4:]),
        (*RECOMMEND, "--without", "nothing"),
        ("recommend", "lab", "--maximise", "drops"),
        ("recommend", "nothing", "--maximise", "throughput_mbps"),
        ("recommend", "--model", "link-bond", "--maximise", "throughput_mbps"),
    ):
        here, there = both(*typed, there=False), both(*typed, there=True)
        assert (here.returncode, here.stdout) == (1, "")
        assert (there.returncode, there.stdout, there.stderr) == (1, "", here.stderr), typed


def test_a_program_is_told_what_was_refused(both: Run) -> None:
    for there in (False, True):
        refused = both("experiments", "delete", "lap", "--json", there=there)
        said = json.loads(refused.stdout)["error"]
        assert (refused.returncode, said["code"]) == (1, "not_found")
        assert said["message"] in refused.stderr
        assert said["where"] == {"experiment": "lap"}
        assert said["problems"] == []
    unread = both("fit", "lab", "no.json", "--output", "x", "--free", "y", "--json", there=False)
    assert json.loads(unread.stdout)["error"]["code"] == "failed"
    assert "no.json" in json.loads(unread.stdout)["error"]["message"]


def test_options_that_would_have_no_effect_are_refused(run: Run, address: str) -> None:
    for typed in (("--data", "x", "--server", address), ("--token-file", "x")):
        refused = run("experiments", "list", *typed)
        assert refused.returncode == 1
        assert "has no effect" in refused.stderr
    assert "has no effect without --server" in run(*FIT, "--job").stderr


def test_a_job_is_asked_for_shown_and_listed(both: Run) -> None:
    asked = both(*FIT, "--resamples", "200", "--job", there=True)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout == both(*FIT, "--resamples", "200", there=True).stdout
    (newest, *_) = json.loads(
        both("jobs", "list", "--experiment", "lab", "--json", there=True).stdout
    )
    shown = both("jobs", "show", newest["id"], there=True)
    assert "state    done" in shown.stdout
    assert "alpha" in shown.stdout
    assert newest["id"] in both("jobs", there=True).stdout
    refused = both("jobs", "cancel", newest["id"], there=True)
    assert refused.returncode == 1
    assert "it is done" in refused.stderr


@pytest.mark.parametrize("asked_before", [False, True])
def test_ctrl_c_cancels_what_it_asked_for(
    both: Run, address: str, tmp_path: Path, asked_before: bool
) -> None:
    """Of 540 million draws, which take both cores seconds: it is interrupted at the first sign."""
    (tmp_path / "long.csv").write_text(table(replicates=600))
    assert both("upload", "long.csv", there=True).returncode == 0
    question = {"model": "cpu-overhead", "method": "ols", "response": "system_cpu_s"}
    question |= {"resamples": 100_000, "seed": 12 if asked_before else 11}
    if asked_before:
        body = {"experiment": "long", "fit": question}
        assert httpx.post(f"{address}/api/jobs", json=body).status_code == 202
    fit = ["fit", "long", *FIT[2:], "--resamples", "100000", "--seed", str(question["seed"])]
    with subprocess.Popen(
        [*COMMAND, *fit, "--job", "--server", address],
        env=environment(tmp_path / "data"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as asking:
        assert asking.stderr is not None
        uid = asking.stderr.readline().split()[1].rstrip(":")
        asking.send_signal(signal.SIGINT)
        out, said = asking.communicate(timeout=TIMEOUT_S)
    assert (asking.returncode, out) == (130, "")

    def state() -> str:
        found: str = httpx.get(f"{address}/api/jobs/{uid}").json()["state"]
        return found

    if asked_before:
        assert f"the job {uid} goes on" in said
        assert state() in ("queued", "running")
        assert both("jobs", "cancel", uid, there=True).stdout == f"cancelled {uid}\n"
    else:
        assert f"cancelled the job {uid}" in said
    assert state() == "cancelled"
