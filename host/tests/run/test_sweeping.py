# SPDX-License-Identifier: Apache-2.0
"""Whole sweeps as processes: whatever happens, each run once, the host as it was."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from coalescope_host.command_line import parsers
from coalescope_host.commands import sweep
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.schedule import schedule
from coalescope_host.run.journal import Journal, JournalError
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S, wait_until

from .bench_on_files import bench_of
from .conftest import BEFORE, TRAFFIC, Files

ONE_BY_TWO = "mtu_bytes = [1500, 9000]"
REPEATED = ("--yes-this-interface", "lo", "--really")
TWO_BY_TWO = "mtu_bytes = [1500, 9000]\nring_rx = [128, 501]"


def scheduled(files: Files, seed: int = 7) -> list[str]:
    return [run.id for run in schedule(load_plan(files.folder / "plan.toml"), seed)]


def begun(files: Files) -> list[str]:
    """Ids of runs in the order in which they were begun first, as far as they have ended.

    That is the schedule's order, also where a busy machine spoils a run: that run is done at the
    end of its block.
    """
    return list(dict.fromkeys(entry["id"] for entry in files.entries()))


def each_once_in_order(files: Files, seed: int = 7) -> None:
    assert begun(files) == scheduled(files, seed)
    assert sorted(files.done()) == sorted(scheduled(files, seed))


def wait_for_runs(files: Files, count: int) -> None:
    wait_until(lambda: files.journal.exists() and len(files.done()) >= count, "too few are done")


def test_every_run_is_recorded_in_order_and_the_host_is_as_before(files: Files) -> None:
    files.plan(TWO_BY_TWO, pilot_s=0.1)
    done = files.sweep()
    assert done.returncode == 0, done.stderr
    each_once_in_order(files)
    assert files.settings == BEFORE
    assert "8 of 8 runs done, 0 failed." in done.stderr
    assert "ring_rx = 501: the host says 504" in done.stderr
    plan = load_plan(files.folder / "plan.toml")
    for run, entry in zip(schedule(plan, 7), files.entries(), strict=True):
        log = read(files.folder / "out" / entry["log"])
        assert log.complete
        assert log.header["run"] == {
            "id": run.id,
            "experiment": "on-files",
            "experiment_title": None,
            "kind": "measured",
            "replicate": run.replicate,
            "order": run.order,
            "seed": run.seed,
            "plan": plan.plan_hash,
        }
        ring_rx = run.levels["ring_rx"]
        assert log.header["factors"] == {
            "mtu_bytes": {
                "requested": run.levels["mtu_bytes"],
                "read_back": run.levels["mtu_bytes"],
            },
            "factor.ring_rx": {
                "requested": ring_rx,
                "read_back": 504 if ring_rx == 501 else ring_rx,
            },
            "workload": {"requested": "udp", "read_back": None},
        }


def test_one_block_alone_has_the_order_it_has_in_the_whole(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    assert files.sweep("--replicates", "2").returncode == 0
    assert begun(files) == scheduled(files)[4:]
    assert files.sweep().returncode == 0
    assert begun(files) == scheduled(files)[4:] + scheduled(files)[:4]
    assert sorted(files.done()) == sorted(scheduled(files))


@pytest.mark.parametrize("chosen", ["0", "3", "1-3", "x", "2-1", ""])
def test_replicates_that_are_not_there(files: Files, chosen: str) -> None:
    files.plan(TWO_BY_TWO)
    done = files.sweep("--replicates", chosen)
    assert done.returncode == 2
    assert "--replicates" in done.stderr


def test_killed_at_random_points_it_gives_the_same_runs_in_the_same_order(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    chance = random.Random(11)
    kills = 0
    for _ in range(6):
        process = files.start()
        try:
            process.wait(chance.uniform(0.4, 1.6))
        except subprocess.TimeoutExpired:
            kills += 1
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert kills >= 4
    done = files.sweep()
    assert done.returncode == 0, done.stderr
    each_once_in_order(files)
    assert files.settings == BEFORE
    logs = sorted((files.folder / "out" / "logs").glob("*.runlog"))
    assert sorted(read(log).header["run"]["id"] for log in logs) == sorted(scheduled(files))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_restores_and_it_goes_on_later(
    files: Files, number: signal.Signals
) -> None:
    files.plan(ONE_BY_TWO)
    process = files.start()
    wait_for_runs(files, 1)
    process.send_signal(number)
    _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + number
    assert "The same command goes on where this stopped." in said
    assert files.settings == BEFORE
    assert not (files.folder / "settings.saved").exists()
    assert 1 <= len(files.done()) < 4
    assert files.sweep().returncode == 0
    each_once_in_order(files)


def test_a_journal_cut_off_anywhere_leads_to_the_same_runs(files: Files) -> None:
    files.plan(ONE_BY_TWO, replicates=1)
    assert files.sweep().returncode == 0
    whole = files.journal.read_bytes()
    for cut in random.Random(3).sample(range(len(whole)), 5):
        files.journal.write_bytes(whole[:cut])
        done = files.sweep()
        assert done.returncode == 0, done.stderr
        each_once_in_order(files)


def test_a_seed_that_was_drawn_is_kept(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    plan = files.folder / "plan.toml"
    plan.write_text(plan.read_text().replace("seed = 7\n", ""))
    assert files.sweep("--replicates", "1").returncode == 0
    assert files.sweep().returncode == 0
    (head,) = files.entries("sweep")
    each_once_in_order(files, head["seed"])


def test_a_changed_plan_is_refused_and_the_change_named(files: Files) -> None:
    files.plan(ONE_BY_TWO)
    assert files.sweep("--replicates", "1").returncode == 0
    files.plan(ONE_BY_TWO.replace("9000", "3000"))
    done = files.sweep()
    assert done.returncode == 1
    assert "factors.mtu_bytes was [1500, 9000], now it is [1500, 3000]" in done.stderr
    assert "--out" in done.stderr
    files.plan(ONE_BY_TWO, replicates=3)  # more of the same is no change
    assert files.sweep().returncode == 0
    assert len(files.done()) == 6


def test_two_sweeps_do_not_share_a_folder(files: Files) -> None:
    files.plan(ONE_BY_TWO)
    first = files.start()
    wait_for_runs(files, 1)
    first.send_signal(signal.SIGSTOP)  # it would be at its end, were the second slow to begin
    second = files.sweep()
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 1
    assert "in use by another sweep" in second.stderr
    first.communicate(timeout=3 * TIMEOUT_S)
    assert first.returncode == 0


def test_a_setting_that_is_refused_fails_its_runs_alone(files: Files) -> None:
    files.plan("mtu_bytes = [1500, 6000, 9000]", replicates=1)
    done = files.sweep()
    assert done.returncode == 1
    assert len(files.done()) == 2
    failed = [entry for entry in files.entries() if entry["status"] == "failed"]
    assert [entry["attempt"] for entry in failed] == [1, 2]
    assert failed[0]["reason"] == "the device refuses mtu_bytes = 6000"
    assert "2 of 3 runs done, 1 failed." in done.stderr
    *_, title, last = done.stderr.splitlines()
    assert title == "Why runs failed:"
    assert last.startswith("  the device refuses mtu_bytes = 6000: run ")
    assert files.settings == BEFORE


@pytest.mark.parametrize(
    ("command", "keys", "reason"),
    [
        ([sys.executable, "-c", "raise SystemExit(3)"], {}, "ended with status 3"),
        (["no-such-program-anywhere"], {}, "no-such-program-anywhere is not installed"),
        ([sys.executable, "-c", "import time; time.sleep(60)"], {"timeout_s": 1}, "1.1 s"),
        (
            [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"],
            {},
            "Segmentation fault",
        ),
    ],
)
def test_a_workload_that_fails_or_hangs_fails_its_runs_alone(
    files: Files, command: list[str], keys: dict[str, object], reason: str
) -> None:
    workloads = files.traffic("good") + files.workload("bad", command, **keys)
    files.plan('workload = ["good", "bad"]', workloads, replicates=1, retries=0)
    done = files.sweep()
    assert done.returncode == 1
    good, bad = sorted(files.entries(), key=lambda entry: entry["status"])
    assert (good["status"], bad["status"]) == ("done", "failed")
    assert reason in bad["reason"]
    assert len(bad["reason"].splitlines()) == 1, "nothing but why"
    assert reason in done.stderr
    assert files.settings == BEFORE


def test_a_workload_that_fails_in_its_pilot_run_fails_its_runs_alone(files: Files) -> None:
    workloads = files.traffic("good") + files.workload("bad", ["false"])
    files.plan('workload = ["good", "bad"]', workloads, pilot_s=0.1)
    done = files.sweep()
    assert done.returncode == 1
    assert "workload bad does not work: " in done.stderr
    assert [(entry["status"], entry["attempt"]) for entry in files.entries()] == [
        ("failed", 0),
        ("failed", 0),
        ("done", 1),
        ("done", 1),
    ]
    assert "2 of 4 runs done, 2 failed." in done.stderr
    assert done.stderr.splitlines()[-1].startswith("  workload bad does not work: ")
    assert done.stderr.endswith(": 2 runs failed before they began\n")
    assert "Pilot run of good" not in files.sweep().stderr, "it is known to work"
    assert files.settings == BEFORE


def test_where_no_workload_works_nothing_is_begun(files: Files) -> None:
    fails = ["sh", "-c", "ping -q -i 0.01 -c 50 127.0.0.1; exit 1"]
    files.plan('workload = ["bad"]', files.workload("bad", fails), pilot_s=0.1)
    done = files.sweep()
    assert done.returncode == 1
    assert "workload bad does not work: " in done.stderr
    assert "2 runs are marked failed; the same command tries again." in done.stderr
    assert [(entry["status"], entry["attempt"]) for entry in files.entries()] == [("failed", 0)] * 2
    lines = files.journal.read_bytes()
    files.sweep()
    assert files.journal.read_bytes() == lines, "what it says already it does not say again"
    assert files.settings == BEFORE


def test_a_program_that_is_missing_is_said_before_the_pilot_and_in_a_dry_run(files: Files) -> None:
    workloads = files.traffic("good") + files.workload("bad", ["no-such-program-anywhere"])
    files.plan('workload = ["good", "bad"]', workloads, pilot_s=0.1)
    reason = "no-such-program-anywhere is not installed on this host, or not in PATH."
    dry = files.sweep("--dry-run")
    assert dry.returncode == 1
    assert f"cannot be done: workload bad: {reason}" in dry.stdout
    done = files.sweep()
    assert done.returncode == 1
    assert f"workload bad does not work: {reason}" in done.stderr
    assert "Pilot run of bad" not in done.stderr


def test_a_logger_that_is_missing_is_no_fault_of_a_workload(files: Files) -> None:
    files.plan(ONE_BY_TWO, pilot_s=0.1)
    without = Files(files.folder, files.folder / "no-logger")
    dry = without.sweep("--dry-run")
    assert dry.returncode == 1
    assert f"cannot be done: the logger {without.logger} is not installed" in dry.stdout
    done = without.sweep()
    assert done.returncode == 1
    assert f"sweep: the logger {without.logger} is not installed" in done.stderr
    assert all("`make logger` builds" in said for said in (dry.stdout, done.stderr))
    assert "workload" not in done.stderr
    assert "Nothing was changed. 4 runs are marked failed" in done.stderr
    assert {(entry["status"], entry["attempt"]) for entry in without.entries()} == {("failed", 0)}
    assert files.sweep().returncode == 0, "once it is there, the same command does the runs"


def test_after_a_failed_pilot_the_corrected_plan_begins_anew(files: Files) -> None:
    files.plan(ONE_BY_TWO, files.workload("bad", ["false"]), pilot_s=0.1)
    assert "workload bad does not work: " in files.sweep().stderr
    files.plan("mtu_bytes = [1500, 3000]", pilot_s=0.1, seed=8)
    done = files.sweep()
    assert done.returncode == 0, done.stderr
    (head,) = files.entries("sweep")
    assert head["plan_hash"] == load_plan(files.folder / "plan.toml").plan_hash
    # a run that a busy machine cut short is tried again, after the others
    assert sorted(files.done()) == sorted(scheduled(files, 8))
    assert len(files.entries("pilot")) == 1


def test_a_run_that_failed_binds_the_sweep_to_its_plan(files: Files) -> None:
    files.plan("mtu_bytes = [6000]", replicates=1, retries=0)
    assert files.sweep().returncode == 1
    before = files.journal.read_bytes()
    files.plan("mtu_bytes = [1500]", replicates=1, retries=0)
    assert "is not the plan that" in files.sweep().stderr
    assert files.journal.read_bytes() == before


@pytest.mark.skipif(Path("/dev/coalescope").exists(), reason="the kernel module is loaded here")
def test_without_the_module_that_the_plan_wants_runs_fail_and_say_what_to_do(files: Files) -> None:
    files.plan("mtu_bytes = [9000]", replicates=1, retries=0, source='"module"')
    done = files.sweep()
    assert done.returncode == 1
    (entry,) = files.entries()
    assert entry["status"] == "failed"
    assert "the kernel module is not loaded: modprobe coalescope" in entry["reason"]
    assert entry["reason"] in done.stderr
    assert files.settings == BEFORE


@pytest.mark.skipif(Path("/dev/coalescope").exists(), reason="the kernel module is loaded here")
def test_a_source_that_is_not_the_best_is_a_warning(files: Files) -> None:
    files.plan("mtu_bytes = [9000]", replicates=1, source='"auto"')
    done = files.sweep()
    assert done.returncode == 0, done.stderr
    assert "not from module: the kernel module is not loaded: modprobe coalescope" in done.stderr


def test_an_interface_without_interrupts_is_a_warning(files: Files) -> None:
    files.plan(ONE_BY_TWO, replicates=1)
    done = files.sweep()
    assert done.returncode == 0, done.stderr
    assert "all 2 runs: no interrupts of lo can be found: the log has none" in done.stderr


def test_a_delay_of_interrupts_that_are_not_there_fails_its_runs(files: Files) -> None:
    """The device takes the value; nothing shows what it does."""
    files.plan("delay_us = [0, 10]", replicates=1, retries=0)
    done = files.sweep()
    assert done.returncode == 1
    assert [entry["status"] for entry in files.entries()] == ["failed", "failed"]
    for entry in files.entries():
        assert (
            "no interrupts of lo can be found, so nothing shows what delay_us did"
            in (entry["reason"])
        )
    assert "0 of 2 runs done, 2 failed." in done.stderr
    assert files.settings == BEFORE


def test_without_the_permission_nothing_is_touched(files: Files) -> None:
    """The real host: root, but without CAP_NET_ADMIN."""
    files.plan(ONE_BY_TWO, replicates=1, retries=0)
    limited = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"]
    sweep = [sys.executable, "-m", "coalescope_host", *files.command()[5:]]
    sweep.insert(3, "sweep")
    done = subprocess.run([*limited, *sweep], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "A sweep changes settings, which needs root: run it with sudo." in done.stderr
    assert "Nothing was changed. 2 runs are marked failed" in done.stderr
    assert [(entry["status"], entry["attempt"]) for entry in files.entries()] == [("failed", 0)] * 2
    assert not (files.folder / "settings.history").exists()
    assert files.sweep().returncode == 0, "with it, the same command does the runs"


def test_a_failed_run_is_tried_again_at_the_end_of_its_block(files: Files) -> None:
    seen = files.folder / "seen"
    script = f"[ -e {seen} ] && exec {' '.join(TRAFFIC)}; touch {seen}; exit 1"
    command = ["sh", "-c", script]
    files.plan(ONE_BY_TWO, files.workload("once", command))
    done = files.sweep()
    assert done.returncode == 0, done.stderr
    expected = scheduled(files)
    assert files.done() == [expected[1], expected[0], *expected[2:]]
    assert "failed, to be tried again" in done.stderr
    assert len(list((files.folder / "out" / "logs").glob("*.failed"))) == 1


def test_a_disk_that_is_full_for_a_while_fails_one_run_and_the_sweep_goes_on(
    files: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither that a run is done nor that it failed can be written: it is still to be done."""
    files.plan(ONE_BY_TWO, replicates=1)
    refused = iter([False, True, True])  # done, done, failed
    append = Journal.append

    def append_with_little_room(journal: Journal, **entry: object) -> None:
        if entry["type"] == "run" and next(refused, False):
            raise JournalError(f"{journal.path} cannot be written: No space left on device.")
        append(journal, **entry)

    monkeypatch.setattr(Journal, "append", append_with_little_room)
    parsed, unknown = parsers()[1]["sweep"].parse_known_args(files.command()[5:])
    parsed.unknown = unknown
    with monkeypatch.context() as patched:
        patched.setattr("coalescope_host.run.signals.signal.signal", lambda *_: None)
        status = sweep.run(
            parsed,
            bench_of(files.folder / "settings.json", str(files.logger)),
        )
    said = capsys.readouterr().err
    assert status == 0, said
    assert "No space left on device" in said
    each_once_in_order(files)
    assert [entry["attempt"] for entry in files.entries()] == [1, 2]
    assert len(list((files.folder / "out" / "logs").glob("*.runlog"))) == 2
    assert files.settings == BEFORE


