# SPDX-License-Identifier: Apache-2.0
"""coalescope policy."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_without_a_name_the_policies_are_listed(run: Run) -> None:
    done = run("policy")
    assert (done.returncode, done.stderr) == (0, "")
    assert "dim: Linux DIM" in done.stdout
    assert json.loads(run("policy", "--json").stdout)[0]["name"] == "dynamic-throttle"


def test_a_stream_that_changes(run: Run) -> None:
    typed = ("policy", "dynamic-throttle", "--phase", "13000:9018:100", "--phase", "2000:128:100")
    done = run(*typed)
    assert (done.returncode, done.stderr) == (0, "")
    assert "250 µs for" in done.stdout
    assert "than the best fixed interval" in done.stdout
    assert "price = CPU + 0.1 × wait" in done.stdout
    found = json.loads(run(*typed, "--json").stdout)
    assert len(found["choices"]) > 1


def test_clients_that_wait(run: Run) -> None:
    done = run("policy", "dim", "--clients", "8", "--round-trip", "50", "--intervals", "0,64")
    assert done.returncode == 0
    assert "dearer than" in done.stdout or "cheaper than" in done.stdout


def test_a_profile_that_suits_the_traffic_is_proposed(run: Run) -> None:
    typed = ("policy", "dim", "--phase", "200000:1518:30", "--propose")
    done = run(*typed)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Proposed: " in done.stdout
    assert "With 0.5 times the load: " in done.stdout
    assert "rx-profile " in done.stdout
    assert "Proposed" not in run(*typed[:-1]).stdout


def test_the_traffic_of_an_experiment(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "lab.csv"
    table.write_text(
        "delay_us,replicate,elapsed_s,rx_packets,rx_bytes,rx_interrupts\n"
        "10,1,2,160000,240000000,80000\n100,1,2,160000,240000000,20000\n"
    )
    assert run("import", table).returncode == 0
    done = run("policy", "dim", "lab", "--where", "delay_us=10", "--duration", "50")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Traffic of lab (delay_us 10): 80000 packets/s of 1500 bytes" in done.stdout
    assert "measured packets per interrupt" in done.stdout
    refused = run("policy", "dim", "lab", "--phase", "1:1:1")
    assert "two kinds of traffic" in refused.stderr


def test_delays_whose_interrupts_were_not_counted_are_named(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "lab.csv"
    table.write_text(
        "delay_us,replicate,elapsed_s,rx_packets,rx_bytes,rx_interrupts\n"
        "10,1,2,160000,240000000,80000\n40,1,2,160000,240000000,\n"
    )
    assert run("import", table).returncode == 0
    done = run("policy", "dim", "lab", "--duration", "50")
    assert done.returncode == 0
    assert "Left out: delays of 40 µs" in done.stdout
    named = run("policy", "dim", "lab", "--where", "delay_us=10", "--duration", "50")
    assert "Left out" not in named.stdout


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("dimm", "--clients", "3"), "Did you mean dim?"),
        pytest.param(
            ("dimm",),
            "There is no policy 'dimm'.\n  Did you mean dim?",
            marks=pytest.mark.fault("B12"),
        ),
        (("dim",), "--phase RATE:BYTES:MS"),
        (("--clients", "3"), "No policy is named"),
        (("dim", "--clients", "3", "--where", "mtu_bytes=1500"), "Name one after the policy"),
        (("dim", "lob"), "lob"),
        (("dim", "--clients", "3", "--phase", "1:1:1"), "two kinds of traffic"),
        (("dim", "--clients", "3", "--duration", "1e9"), "a shorter time"),
    ],
)
def test_what_is_missing_is_said(read: Run, typed: tuple[str, ...], words: str) -> None:
    done = read("policy", *typed)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
