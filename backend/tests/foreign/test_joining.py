# SPDX-License-Identifier: Apache-2.0
"""Files of one run are joined by time and machine; what is not known is asked for, not guessed."""

import json
from typing import Any

import pytest
from coalescope.errors import CoalescopeError, Problem
from coalescope.foreign.registry import ReadFile, read_file

from .conftest import UNKNOWN, Runs, corpus_file, runs_of

CLIENT, SERVER = "iperf3/joined-client.json", "iperf3/joined-server.json"
MPSTAT, SADF = "sysstat/12.6.1-mpstat.json", "sysstat/12.6.1-sadf-all.json"


def asked(error: CoalescopeError) -> dict[Any, Problem]:
    problems = error.problems or [Problem(error.code, error.message, error.where, error.advice)]
    return {problem.where["field"]: problem for problem in problems}


def refusal(runs: Runs, *names: str, given: tuple[str, ...]) -> dict[Any, Problem]:
    with pytest.raises(CoalescopeError) as caught:
        runs(*names, given=given)
    return asked(caught.value)


def test_factors_that_no_file_says_are_asked_for_all_at_once(runs: Runs) -> None:
    questions = refusal(runs, CLIENT, given=())
    assert questions["mtu_bytes"].advice == "Say it: --set mtu_bytes=1500"
    assert questions["delay_us"].advice == "Say it: --set delay_us=0"
    assert "delay_us=unknown" in questions["delay_us"].message


def test_what_nobody_knows_stays_empty(runs: Runs) -> None:
    (run,) = runs(CLIENT, given=UNKNOWN)
    assert "mtu_bytes" not in run.factors
    assert "delay_us" not in run.factors


def test_the_cpu_of_iperf3_is_never_the_system_s(runs: Runs) -> None:
    (run,) = runs(CLIENT, SERVER)
    assert not {name for name in run.values if name.endswith("cpu_percent")} - {
        "measure.iperf3_client_cpu_percent",
        "measure.iperf3_server_cpu_percent",
    }


def test_both_ends_of_a_test_are_one_run(runs: Runs) -> None:
    (run,) = runs(CLIENT, SERVER)
    assert run.files == ["joined-client.json", "joined-server.json"]


def test_two_tests_are_two_runs(runs: Runs) -> None:
    assert len(runs(CLIENT, "iperf3/3.12-tcp.json")) == 2


def test_only_samples_within_the_run_count(runs: Runs) -> None:
    (run,) = runs(CLIENT, SERVER, SADF)
    assert run.values["system_cpu_percent"].field.endswith("mean of 2 samples")
    (other,) = runs(SADF)
    assert other.values["system_cpu_percent"].field.endswith("mean of 7 samples")


def test_a_file_of_another_time_is_not_joined_and_named(runs: Runs) -> None:
    with pytest.raises(CoalescopeError) as caught:
        runs("iperf3/3.12-tcp.json", SADF)
    assert caught.value.code == "file_not_joined"
    assert caught.value.where["file"] == "12.6.1-sadf-all.json"


def test_local_times_need_their_offset(runs: Runs) -> None:
    question = refusal(runs, CLIENT, SERVER, MPSTAT, given=UNKNOWN)["utc_offset"]
    assert question.advice == "Say it: --set utc_offset=+00:00"


def test_with_a_wrong_offset_nothing_is_joined(runs: Runs) -> None:
    with pytest.raises(CoalescopeError) as caught:
        runs(CLIENT, SERVER, MPSTAT, given=(*UNKNOWN, "utc_offset=+01:00"))
    assert caught.value.code == "file_not_joined"


def test_a_machine_that_took_no_part_must_be_named(runs: Runs) -> None:
    question = refusal(runs, CLIENT, SADF, given=UNKNOWN)["host"]
    assert question.advice == "Say it: --set host=sink"
    (run,) = runs(CLIENT, SADF, given=(*UNKNOWN, "host=sink"))
    assert run.facts["host"] == "sink"


def test_several_interfaces_must_be_told_apart(runs: Runs) -> None:
    question = refusal(runs, "sysstat/12.7.5-sadf.json", given=UNKNOWN)["interface"]
    assert "eth0" in question.message
    assert question.advice is not None
    assert question.advice.startswith("Say it: --set interface=")