def test_where_the_way_back_cannot_be_kept_nothing_is_touched(files: Files) -> None:
    """Another sweep may be at it: putting back would be in its way."""
    files.plan("mtu_bytes = [9000]", replicates=1)
    (files.folder / "settings.saved.refused").touch()
    done = files.sweep()
    assert done.returncode == 1
    assert "sweep: another sweep is at it" in done.stderr
    assert not (files.folder / "settings.history").exists()


def test_a_log_that_is_gone_is_recorded_again(files: Files) -> None:
    files.plan(ONE_BY_TWO, replicates=1)
    assert files.sweep().returncode == 0
    lost = files.entries()[1]
    (files.folder / "out" / lost["log"]).unlink()
    assert files.sweep().returncode == 0
    assert files.done() == [*scheduled(files), lost["id"]]


@pytest.mark.fault("C13")
def test_the_manual_explains_each_member_of_the_journal(files: Files) -> None:
    files.plan(ONE_BY_TWO, pilot_s=0.1)
    assert files.sweep().returncode == 0
    lines = [json.loads(line) for line in files.journal.read_text().splitlines()]
    assert {line["type"] for line in lines} == {"sweep", "pilot", "run"}
    manual = (Path(__file__).parents[3] / "docs" / "sweep.md").read_text()
    section = manual.partition("### `journal.jsonl`")[2].partition("\n## ")[0]
    names = {name for line in lines for name in line} | {line["type"] for line in lines}
    assert [name for name in sorted(names) if f"`{name}`" not in section] == []


