# SPDX-License-Identifier: Apache-2.0
"""Commands that show: models, predictions, experiments, surfaces, fits."""

import json
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli.output import print_table, shown
from coalescope.db import migrations
from coalescope.db.engine import open_database
from coalescope_models.catalogue import MODELS
from coalescope_models.vocabulary.quantity import QUANTITIES
from timeouts import TIMEOUT_S

from .conftest import COMMAND, environment

Read = Callable[..., Any]


def test_models(read: Read) -> None:
    assert [model["id"] for model in json.loads(read("models", "--json").stdout)] == list(MODELS)
    text = read("models").stdout
    assert "cpu-overhead: CPU overhead (can be fitted)" in text
    assert "jiffies/kpacket" in text


@pytest.mark.fault("C10")
def test_quantities_are_found_by_their_words(read: Read) -> None:
    everything = json.loads(read("quantities", "--json").stdout)
    assert [each["name"] for each in everything] == list(QUANTITIES)
    found = read("quantities", "Round-trip", "half of the workload").stdout.splitlines()
    assert found[0].split()[:3] == ["name", "unit", "kind"]
    assert [line.split()[:3] for line in found[1:]] == [["latency_p50_us", "µs", "measure"]]
    none = read("quantities", "latencyy_us")
    assert none.returncode == 1
    assert "Did you mean latency_us" in none.stderr


@pytest.mark.fault("C10")
def test_who_is_refused_a_name_is_told_the_command_that_lists_them(read: Read) -> None:
    goal = ("--minimise", "system_cpu_jiffies_per_gb")
    said = read("recommend", "geist-2005-nfs", *goal, "--at-most", "zzqx=5").stderr
    assert "`coalescope quantities` lists" in said
    assert "glossary.md" not in said


def test_predict_a_point(read: Read) -> None:
    done = read("predict", "link-bound", "--set", "mtu_bytes=1500")
    assert done.returncode == 0
    assert "throughput_mbps" in done.stdout
    assert "Mb/s" in done.stdout
    assert "986.996" in done.stdout
    found = json.loads(read("predict", "link-bound", "--set", "mtu_bytes=1500", "--json").stdout)
    assert found["outputs"]["throughput_mbps"][0] == pytest.approx(987.0, abs=0.05)


def test_predict_over_a_range(read: Read) -> None:
    arguments = ("predict", "timer-packets-per-interrupt", "--set", "mtu_bytes=1500")
    done = read(*arguments, "--over", "delay_us=0:100:3")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("delay_us [µs]  packets_per_interrupt [packets/interrupt]")
    assert [line.split()[:2] for line in lines[1:]] == [["0", "1"], ["50", "6"], ["100", "10"]]


def test_a_kind_of_moderation_may_be_given_by_its_word(read: Read) -> None:
    point = ("predict", "receive-open-loop", "--set", "mtu_bytes=1500", "--set", "delay_us=100")
    by_word = read(*point, "--set", "moderation_kind=Throttle")
    assert by_word.stdout == read(*point, "--set", "moderation_kind=4").stdout
    assert by_word.stdout != read(*point, "--set", "moderation_kind=absolute timer").stdout
    with pytest.raises(SystemExit):
        read(*point, "--set", "moderation_kind=often")


POINT = ("predict", "cpu-overhead-surface", "--set", "mtu_bytes=1500", "--set", "packet_fill=1")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_point_without_a_finite_value_is_refused(read: Read, form: tuple[str, ...]) -> None:
    done = read(*POINT, "--set", "packets_per_interrupt=0", *form)
    assert done.returncode == 1
    if form:
        assert json.loads(done.stdout)["error"]["code"] == "not_finite"
    else:
        assert done.stdout == ""
    assert "no finite system_cpu_per_gb, interrupt_cost_per_gb" in done.stderr
    assert "packets_per_interrupt 0" in done.stderr
    assert read(*POINT, "--set", "packets_per_interrupt=0.5", *form).returncode == 0
    huge = read(*POINT, "--set", "packets_per_interrupt=2", "--set", "gamma=1e308", *form)
    assert huge.returncode == 1
    assert "gamma 1e+308" in huge.stderr


FULL = ("predict", "napi-receive", "--set", "napi_weight=64", "--set", "frame_bytes=64")


def test_what_is_not_known_at_a_point_leaves_the_rest(read: Read) -> None:
    """A saturated host polls without interrupts: it has no packets per interrupt."""
    done = read(*FULL)
    rows = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}
    assert (rows["packets_per_interrupt"], rows["rx_interrupt_rate_hz"]) == ("–", "0")
    assert float(rows["throughput_mbps"]) > 100
    assert "–: not known at this point." in done.stdout
    outputs = json.loads(read(*FULL, "--json").stdout)["outputs"]
    assert [name for name, value in outputs.items() if value == [None]] == ["packets_per_interrupt"]
    assert "not known" not in read(*FULL, "--set", "packet_cost_us=0.1").stdout