def test_adaptive_moderation_is_no_fixed_delay() -> None:
    text = corpus_file("ethtool/6.1-c.txt").replace(b"Adaptive RX: off", b"Adaptive RX: on")
    files = {"iperf3.json": corpus_file(CLIENT), "ethtool.txt": text}
    (run,) = runs_of(files, ("mtu_bytes=1500",))
    assert run.factors["delay_control"] == "adaptive"
    assert "delay_us" not in run.factors


def test_what_was_given_counts_and_a_contradiction_is_said(runs: Runs) -> None:
    (run,) = runs(CLIENT, "ethtool/6.1-c.txt", given=("mtu_bytes=1500", "delay_us=50"))
    assert run.factors["delay_us"] == 50.0
    assert any("50.0 was given" in note for note in run.notes)


def test_names_of_folders_say_levels() -> None:
    files = {
        "mtu_bytes=1500/a.json": corpus_file(CLIENT),
        "mtu_bytes=9000/b.json": corpus_file("iperf3/3.12-tcp.json"),
    }
    found = {run.files[0]: run.factors["mtu_bytes"] for run in runs_of(files, ("delay_us=0",))}
    assert found == {"mtu_bytes=1500/a.json": 1500.0, "mtu_bytes=9000/b.json": 9000.0}


def test_settings_are_of_their_folder_alone() -> None:
    coalescing = corpus_file("ethtool/6.1-c.txt")
    files = {
        "one/iperf3.json": corpus_file(CLIENT),
        "one/ethtool.txt": coalescing.replace(b"rx-usecs: 0", b"rx-usecs: 25"),
        "two/iperf3.json": corpus_file("iperf3/3.12-tcp.json"),
        "two/ethtool.txt": coalescing.replace(b"rx-usecs: 0", b"rx-usecs: 80"),
    }
    runs = runs_of(files, ("mtu_bytes=1500",))
    assert {run.files[0]: run.factors["delay_us"] for run in runs} == {
        "one/iperf3.json": 25,
        "two/iperf3.json": 80,
    }


def test_iperf3_of_another_machine_s_day_is_asked_for_its_offset_only_if_near() -> None:
    document = json.loads(corpus_file(CLIENT))
    document["start"]["timestamp"]["timesecs"] -= 30 * 86_400
    files = {"iperf3.json": json.dumps(document).encode(), "mpstat.json": corpus_file(MPSTAT)}
    with pytest.raises(CoalescopeError) as caught:
        runs_of(files)
    assert caught.value.code == "file_not_joined"


def mpstat_at(*times: str) -> bytes:
    """The file of mpstat with samples that end at these times."""
    document = json.loads(corpus_file(MPSTAT))
    host = document["sysstat"]["hosts"][0]
    first = host["statistics"][0]
    host["statistics"] = [{**first, "timestamp": time} for time in times]
    return json.dumps(document).encode()


def windows(content: bytes) -> list[tuple[float, float]]:
    """From when to when the samples of idle time are, in seconds of their first day."""
    found = read_file("mpstat.json", content)
    assert isinstance(found, ReadFile)
    idle = [r.window for r in found.reading.beside if r.quantity == "idle_cpu_percent"]
    return [(window.start_s, window.end_s) for window in idle if window is not None]


def test_two_samples_of_mpstat_in_one_second_are_of_one_day() -> None:
    times = ("00:00:01", "00:00:02", "00:00:02", "00:00:04")
    assert windows(mpstat_at(*times)) == [(0, 1), (1, 2), (1, 2), (2, 4)]


def test_samples_of_mpstat_go_on_behind_midnight() -> None:
    found = windows(mpstat_at("23:59:58", "23:59:59", "00:00:00", "00:00:01"))
    assert found == [(86397 + n, 86398 + n) for n in range(4)]


@pytest.mark.parametrize(
    ("pair", "code"),
    [
        ("mtu=9000", "unknown_factor"),
        ("mtu_bytes=many", "wrong_type"),
        ("mtu_bytes=-1", "out_of_domain"),
        ("mtu_bytes", "bad_setting"),
        ("utc_offset=CET", "bad_setting"),
        ("started_at=yesterday", "bad_setting"),
        ("mtu_bytes=nan", "not_finite"),
    ],
)
def test_what_is_given_must_be_possible(runs: Runs, pair: str, code: str) -> None:
    with pytest.raises(CoalescopeError) as caught:
        runs(CLIENT, given=(pair,))
    assert caught.value.code == code
