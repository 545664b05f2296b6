# SPDX-License-Identifier: Apache-2.0
"""compare, variance and plan: what replicates say."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coalescope_models.inference.statistics import SEQUENCE_NOT_KNOWN

Run = Callable[..., Any]


@pytest.fixture
def labs(run: Run, tmp_path: Path) -> None:
    """Two driver versions; the newer is 10 % slower where the delay is 100."""
    rng = np.random.default_rng(1)
    for name, version, slow in (("old", "1.0", 1.0), ("new", "1.1", 0.9)):
        lines = ["mtu_bytes,delay_us,driver_version,replicate,throughput_mbps"]
        for mtu in (1500, 9000):
            for delay in (0, 100):
                for r in range(1, 7):
                    value = (200 - delay / 2) * (slow if delay else 1.0)
                    value *= 1 + 0.003 * rng.standard_normal()
                    lines.append(f"{mtu},{delay},{version},{r},{value!r}")
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    assert run("import", "old.csv", "new.csv").returncode == 0


def test_two_versions_are_compared(run: Run, labs: None) -> None:
    done = run("compare", "old", "new", "--measure", "throughput_mbps")
    assert (done.returncode, done.stderr) == (0, "")
    assert "driver_version: A 1.0, B 1.1" in done.stdout
    assert done.stdout.count("worse") == 3
    assert SEQUENCE_NOT_KNOWN in " ".join(done.stdout.split())


def test_one_experiment_is_split(run: Run, labs: None) -> None:
    typed = ("compare", "old", "--measure", "throughput_mbps")
    done = run(*typed, "--split", "delay_us=0:100")
    assert "B over A: 0.75" in done.stdout
    assert "Nothing to compare with" in run(*typed).stderr
    with pytest.raises(SystemExit):
        run(*typed, "--split", "delay_us")
    refused = run(*typed, "--split", "delay_us=0:700").stderr
    said = "No cell of old with these levels has throughput_mbps. (delay_us 700)"
    assert refused.startswith(f"coalescope: {said}\n")


def test_variance(run: Run, labs: None) -> None:
    typed = ("variance", "old", "--measure", "throughput_mbps", "--factors", "mtu_bytes,delay_us")
    text = run(*typed).stdout
    assert "Throughput [Mb/s] of 24 runs" in text
    assert "mtu_bytes × delay_us" in text
    assert SEQUENCE_NOT_KNOWN in " ".join(text.split())
    found = json.loads(run(*typed, "--json").stdout)
    assert found["effects"][1]["share_percent"] > 99
    with pytest.raises(SystemExit):
        run("variance", "old", "--measure", "throughput_mbps", "--factors", "mtu_bytes")


def test_plan(run: Run, labs: None) -> None:
    typed = ("plan", "old", "--measure", "throughput_mbps", "--width")
    text = run(*typed, "0.1").stdout
    assert "in 4 of 4 cells" in text
    assert "± now [%]" in text
    assert "0 more runs in 0 of 4 cells" in run(*typed, "50").stdout
    assert json.loads(run(*typed, "0.1", "--json").stdout)["runs_to_add"] > 20


def test_runs_are_left_out_and_named(run: Run, labs: None) -> None:
    exported = json.loads(run("export", "old", "--format", "json", "--what", "runs").stdout)
    uid = exported["runs"][0]["id"]
    typed = ("variance", "old", "--measure", "throughput_mbps", "--factors", "mtu_bytes,delay_us")
    said = run(*typed, "--without", uid).stdout
    assert "of 23 runs" in said
    assert f"left out as asked: {uid}" in said
    fewer = json.loads(
        run("export", "old", "--format", "json", "--what", "runs", "--without", uid).stdout
    )
    assert fewer["without"] == [uid]
    assert fewer["runs"] == exported["runs"][1:]
    for mistyped in (uid[:8], f"{uid},nobody"):
        refused = run(*typed, "--without", mistyped)
        assert refused.returncode == 1
        assert "to leave out. (see --without)" in refused.stderr


def test_own_measures_are_compared_with_their_unit(run: Run, tmp_path: Path) -> None:
    rows = [f"{delay},{r},{100 + delay + r}" for delay in (0, 100) for r in range(1, 4)]
    head = "delay_us,replicate,measure.cache_misses [1/s]"
    (tmp_path / "own.csv").write_text("\n".join([head, *rows]))
    assert run("import", "own.csv").returncode == 0
    done = run("compare", "own", "--measure", "measure.cache_misses", "--split", "delay_us=0:100")
    assert "measure.cache_misses [1/s], B over A: " in done.stdout, done.stderr
    other = "\n".join([head.replace("1/s", "1"), *rows])
    (tmp_path / "other.csv").write_text(other)
    assert run("import", "other.csv").returncode == 0
    done = run("compare", "own", "other", "--measure", "measure.cache_misses")
    assert "measure.cache_misses, B over A: " in done.stdout, "their units differ"
