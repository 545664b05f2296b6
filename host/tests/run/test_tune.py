# SPDX-License-Identifier: Apache-2.0
"""A tuning as a process of its own, on a host whose settings are a file and with the real logger:
rounds, journal, ends of all kinds, and what is set at the end."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from coalescope_host.run.budget import Budget, budget_from
from timeouts import TIMEOUT_S, wait_until

from .conftest import BEFORE, Files

pytestmark = pytest.mark.slow

#: Says a p99 that is best with a ring of 1024, as of a moment in the middle of the window,
#: also where that begins late.
LATENCY = """
import sys, time
half_s = float(sys.argv[3]) / 2
time.sleep(half_s)
now = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
import json, math, random
ring, seed = float(sys.argv[1]), int(sys.argv[2])
p99 = 100 * (1 + 0.05 * math.log(ring / 1024) ** 2) * random.Random(seed).gauss(1, 0.004)
said = {"tool": "coalescope-traffic", "latency_us": {"p50": p99 / 2, "p99": p99}}
print(json.dumps({**said, "t_start_monotonic_ns": now, "t_end_monotonic_ns": now + 1000000}))
sys.stdout.flush()
time.sleep(half_s + 1.5)
"""
RINGS = [64, 128, 256, 512, 1024, 2048, 4096]
GOAL = ("--goal", "p99", "--within", "100")
LONG_S = 1.4
"""A window of few settings: each has to hold what its workload says."""


def a_lab(
    folder: Path,
    logger: Path,
    factor: str = f"ring_rx = {RINGS}",
    peers: str = "",
    duration_s: float = 0.7,
) -> Files:
    """A host on files with a workload whose latency depends on the factor."""
    made = Files(folder, logger)
    (folder / "settings.json").write_text(json.dumps(BEFORE))
    script = folder / "latency.py"
    script.write_text(LATENCY)
    name = factor.split(maxsplit=1)[0]
    command = [sys.executable, "-I", str(script), f"{{{name}}}", "{seed}", str(duration_s)]
    made.plan(factor, made.workload("rr", command) + peers, duration_s=duration_s)
    return made


@pytest.fixture
def lab(tmp_path: Path, logger: Path, always_some_traffic: None) -> Files:
    return a_lab(tmp_path, logger)


@pytest.fixture(scope="module")
def tuned(
    tmp_path_factory: pytest.TempPathFactory, logger: Path, always_some_traffic: None
) -> tuple[Files, subprocess.CompletedProcess[str]]:
    """A tuning to its end."""
    made = a_lab(tmp_path_factory.mktemp("tuned"), logger)
    return made, tune(made)


@pytest.fixture
def again(tuned: tuple[Files, object], tmp_path: Path) -> Files:
    """A copy of it."""
    shutil.copytree(tuned[0].folder, tmp_path, dirs_exist_ok=True)
    return Files(tmp_path, tuned[0].logger)


def tune(lab: Files, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        lab.command(*GOAL, *arguments, tune=True),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=3 * TIMEOUT_S,
        check=False,
    )


def what_to_do(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines of the answer with commands, and what is said of them."""
    lines = done.stdout.splitlines()
    assert "To set it:" in lines, done.stdout + done.stderr
    return lines[lines.index("To set it:") :]


def rings(lab: Files) -> list[float]:
    """Of the runs that are done, in their order."""
    return [e["requested"]["ring_rx"] for e in lab.entries() if e["status"] == "done"]


