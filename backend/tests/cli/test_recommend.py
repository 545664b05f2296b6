# SPDX-License-Identifier: Apache-2.0
"""coalescope recommend."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def lab(run: Run, tmp_path: Path) -> None:
    lines = ["mtu_bytes,delay_us,replicate,throughput_mbps,latency_us"]
    for delay, speed, latency in ((0, 150, 60), (40, 200, 90), (100, 201, 160), (300, 140, 400)):
        lines += [
            f"1500,{delay},{r},{speed * (1 + 0.002 * r)},{latency * (1 + 0.003 * r)}"
            for r in (-1, 0, 1, 2)
        ]
    lines = [line.replace(",-1,", ",3,") for line in lines]
    (tmp_path / "lab.csv").write_text("\n".join(lines))
    assert run("import", "lab.csv").returncode == 0


def test_a_setting_with_its_commands(run: Run, lab: None) -> None:
    done = run(
        "recommend", "lab", "--maximise", "throughput_mbps", "--minimise", "latency_us",
        "--weight", "latency_us=0.1", "--interface", "eth0", "--driver", "e1000e",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "Set: mtu_bytes 1500, delay_us 40\nIt is of the runs of each setting" in done.stdout
    assert "Against mtu_bytes 1500, delay_us 0:" in done.stdout
    assert "\nip link set dev eth0 mtu 1500\nethtool -C eth0 rx-usecs 40\n" in done.stdout
    assert "# The way back, in any shell" in done.stdout


def test_what_is_lost_is_guarded_and_told(run: Run, tmp_path: Path) -> None:
    for name, column in (("lossy", "drops"), ("own", "measure.jitter")):
        lines = [f"delay_us,replicate,throughput_mbps,system_cpu_s_per_gb,{column}"]
        for delay, cost, lost in ((10, 9, 0), (40, 7, 0), (320, 4, 40_000)):
            for r in range(4):
                near = 1 + 0.0003 * (-1) ** r
                lines.append(f"{delay},{r},{940 * near},{cost * near},{lost + lost * r // 100}")
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
        assert run("import", f"{name}.csv").returncode == 0
    goal = ("--minimise", "system_cpu_s_per_gb", "--at-most", "delay_us=320")
    text = run("recommend", "lossy", *goal).stdout
    assert "Guard: drops at most 10 % more than now, chance aside (see --within-current)\n" in text
    assert "Set: delay_us 40" in text
    bare = run("recommend", "lossy", *goal, "--unguarded").stdout
    assert re.search(r"^drops \[packets\] +0 .*from 0 +worse$", bare, re.MULTILINE), bare
    own = run("recommend", "own", *goal)
    assert (own.returncode, own.stderr) == (0, "")
    assert "Set: delay_us 320" in own.stdout
    assert re.search(r"^measure.jitter .*from 0$", own.stdout, re.MULTILINE), own.stdout


def test_what_is_as_good_and_costs_less_is_named(run: Run, tmp_path: Path) -> None:
    lines = ["mtu_bytes,replicate,throughput_mbps,system_cpu_percent"]
    for mtu, cpu in ((1500, 68.0), (9000, 33.0)):
        lines += [f"{mtu},{r},{940 + (-1) ** r},{cpu * (1 + 0.002 * (-1) ** r)}" for r in range(4)]
    (tmp_path / "equal.csv").write_text("\n".join(lines))
    assert run("import", "equal.csv").returncode == 0
    text = run("recommend", "equal", "--maximise", "throughput_mbps").stdout
    assert "\nAs good, with system_cpu_percent 68 → 33 %: mtu_bytes 9000\n" in text


def test_how_many_runs_would_tell_a_setting_from_the_best(run: Run, tmp_path: Path) -> None:
    lines = ["delay_us,replicate,throughput_mbps"]
    for delay, speed in ((0, 100), (40, 101), (80, 70)):
        lines += [f"{delay},{r},{speed + (-2, 2, -1, 1)[r]}" for r in range(4)]
    (tmp_path / "alike.csv").write_text("\n".join(lines))
    assert run("import", "alike.csv").returncode == 0
    typed = ("recommend", "alike", "--maximise", "throughput_mbps", "--unguarded")
    found = json.loads(run(*typed, "--json").stdout)
    (near,) = (found["candidates"][place] for place in found["indistinguishable"])
    assert near["runs_to_resolve"] > near["n"]
    text = run(*typed).stdout
    assert f"not told from the best; about {near['runs_to_resolve']} runs of each would" in text


def test_why_an_interval_is_by_days_names_its_measures(run: Run, tmp_path: Path) -> None:
    lines = ["delay_us,replicate,block,throughput_mbps,latency_us"]
    for number, delay in enumerate((0, 20, 40, 80, 160, 320)):
        for r in range(6):
            speed = 100 * (1 + 0.1 * number + 0.05 * (r // 2) + 0.001 * ((3 * r + number) % 5))
            late = 50 + 10 * number + 0.1 * ((7 * r + 3 * number) % 5)
            lines.append(f"{delay},{r},day {r // 2},{speed},{late}")
    (tmp_path / "days.csv").write_text("\n".join(lines))
    assert run("import", "days.csv").returncode == 0
    goal = ("--maximise", "throughput_mbps", "--within-current", "latency_us=200")
    text = run("recommend", "days", *goal).stdout
    assert re.search(r"^throughput_mbps, latency_us: The runs of a block", text, re.MULTILINE)


def test_what_keeps_it(run: Run, lab: None) -> None:
    typed = ("recommend", "lab", "--maximise", "throughput_mbps", "--interface", "enp3s0")
    done = run(*typed, "--driver", "igb", "--as", "systemd-link")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("# /etc/systemd/network/10-coalescope-enp3s0.link\n[Match]\n")
    assert "\nProperty=ID_NET_NAME_PATH=enp3s0\n" in done.stdout
    assert "\nRxCoalesceSec=" in done.stdout
    none = run(*typed, "--as", "tuned")
    assert none.returncode != 0
    assert "--as goes with --interface and --driver" in none.stderr


def test_commands_say_what_does_not_carry_over(run: Run, lab: None) -> None:
    goal = ("--maximise", "throughput_mbps", "--interface", "eth0", "--driver", "igb")
    assert "For the machine that was measured." in run("recommend", "lab", *goal).stdout
    paper = ("--experiment", "paper", "--kind", "published", "--citation", "A paper, 2005")
    assert run("import", "lab.csv", *paper).returncode == 0
    model = ("--model", "request-response", "--set", "mtu_bytes=1500", "--choose", "delay_us=10,40")
    for kind, asked in (("published", ("paper",)), ("predicted", model)):
        for form in ((), ("--as", "netplan")):
            text = run("recommend", *asked, *goal, *form).stdout
            assert f"# These values are {kind}: another host, driver and traffic." in text


def test_a_balance(run: Run, lab: None) -> None:
    goal = ("--maximise", "throughput_mbps", "--minimise", "latency_us", "--balance")
    done = run("recommend", "lab", *goal)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Set: mtu_bytes 1500, delay_us 40" in done.stdout


def test_bounds(run: Run, lab: None) -> None:
    typed = ("recommend", "lab", "--maximise", "throughput_mbps", "--at-most")
    found = json.loads(run(*typed, "latency_us=70", "--json").stdout)
    assert found["candidates"][found["best"]]["factors"]["delay_us"] == 0
    none = run(*typed, "latency_us=1")
    assert none.returncode == 1
    assert "No setting that was measured keeps the constraints" in none.stdout


def test_a_model_without_data(run: Run) -> None:
    done = run(
        "recommend", "--model", "request-response", "--set", "mtu_bytes=1500",
        "--choose", "delay_us=10,20,40,80,160,320,640", "--maximise", "throughput_mbps",
    )  # fmt: skip
    assert done.returncode == 0
    assert "Set: delay_us 10" in done.stdout
    assert "no model is in it" not in done.stdout
    assert re.search(r"^ *40 .*best mean", done.stdout, re.MULTILINE)
    assert "without probabilities" in done.stdout


def test_a_limit_that_is_offered_says_both_values_of_a_share(run: Run, lab: None) -> None:
    asked = ("--maximise", "idle_cpu_percent", "--where", "workload=iperf")
    done = run("recommend", "dillon-2004", *asked)
    assert "--at-most delay_us=100: delay_us 100, workload iperf, idle_cpu_percent 2 → 60 %\n" in (
        done.stdout
    )


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("lab", "--maximise or --minimise. Goals here: throughput_mbps, latency_us."),
        (
            "lab --maximise throughput",
            "'throughput' is not a measure.\n  Name it with --maximise or --minimise. Did you mean "
            "throughput_mbps? Goals here: throughput_mbps, latency_us.",
        ),
        ("--model link-bound", "Goals here: throughput_mbps, goodput_mbps"),
        ("nowhere", "There is no experiment 'nowhere'"),
        ("lab --maximise throughput_mbps --weight latency_us=2", "has a weight but is no aim"),
        ("lab --maximise throughput_mbps --balance", "a balance is between two aims, not 1"),
        ("lab --maximise drops", "ask for another. Goals here: throughput_mbps, latency_us."),
        ("lab --maximise throughput_mbps --set mtu_bytes=1", "--set and --choose go with --model"),
        ("lab --maximise throughput_mbps --driver e1000", "--driver goes with --interface"),
        ("lab --maximise throughput_mbps --without nobody", "There is no run 'nobody' in lab"),
        ("lab --maximise throughput_mbps --weight throughput_mbps=0", "Give a number above zero"),
        (
            "--model link-bound --maximise throughput_mbps --where workload=tcp",
            "--where and --without go with an experiment",
        ),
        (
            "--model receive-open-loop --maximise throughput_mbps --choose mtu_bytes=1500 "
            "--choose delay_us=0,10",
            "throughput_mbps is missing, zero or negative at some settings",
        ),
        (
            "lab --maximise throughput_mbps --current delay_us=0 --current delay_us=40",
            "--current says delay_us twice",
        ),
        ("lab --maximise throughput_mbps --where delay_us=0", "one setting leaves no choice"),
        ("--model nothing --maximise throughput_mbps", "There is no model 'nothing'"),
        ("--model ./no.json --maximise throughput_mbps", "no.json: No such file"),
        ("--model link-bound --maximise throughput_mbps", "0 settings"),
    ],
)
def test_what_is_refused(typed: str, reason: str, run: Run, lab: None) -> None:
    done = run("recommend", *typed.split())
    assert (done.returncode, done.stdout) == (1, "")
    assert reason.lower() in done.stderr.lower()


def test_settings_of_which_nothing_can_be_told_are_named(run: Run, tmp_path: Path) -> None:
    lines = ["delay_us,replicate,throughput_mbps"]
    lines += [f"{delay},{r},{100 + delay + r}" for delay in (0, 40) for r in (1, 2, 3)]
    (tmp_path / "dead.csv").write_text("\n".join([*lines, "80,1,180", "80,2,0", "120,1,0"]))
    assert run("import", "dead.csv").returncode == 0
    done = run("recommend", "dead", "--maximise", "throughput_mbps")
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert (
        "hroughput_mbps is missing, zero or negative at some settings: delay_us 80; delay_us 120."
        in said
    )
    assert "Single runs can be left out (`without`)." in said