def test_what_is_done_is_not_done_again(files: Files) -> None:
    files.plan(ONE_BY_TWO, replicates=1)
    assert files.sweep().returncode == 0
    history = (files.folder / "settings.history").read_text()
    again = files.sweep()
    assert again.returncode == 0
    assert "2 of 2 runs done" in again.stderr
    assert (files.folder / "settings.history").read_text() == history
    assert json.loads(history.splitlines()[-1]) == BEFORE


@pytest.mark.parametrize("told", [[], ["--really"], ["--yes-this-interface", "lo"]])
def test_an_interface_that_should_not_be_swept_needs_to_be_told_twice(
    files: Files, told: list[str]
) -> None:
    files.plan(TWO_BY_TWO)
    command = [word for word in files.command() if word not in REPEATED] + told
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "lo is the loopback interface" in done.stderr
    assert "--yes-this-interface lo --really" in done.stderr
    assert not (files.folder / "out").exists()


def test_without_a_plan_it_is_a_slip() -> None:
    program = [sys.executable, "-m", "coalescope_host", "sweep"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "which plan, or which interface?" in done.stderr


def test_each_log_says_what_the_host_did_when_idle_in_its_block(files: Files) -> None:
    """And the recording of it is no run: it is not uploaded as one."""
    files.plan(ONE_BY_TWO, idle_s=0.3)
    assert files.sweep().returncode == 0
    for entry in files.entries():
        said = read(files.folder / "out" / entry["log"]).header["environment"]["idle_baseline"]
        assert said["block"] == entry["replicate"]
        assert 0.2 < said["duration_s"] < 3
        assert 0 <= said["system_cpu_percent"] <= said["host_cpu_percent"]
    logs = files.folder / "out" / "logs"
    assert len(list(logs.glob("*.runlog"))) == 4
    assert len(list(logs.glob("block-*.idle"))) == 2
