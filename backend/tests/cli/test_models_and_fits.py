# SPDX-License-Identifier: Apache-2.0
"""Fits by several methods, of any model, and models of one's own."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope_models.inference.statistics import SEQUENCE_NOT_KNOWN

Run = Callable[..., Any]

MINE = '''
# Not a docstring, which would be the title.
BOUNDS = {"slope": (0, 5)}


def falls(delay_us, top_mbps=100.0, slope=0.1, *, xp):
    """Throughput falls with the delay.

    More words.
    """
    return {"throughput_mbps": xp.minimum(top_mbps, top_mbps / (1.0 + slope * delay_us))}
'''


@pytest.fixture
def mine(run: Run, tmp_path: Path) -> Path:
    """A model of one's own, traced from Python into a file."""
    (tmp_path / "mine.py").write_text(MINE)
    done = run("trace", "mine.py", "--write", "mine.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return tmp_path / "mine.json"


@pytest.fixture
def lab(run: Run, tmp_path: Path) -> None:
    lines = ["delay_us,replicate,throughput_mbps,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"]
    for d in (0, 10, 40, 90):
        for r in (1, 2, 3):
            noise = 1 + 0.001 * (r - 2)
            lines.append(f"{d},{r},{noise * 400 / (1 + 0.02 * d)!r},1e9,7e5,{7e5 / (1 + d)},2")
    (tmp_path / "lab.csv").write_text("\n".join(lines))
    assert run("import", "lab.csv").returncode == 0


def test_a_surface_says_that_the_sequence_of_the_runs_is_not_known(run: Run, lab: None) -> None:
    said = run("surface", "lab", "throughput_mbps").stdout
    assert SEQUENCE_NOT_KNOWN in " ".join(said.split())


def test_methods_side_by_side(read: Run) -> None:
    typed = ("fit", "geist-2005-nfs", "cpu-overhead", "--method", "paper-tls", "--method", "ols")
    found = json.loads(read(*typed, "--json").stdout)
    assert [fit["method"] for fit in found] == ["paper-tls", "ols"]
    assert "cpu-overhead by ols" in read(*typed).stdout


@pytest.mark.parametrize(("method", "said"), [((), True), (("--method", "ols"), False)])
def test_that_the_method_of_the_paper_depends_on_units_is_said(
    read: Run, method: tuple[str, ...], said: bool
) -> None:
    """Also where the data set chose it, so that nobody who asked was told."""
    told = read("fit", "geist-2005-nfs", "cpu-overhead", *method, "--resamples", "50").stdout
    assert ("by paper-tls" in told) == said
    assert ("the result depends on the units of the counts (10⁶ bytes" in told) == said


@pytest.mark.parametrize(
    ("resamples", "made"),
    [("0", "none$"), ("50", "bootstrap of rows, .*50 resamples, seed 1$")],
)
def test_what_intervals_are_made_of_is_said_of_those_that_there_are(
    read: Run, resamples: str, made: str
) -> None:
    told = read("fit", "geist-2005-nfs", "cpu-overhead", "--resamples", resamples).stdout
    assert re.search(rf"^  intervals +{made}", told, re.MULTILINE), told


def test_intervals_without_resamples_are_of_the_curvature(run: Run, lab: None) -> None:
    asked = "fit lab request-response --output throughput_mbps --free idle_us --resamples 0"
    told = run(*asked.split(), "--hold", "mtu_bytes=1500").stdout
    assert "  from the curvature at the minimum" in told
    assert "none asked for" not in told


def test_costs_without_probes_are_said_to_lack_only_the_least_of_it(
    run: Run, tmp_path: Path
) -> None:
    lines = ["mtu_bytes,delay_us,rx_bytes,rx_packets,rx_interrupts,system_cpu_s,probe_cpu_s"]
    counts = [(1500, 9e4, 7e4), (1500, 9e4, 9e3), (9000, 2e4, 1e4), (9000, 2e4, 2e3)]
    for delay_us, (mtu, packets, interrupts) in enumerate(counts):
        cpu_s = 1 + 2e-6 * packets + 5e-6 * interrupts
        lines.append(f"{mtu},{delay_us},1e8,{packets},{interrupts},{cpu_s},{1e-6 * interrupts}")
    (tmp_path / "probed.csv").write_text("\n".join(lines))
    assert run("import", "probed.csv").returncode == 0
    said = run("fit", "probed", "cpu-overhead", "--method", "ols").stdout
    _, _, without = said.partition("without probes")
    assert "without the least that counting cost" in without
    assert "three to four times that" in without
    assert "beta at most 0.002 " in without
    assert "gamma at most 0.004 " in without


def test_whitened_needs_replicates_and_says_so(read: Run) -> None:
    done = read("fit", "geist-2005-nfs", "cpu-overhead", "--method", "all", "--json")
    assert done.returncode == 1
    known = {fit["method"]: fit["identifiable"] for fit in json.loads(done.stdout)}
    assert known == {
        "ols": True,
        "ols-hc3": True,
        "wls": False,
        "robust": True,
        "whitened": False,
        "paper-tls": True,
    }
    assert "coalescope: whitened: " in done.stderr
    assert "replicate" in done.stderr


@pytest.mark.parametrize(
    ("workload", "f"), [("udp", 2_000.0), ("tcp", 3_000.0), ("request_response", 900.0)]
)
def test_the_fits_of_the_virtual_testbed_say_that_they_are_rejected(
    read: Run, workload: str, f: float
) -> None:
    """In words: rejected, F and its degrees of freedom, by how much, where, and who disagrees."""
    typed = ("fit", "virtual-testbed", "cpu-overhead", "--where", f"workload={workload}")
    done = read(*typed, "--resamples", "400", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["method"] == "ols"
    assert found["diagnostics"]["lack_of_fit"]["f"] > f
    said = found["message"]
    assert "The replicates reject the model: cells deviate from it by" in said
    rejected, worst = said.index("reject the model"), said.index("It is farthest off at mtu_bytes")
    assert rejected < worst < said.index("those given include the misfit"), "what, where, then how"
    if workload == "request_response":
        assert "Methods disagree, one is outside of another's interval" in said
        assert "gamma is 1.28" in said
        assert "2.95" in said
        assert "by whitened" in said
    else:
        assert "hardly differ, but those of a model that holds, which are not given" in said
    for own in found["estimates"].values():
        assert own["ci95"] is None
        assert own["ci95_if_independent"] is not None
        assert (own["ci95_if_model_holds"] is None) == (workload != "request_response")


def test_a_cost_that_noise_leaves_unknown_is_named(run: Run, tmp_path: Path) -> None:
    lines = ["mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"]
    for mtu, packets in ((1500, 7e5), (9000, 1e5)):
        for delay, per_interrupt in ((0, 1), (40, 4)):
            interrupts = packets / per_interrupt
            cpu_s = 1.0 + 5e-7 * packets + 1e-6 * interrupts
            for replicate, scatter in enumerate((0.7, 1.0, 1.3)):
                counts = f"1e9,{packets},{interrupts}"
                lines.append(f"{mtu},{delay},{replicate},{counts},{cpu_s * scatter}")
    (tmp_path / "noisy.csv").write_text("\n".join(lines))
    assert run("import", "noisy.csv").returncode == 0
    done = run("fit", "noisy", "cpu-overhead", "--method", "ols")
    assert done.returncode == 0
    assert "Poorly determined: beta (standard error" in " ".join(done.stdout.split())


def test_a_base_is_of_linear_fits(read: Run) -> None:
    typed = ("fit", "geist-2005-nfs", "cpu-overhead", "--base")
    assert "elapsed" in read(*typed).stderr
    nonlinear = ("--output", "system_cpu", "--free", "alpha")
    assert "--base is of linear fits" in read(*typed, *nonlinear).stderr


def test_a_traced_model_predicts(run: Run, mine: Path) -> None:
    assert json.loads(mine.read_text())["title"] == "Throughput falls with the delay"
    done = run("predict", "--model", mine, "--set", "delay_us=10")
    assert done.returncode == 0
    assert "50" in done.stdout


def test_a_traced_model_is_fitted(run: Run, mine: Path, lab: None) -> None:
    typed = ("fit", "lab", "--model", mine, "--output", "throughput_mbps", "--free")
    done = run(*typed, "top_mbps,slope", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["estimates"]["top_mbps"]["value"] == pytest.approx(400, rel=1e-3)
    assert found["estimates"]["slope"]["value"] == pytest.approx(0.02, rel=1e-2)
    text = run(*typed, "slope", "--hold", "top_mbps=400").stdout
    assert "user-model by nonlinear: throughput_mbps of 4 cells" in text


def test_an_input_of_a_traced_model_comes_from_a_factor_of_ones_own(
    run: Run, tmp_path: Path, mine: Path
) -> None:
    rows = "".join(f"{wait},1,{400 / (1 + 0.02 * wait)}\n" for wait in (0, 10, 50, 100, 200))
    (tmp_path / "own.csv").write_text(f"factor.wait,replicate,throughput_mbps\n{rows}")
    assert run("import", "own.csv").returncode == 0
    typed = ("--output", "throughput_mbps", "--free", "top_mbps,slope", "--json")
    unsaid = run("fit", "own", "--model", mine, *typed)
    assert "no run has delay_us" in unsaid.stderr, "control"
    done = run("trace", "mine.py", "--source", "delay_us=factor.wait", "--write", "own.json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(run("fit", "own", "--model", "own.json", *typed).stdout)
    assert found["estimates"]["slope"]["value"] == pytest.approx(0.02, rel=1e-2)
    assert found["sources"] == {"delay_us": ["factor.wait"]}


@pytest.mark.parametrize("source", ["delay=factor.wait", "delay_us=wait"])
def test_a_source_that_cannot_be(run: Run, mine: Path, source: str) -> None:
    done = run("trace", "mine.py", "--source", source)
    assert (done.returncode, done.stdout) != (0, "")
    assert "no input 'delay'" in done.stderr or "neither a factor nor a measure" in done.stderr


def test_a_model_of_the_catalogue_is_fitted(run: Run, lab: None) -> None:
    done = run(
        "fit", "lab", "request-response", "--output", "throughput_mbps",
        "--free", "idle_us", "--hold", "mtu_bytes=1500", "--resamples", "50",
    )  # fmt: skip
    assert done.returncode == 0
    assert "request-response by nonlinear" in done.stdout
    told = done.stdout.partition("Held, not measured: ")[2]
    assert "mtu_bytes 1500" in told and "small_packets 0.5, " in told
    assert "burst_rate_mbps 240\n  what is fitted holds if these are right" in told


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("fit lab request-response --free idle_us", "--free goes with --output"),
        ("fit lab --model mine.json", "own goes with --output"),
        ("fit lab request-response --output throughput_mbps", "--output needs --free"),
        ("fit lab --model nowhere.json --output a --free b", "nowhere.json: No such file"),
        ("fit lab --model mine.py --output a --free b", "mine.py is not JSON"),
        ("predict --model lab.csv", "is not JSON"),
        ("trace nowhere.py", "nowhere.py: No such file"),
        ("trace lab.csv", "fails when it is run"),
        ("trace mine.py --function rises", "no function 'rises' that takes xp; it has falls"),
    ],
)
def test_what_is_refused(typed: str, reason: str, run: Run, mine: Path, lab: None) -> None:
    done = run(*typed.split())
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return {'latency_us': max(delay_us, 1.0)}", "xp.where"),
        ("import math; return {'latency_us': math.exp(delay_us)}", "leaves its namespace"),
        ("return 3", "must return a mapping"),
        ("import numpy as np; return {'a': np.sqrt(delay_us)}", "xp.sqrt and the like"),
    ],
)
def test_functions_that_cannot_be_traced(body: str, reason: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(f"def f(delay_us, a=1.0, *, xp):\n    {body}\n")
    done = run("trace", "bad.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr


def test_a_graph_that_explodes_is_refused(run: Run, mine: Path) -> None:
    document = json.loads(mine.read_text())
    document["graph"]["nodes"] += [["add", k, k] for k in range(5, 60)]
    mine.write_text(json.dumps(document))
    done = run("predict", "--model", mine, "--set", "delay_us=1")
    assert done.returncode == 1
    assert "limit expanded_size" in done.stderr