def test_it_finds_the_ring_and_leaves_the_host_as_it_was(
    tuned: tuple[Files, subprocess.CompletedProcess[str]],
) -> None:
    lab, done = tuned
    assert done.returncode == 0, done.stderr
    assert lab.settings == BEFORE
    answer = re.search(r"^Set ring_rx=(\d+) \((\d+) runs of \d+ settings\)\.$", done.stdout, re.M)
    assert answer is not None, done.stdout
    assert answer[1] in ("512", "1024", "2048")
    assert int(answer[2]) == len(lab.done()) <= 40
    assert re.search(
        r"^  latency_p99_us +[\d.]+ → +[\d.]+  -\d+\.\d % \(-\d+\.\d to -\d+\.\d\) +better$",
        done.stdout,
        re.M,
    ), done.stdout
    assert f"To set it:\n  set ring_rx {answer[1]}\nThe way back:\n  set ring_rx 256" in done.stdout
    assert "At most 40 runs among 7 settings" in done.stderr
    assert re.search(r"^round 2: \d+ runs; ring_rx=\d+ (leads|would be set)", done.stderr, re.M)
    (ended,) = lab.entries("tuned")
    assert ended["answer"]["ring_rx"] == int(answer[1])


def test_every_round_has_what_is_set_now_and_runs_gather_where_it_is_decided(
    tuned: tuple[Files, object],
) -> None:
    lab, _ = tuned
    done = [entry for entry in lab.entries() if entry["status"] == "done"]
    rounds = {entry["replicate"] for entry in done}
    of_now = [entry["replicate"] for entry in done if entry["requested"]["ring_rx"] == 256]
    assert sorted(of_now) == sorted(rounds)
    counts = Counter(rings(lab))
    assert counts[512] + counts[1024] + counts[2048] > counts[64] + counts[128] + counts[4096]


def test_one_that_has_ended_says_its_answer_and_measures_nothing(
    again: Files, tuned: tuple[object, subprocess.CompletedProcess[str]]
) -> None:
    before = again.journal.read_bytes()
    assert again.entries("tuned")[-1]["ended"] == "settled"
    done = tune(again)
    assert done.returncode == 0, done.stderr
    assert again.journal.read_bytes() == before
    answers = [re.search(r"^(Set|Leave).*$", out, re.M) for out in (done.stdout, tuned[1].stdout)]
    assert answers[0] is not None
    assert answers[1] is not None
    assert answers[0][0] == answers[1][0]
    assert what_to_do(done) == what_to_do(tuned[1])
    assert "The way back:" in what_to_do(done)


@pytest.mark.parametrize(
    ("typed", "stays"), [("keep\n", True), ("no\n", False), ("", False), ("kee", False)]
)
def test_the_answer_stays_only_if_somebody_says_so(again: Files, typed: str, stays: bool) -> None:
    done = tune(again, "--apply", "--confirm-within", "2", stdin=typed)
    assert done.returncode == (0 if stays else 1), done.stderr
    assert (again.settings["ring_rx"] in (512, 1024, 2048)) is stays
    assert again.settings == {**BEFORE, "ring_rx": again.settings["ring_rx"]}
    assert not (again.folder / "settings.saved").exists(), "nothing is left to put back"
    said = "Kept until" if stays else "Not confirmed in time: everything is as it was."
    assert said in done.stderr