def test_points_of_a_range_without_a_finite_value_are_blank(read: Read) -> None:
    typed = (*POINT, "--over", "packets_per_interrupt=0:2:3")
    rows = [line.split() for line in read(*typed).stdout.splitlines()[1:]]
    outputs = json.loads(read(*typed, "--json").stdout)["outputs"]
    assert [row[1] == "–" for row in rows] == [True, False, False]
    assert [value is None for value in outputs["system_cpu_per_gb"]] == [True, False, False]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("perpetual-motion",), "There is no model 'perpetual-motion'"),
        (("link-bound",), "mtu_bytes"),
        (("link-bound", "--set", "mtu=1500"), "no input or parameter 'mtu'"),
        (("link-bound", "--set", "mtu_bytes=10"), "mtu_bytes must be between 68 and 65536 bytes"),
        (("link-bound", "--set", "mtu_bytes=1", "--set", "mtu_bytes=2"), "given twice"),
        (("link-bound", "--set", "mtu_bytes=1", "--over", "mtu_bytes=1:2:2"), "given twice"),
        (("link-bound", "--over", "mtu_bytes=1500:9000:70000"), "65536 are the most"),
        (("link-bound", "--over", "mtu_bytes=-1e308:1e308:3"), "-1e+308 to 1e+308: too far"),
    ],
)
def test_wrong_predictions(read: Read, arguments: tuple[str, ...], reason: str) -> None:
    done = read("predict", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr


def test_the_published_experiments_are_there_without_a_server(read: Read) -> None:
    found = json.loads(read("experiments", "--json").stdout)
    assert {e["slug"] for e in found} >= {"dillon-2004", "geist-2005-nfs", "geist-2005-points"}
    text = read("experiments").stdout
    assert "geist-2005-nfs" in text
    assert "mean of 10" in text


def test_a_surface(read: Read) -> None:
    arguments = ("surface", "geist-2005-points", "throughput_mbps", "--where", "workload=udp")
    text = read(*arguments).stdout
    assert "Throughput [Mb/s], workload udp; mean of 10, no interval known" in text
    assert "delay_ticks [ticks] ↓  mtu_bytes [bytes] →" in text
    assert "986.7" in text
    found = json.loads(read(*arguments, "--json").stdout)
    assert len(found["cells"]) == 4


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ("geist-2005-points", "throughput_mbps"),
            "Choose one level of each with --where FACTOR=VALUE (workload: tcp, udp).",
        ),
        (("geist-2005-nfs", "latency_us"), "It has rx_bytes"),
        (("geist-2005", "latency_us"), "Did you mean geist-2005-nfs"),
        (
            ("zzz", "latency_us"),
            "There is no experiment 'zzz'.\n  `coalescope experiments` lists all names.\n",
        ),
        (("geist-2005-nfs", "rx_bytes", "--where", "mtu_bytes=1"), "No cell has these levels"),
    ],
)
def test_wrong_surfaces(read: Read, arguments: tuple[str, ...], reason: str) -> None:
    done = read("surface", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr


def test_the_published_fit(process: Read) -> None:
    assert process("migrate").returncode == 0
    done = process("fit", "geist-2005-nfs", "cpu-overhead", "--method", "paper-tls", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["model"], found["method"], found["n"]) == ("cpu-overhead", "paper-tls", 27)
    values = {name: round(e["value"], 3) for name, e in found["estimates"].items()}
    assert values == {"alpha": 0.813, "beta": 0.266, "gamma": 1.110}
    assert all(len(estimate["ci95"]) == 2 for estimate in found["estimates"].values())
    assert found["estimates"]["gamma"]["unit"] == "jiffies/kinterrupt"
    assert round(found["diagnostics"]["max_abs_deviation_percent"], 2) == 1.86
    assert found["diagnostics"]["condition_number"] == pytest.approx(6.6, abs=0.05)


def test_the_fit_as_text(read: Read) -> None:
    text = read("fit", "geist-2005-nfs", "cpu-overhead").stdout
    for part in (
        "cpu-overhead by paper-tls: system_cpu_jiffies of 27 rows",
        "0.813",
        "jiffies/kinterrupt",
        "1.86 %",
        "condition number",
        "3 strata, 10000 resamples, seed 1",
        "-1.86 % at mtu_bytes 1500, delay_ticks 320",
    ):
        assert part in text


def test_a_fit_that_the_data_cannot_determine(read: Read) -> None:
    done = read("fit", "geist-2005-nfs", "cpu-overhead", "--where", "mtu_bytes=1500", "--json")
    assert done.returncode == 1
    assert "cannot be told apart" in done.stderr
    assert json.loads(done.stdout)["estimates"]["alpha"]["value"] is None


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("geist-2005-nfs", "link-bound"), "cannot be fitted"),
        (("geist-2005-points", "cpu-overhead"), "not available"),
        (("geist-2005-nfs", "cpu-overhead", "--where", "mtu=1500"), "no factor 'mtu'"),
        (("geist-2005-nfs", "cpu-overhead", "--resamples", "1000000"), "100000 resamples"),
        (("nowhere", "cpu-overhead"), "There is no experiment 'nowhere'"),
    ],
)
def test_wrong_fits(read: Read, arguments: tuple[str, ...], reason: str) -> None:
    done = read("fit", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr


def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    # far more than a pipe holds
    typed = ["predict", "link-bound", "--over", "mtu_bytes=1500:9000:60000"]
    with subprocess.Popen(
        [*COMMAND, *typed],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.readline()
        command.stdout.close()
        assert command.stderr.read() == b""
        assert command.wait(TIMEOUT_S) == 141


def test_a_terminal_without_greek(process: Callable[..., Any], shared_data: Path) -> None:
    done = process("models", data=shared_data, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "10?" in done.stdout


def test_numbers_stand_to_the_right_and_words_to_the_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table(("name", "value"), [("a", 1.0), ("long", 22.5), ("b", None), ("c", -1e-7)])
    assert capsys.readouterr().out.splitlines() == [
        "name   value",
        "a          1",
        "long    22.5",
        "b          –",
        "c     -1e-07",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "–"),
        (1500.0, "1500"),
        (0.1 + 0.2, "0.3"),
        (5_010_000_000, "5010000000"),
    ],
)
def test_values_as_people_read_them(value: float | None, text: str) -> None:
    assert shown(value) == text


@pytest.mark.fault("A14")
def test_two_levels_of_a_factor_are_both_chosen(read: Read) -> None:
    """Where one of them would be dropped, the surface would have one setting a cell."""
    both = ("--where", "workload=udp", "--where", "workload=tcp")
    done = read("surface", "geist-2005-points", "throughput_mbps", *both)
    assert done.returncode == 1
    assert "workload: tcp, udp" in done.stderr
    fit = ("fit", "geist-2005-nfs", "cpu-overhead", "--resamples", "100", "--json")
    alone, listed, twice = (
        json.loads(read(*fit, *where).stdout)
        for where in (
            ("--where", "mtu_bytes=1500"),
            ("--where", "mtu_bytes=1500,3000"),
            ("--where", "mtu_bytes=1500", "--where", "mtu_bytes=3000"),
        )
    )
    assert listed["where"] == twice["where"] == {"mtu_bytes": [1500, 3000]}
    assert listed["n"] == twice["n"] > alone["n"]


@pytest.mark.fault("A14")
def test_a_split_is_not_chosen_by_a_second_time(read: Read) -> None:
    split = ("--measure", "throughput_mbps", "--split", "workload=tcp:udp")
    done = read("compare", "geist-2005-points", *split, "--where", "workload=tcp")
    assert done.returncode == 1
    assert "workload is given with --split and with --where" in done.stderr


READING = (
    ("experiments",),
    ("changes",),
    ("token", "list"),
    ("surface", "geist-2005-nfs", "rx_bytes"),
    ("fit", "geist-2005-nfs", "cpu-overhead"),
    ("compare", "a", "b", "--measure", "drops"),
    ("plan", "a", "--measure", "drops", "--width", "1"),
    ("variance", "a", "--measure", "drops", "--factors", "a,b"),
    ("recommend", "a", "--maximise", "drops"),
    ("export", "a", "--format", "csv"),
    ("policy", "dim", "a"),
    ("verify",),
    ("publish", "site"),
    ("token", "revoke", "somebody"),
)


@pytest.mark.fault("A12")
@pytest.mark.folder_stack
@pytest.mark.parametrize("typed", READING, ids=" ".join)
def test_a_command_that_reads_makes_no_store(
    run: Read, tmp_path: Path, typed: tuple[str, ...]
) -> None:
    done = run(*typed)
    assert done.returncode == 1
    assert "There is no store in" in done.stderr
    assert "`coalescope migrate` makes a new one" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.fault("B18")
@pytest.mark.folder_stack
@pytest.mark.parametrize("typed", READING, ids=" ".join)
def test_a_command_that_reads_leaves_an_older_schema_as_it_is(
    run: Read, tmp_path: Path, typed: tuple[str, ...]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    older = open_database(None, folder)
    with older.write() as connection:
        migrations.upgrade(connection, "0005")
    older.close()
    done = run(*typed)
    assert done.returncode == 1
    assert "The store has schema 0005" in done.stderr
    assert "`coalescope migrate --data " in done.stderr
    with closing(sqlite3.connect(folder / "coalescope.sqlite")) as after:
        assert after.execute("SELECT version_num FROM alembic_version").fetchall() == [("0005",)]