def test_an_answer_that_nobody_confirms_is_put_back_by_a_signal_too(again: Files) -> None:
    with subprocess.Popen(
        again.command(*GOAL, "--apply", "--confirm-within", "60", tune=True),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_until(lambda: again.settings != BEFORE, "the answer is not set")
        assert (again.folder / "settings.saved").exists(), "the way back is on disk"
        process.send_signal(signal.SIGHUP)  # as when a connection is lost
        assert process.wait(TIMEOUT_S) == 128 + signal.SIGHUP
    assert again.settings == BEFORE


def test_interrupted_it_goes_on(lab: Files) -> None:
    with subprocess.Popen(
        lab.command(*GOAL, tune=True), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        wait_until(lambda: lab.journal.exists() and len(lab.done()) >= 2, "nothing is measured")
        first.terminate()  # in its first round, from which there is no answer yet
        _, said = first.communicate(timeout=TIMEOUT_S)
    assert first.returncode == 128 + signal.SIGTERM, said
    assert lab.settings == BEFORE
    before = lab.done()
    second = tune(lab, "--budget", "16")
    assert f"{len(before)} runs made before; going on." in second.stderr
    assert len(before) < len(lab.done()) <= 16, second.stderr
    assert lab.done()[: len(before)] == before
    assert lab.settings == BEFORE


SILENT = """
import pathlib, sys, time
if not pathlib.Path("SPEAK").exists():
    time.sleep(3)
    sys.exit()
"""


def test_where_runs_made_before_do_not_tell_the_goal_a_first_round_is_made_again(
    lab: Files,
) -> None:
    script, speak = lab.folder / "latency.py", lab.folder / "speak"
    script.write_text(SILENT.replace("SPEAK", str(speak)) + LATENCY)
    with subprocess.Popen(lab.command(*GOAL, tune=True), stderr=subprocess.DEVNULL) as first:
        wait_until(lambda: lab.journal.exists() and lab.done(), "nothing is measured")
        first.terminate()
    speak.touch()
    before = len(lab.done())
    second = tune(lab, "--budget", str(before + 12))
    assert "They are not enough: no run tells p99: it needs latency_p99_us" in second.stderr
    assert "Traceback" not in second.stderr
    assert len(lab.done()) > before, second.stderr
    assert lab.settings == BEFORE


def test_a_budget_is_kept_and_with_too_little_there_is_no_answer(lab: Files) -> None:
    done = tune(lab, "--budget", "6")
    assert done.returncode == 1, done.stdout
    assert len(lab.done()) <= 6
    assert "Not enough to recommend a setting" in done.stdout
    assert "Best so far:" in done.stdout
    assert "A larger --budget goes on from here" in done.stdout


def test_a_setting_that_the_device_refuses_is_left_out_and_named(
    tmp_path: Path, logger: Path, always_some_traffic: None
) -> None:
    lab = a_lab(tmp_path, logger, "mtu_bytes = [1500, 6000, 1000]", duration_s=LONG_S)
    done = tune(lab)
    assert done.returncode == 0, done.stderr
    assert "Not measured: mtu_bytes=6000: the device refuses mtu_bytes = 6000" in done.stdout
    assert lab.settings == BEFORE
    refused = [e for e in lab.entries() if "refuses" in e.get("reason", "")]
    assert len(refused) == 2, "once, and once more; never again"


PEERS = """
[[peers]]
ssh = "root@192.0.2.7"
ssh_options = ["-p", "2222"]
interface = "eth7"
address = "192.0.2.7"
[[peers]]
ssh = "root@192.0.2.8"
address = "192.0.2.8"
"""


def test_an_mtu_is_set_and_put_back_at_the_peers_too_and_one_that_is_not_known_is_named(
    tmp_path: Path, logger: Path, always_some_traffic: None
) -> None:
    lab = a_lab(tmp_path, logger, "mtu_bytes = [9000, 4000, 1500]", PEERS, LONG_S)
    before = {**BEFORE, "mtu_bytes": 9000}
    (tmp_path / "settings.json").write_text(json.dumps(before))
    (tmp_path / "peer-0.json").write_text(json.dumps({"mtu_bytes": 9001}))
    done = tune(lab)
    assert what_to_do(done) == [
        "To set it:",
        "  set mtu_bytes 1500",
        "  ssh -p 2222 root@192.0.2.7 'set mtu_bytes 1500'",
        "The way back:",
        "  set mtu_bytes 9000",
        "  ssh -p 2222 root@192.0.2.7 'set mtu_bytes 9001'",
        "Not in the way back:",
        "  mtu_bytes at root@192.0.2.8: the plan does not name its interface; set it there by "
        "hand, and back",
    ]
    assert lab.settings == before
    assert json.loads((tmp_path / "peer-0.json").read_text()) == {"mtu_bytes": 9001}
    again = tune(lab)
    assert what_to_do(again) == what_to_do(done), again.stderr


def test_what_cannot_be_read_is_said_not_to_be_in_the_way_back(
    tmp_path: Path, logger: Path, always_some_traffic: None
) -> None:
    lab = a_lab(tmp_path, logger, "ring_tx = [64, 4096, 1024]", duration_s=LONG_S)
    before = {**BEFORE, "ring_tx": 4096}
    (tmp_path / "settings.json").write_text(json.dumps(before))
    done = tune(lab, "--json")
    answer = json.loads(done.stdout)
    assert answer["to_set"] == ["set ring_tx 1024"], done.stderr
    assert answer["back"] == []
    assert answer["not_back"] == ["ring_tx: what it was cannot be read"]
    title = answer["lines"].index("Not in the way back:")
    assert answer["lines"][title + 1] == "  ring_tx: what it was cannot be read"
    assert lab.settings == before


def test_a_switch_that_a_delay_turns_off_is_in_the_way_back(
    tmp_path: Path, logger: Path, always_some_traffic: None
) -> None:
    lab = a_lab(tmp_path, logger, "tx_delay_us = [64, 4096, 1024]", duration_s=LONG_S)
    before = {**BEFORE, "tx_delay_us": 64, "adaptive_tx": True}
    (tmp_path / "settings.json").write_text(json.dumps(before))
    done = tune(lab)
    _, to_set, _, *back = what_to_do(done)
    assert to_set == "  set tx_delay_us 1024"
    assert back == ["  set tx_delay_us 64", "  set adaptive_tx on"]
    assert lab.settings == before


FAILS_TWICE = """
import pathlib, sys
if sys.argv[1] == "1024":
    with open("FAILURES", "a") as file:
        file.write("x")
    if pathlib.Path("FAILURES").stat().st_size <= 2:
        sys.exit("it fails")
"""


def test_a_setting_whose_workload_failed_in_one_round_is_tried_in_another(lab: Files) -> None:
    script = lab.folder / "latency.py"
    fails = FAILS_TWICE.replace("FAILURES", str(lab.folder / "failures"))
    script.write_text(fails + LATENCY)
    done = tune(lab)
    assert done.returncode == 0, done.stderr
    failed = [e for e in lab.entries() if "it fails" in e.get("reason", "")]
    assert len(failed) == 2
    assert all(e["applied"] for e in failed)
    assert 1024 in rings(lab)
    assert "Not measured" not in done.stdout


def test_a_dry_run_says_what_would_be_first_and_how_long(lab: Files) -> None:
    done = tune(lab, "--dry-run", "--under", "cpu=30%")
    assert done.returncode == 0, done.stdout
    head, amount, *_ = done.stdout.splitlines()
    assert head == (
        "least p99, losses within 10 % of now, cpu at most 30 %: among 7 settings of ring_rx."
    )
    assert re.fullmatch(r"At most 40 runs, about \d+:\d\d\. First, .*:", amount)
    assert "  ring_rx=256 workload=rr" in done.stdout
    assert not (lab.folder / "out").exists()
    assert lab.settings == BEFORE


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--under", "cpu"), "--under cpu: must be like cpu=30%"),
        (("--budget", "soon"), "--budget soon: must be a number of runs, such as 40, or a time"),
        (("--budget", "1"), "--budget 1: at least 2 runs"),
        (("--workload", "tcp"), "--workload tcp: the plan has rr."),
        (("--within", "0"), "--within 0: must be a percentage above 0"),
    ],
)
def test_what_cannot_be_is_refused(lab: Files, arguments: tuple[str, ...], said: str) -> None:
    done = tune(lab, *arguments)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert not (lab.folder / "out").exists()


def test_a_goal_that_no_log_tells_is_named(lab: Files) -> None:
    done = subprocess.run(
        lab.command("--goal", "energy", tune=True), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "no run tells energy: it needs energy_j_per_gb in the logs" in done.stderr
    assert lab.settings == BEFORE


def test_budgets() -> None:
    assert budget_from(None, 40) == Budget(runs=40)
    assert budget_from("12", 40) == Budget(runs=12)
    assert budget_from("20m", 40) == Budget(seconds=1200.0)
    assert Budget(seconds=100.0).runs_left(5, spent_s=50.0, each_s=10.0) == 5
    assert Budget(runs=12).runs_left(20, 0.0, 1.0) == 0
