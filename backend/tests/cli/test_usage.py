# SPDX-License-Identifier: Apache-2.0
"""What can be typed, and exit status 2 for what cannot."""

import json
import pkgutil
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli import commands
from coalescope.cli.output import mean_shown
from coalescope.cli.parser import build_parser, parse
from timeouts import TIMEOUT_S

from .conftest import COMMAND, environment, parsers

COMMANDS = [typed for typed in parsers() if " " not in typed]


def test_help_names_every_command(process: Callable[..., Any]) -> None:
    done = process("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"\n    {command}" in done.stdout
    assert process("--version").stdout.startswith("coalescope 0")


def test_help_is_quick(process: Callable[..., Any]) -> None:
    """Nothing heavy is loaded before it is needed."""
    done = process("--help", PYTHONPROFILEIMPORTTIME="1")
    for heavy in ("numpy", "fastapi", "sqlalchemy", "pydantic", "httpx"):
        assert f" {heavy}\n" not in done.stderr
    assert " argparse\n" in done.stderr, "control: imports are listed"


@pytest.mark.parametrize(
    "typed",
    [
        ("upload", "table.csv"),
        ("upload", "absent.csv"),
        ("upload", "table.csv", "--token-file", "absent"),
    ],
)
def test_what_only_talks_to_a_server_loads_neither_server_nor_store(
    typed: tuple[str, ...], process: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text("mtu_bytes,throughput_mbps\n1500,900\n")
    words = [str(tmp_path / w) if w.split(".")[0] in ("table", "absent") else w for w in typed]
    done = process(*words, "--server", "http://127.0.0.1:9", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 1
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    servers = {"starlette", "fastapi", "uvicorn", "sqlalchemy", "alembic", "pysqlite3"}
    assert not loaded & {*servers, "coalescope.web", "coalescope.db.engine"}
    assert "httpx" in loaded, "control: imports are listed"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        build_parser().parse_args([command, "--help"])
    assert done.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: coalescope {command}" in said
    with pytest.raises(SystemExit):
        parse([command, "--help"])
    assert capsys.readouterr().out == said, "as where the options of all are there"


def test_the_help_of_all_needs_no_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    assert capsys.readouterr().out == build_parser().format_help()


def test_every_command_has_its_module_and_every_module_its_command() -> None:
    asked = {parsers()[command].get_default("module") for command in COMMANDS}
    assert asked == {
        f"{commands.__name__}.{each.name}" for each in pkgutil.iter_modules(commands.__path__)
    }


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "required: COMMAND"),
        pytest.param("fly", "there is no command 'fly'", marks=pytest.mark.fault("B11")),
        pytest.param("experiment", "Did you mean experiments", marks=pytest.mark.fault("B11")),
        pytest.param("--data x models", "--data stands before", marks=pytest.mark.fault("B11")),
        pytest.param(
            "recommend lab --maximize throughput_mbps",
            "usage: coalescope recommend",
            marks=pytest.mark.fault("B11"),
        ),
        pytest.param(
            "recommend lab --maximize throughput_mbps",
            "Did you mean --maximise",
            marks=pytest.mark.fault("B11"),
        ),
        ("predict", "MODEL --model is required"),
        ("predict link-bound --set mtu_bytes", "is not of the form NAME=VALUE"),
        ("predict link-bound --set mtu_bytes=", "is not of the form NAME=VALUE"),
        ("predict link-bound --set mtu_bytes=wide", "'wide' is not a number"),
        ("predict link-bound --set mtu_bytes=nan", "is not a finite number"),
        ("predict link-bound --over mtu_bytes=1:2", "is not of the form NAME=LO:HI:N"),
        ("predict link-bound --over mtu_bytes=1:2:2.5", "is not a whole number"),
        ("fit geist-2005-nfs", "MODEL --model is required"),
        ("fit a b --method guess", "invalid choice: 'guess'"),
        ("fit a b --where mtu", "is not of the form NAME=VALUE"),
        ("fit a b --seed -1", "is negative"),
        ("export geist-2005-nfs", "required: --format"),
        ("export geist-2005-nfs --format xlsx", "invalid choice: 'xlsx'"),
        ("compare a b", "required: --measure"),
        ("compare a b --measure drops --fail-if-worse 3", "unrecognized arguments: 3"),
        ("compare a b --measure drops --fail-if-worse --allow -1", "is negative"),
        ("compare a b --measure drops --fail-if-worse --allow =2%", "MEASURE=PERCENT"),
        ("compare a b --measure drops --fail-if-worse --allow few", "is not a number"),
        ("plan a --measure drops --width 0", "is not positive"),
        ("variance a --measure drops --factors a,,b", "is not of the form NAME,NAME"),
        pytest.param(
            "compare a --measure drops --split workload=tcp",
            "is not of the form FACTOR=LEVEL:LEVEL",
            marks=pytest.mark.fault("B13"),
        ),
        pytest.param(
            "variance a --measure drops --factors mtu_bytes",
            "does not name two",
            marks=pytest.mark.fault("B13"),
        ),
        ("check", "required: FILE"),
        ("upload a.runlog", "required: --server"),
        ("upload a.runlog --server localhost:8000", "is not an address"),
        ("upload a.runlog --server http://host:99999", "is not an address"),
        ("upload a.runlog --server http://host --parallel 0", "is not between 1 and 256"),
        ("publish site --at example.org/site", "is not an address such as https://"),
        ("policy dim --clients 4 --wait-weight 1e308", "is more than 1000"),
        ("policy dim --clients 4 --interrupt-cost 1e308", "is more than 1000000"),
        ("policy dim --clients 4 --intervals 8,1e12", "is more than 1000000"),
        ("serve --port 65536", "is not a port"),
        ("serve --port http", "is not a whole number"),
        ("import a.csv --kind invented", "invalid choice: 'invented'"),
    ],
)
def test_wrong_usage(typed: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        parse(typed.split())
    assert done.value.code == 2
    assert reason in capsys.readouterr().err


def test_wrong_usage_is_status_2(process: Callable[..., Any]) -> None:
    done = process("fly")
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: coalescope" in done.stderr


def test_a_full_disk_behind_the_output(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "models"],
            env=environment(tmp_path / "data"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "coalescope: No space left on device\n")


def test_settings_from_the_environment_are_checked(run: Callable[..., Any]) -> None:
    done = run("experiments", COALESCOPE_PORT="eighty")
    assert done.returncode == 1
    assert "COALESCOPE_PORT" in done.stderr


@pytest.mark.folder_stack
def test_a_store_that_is_none(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = run("experiments", "--data", tmp_path / "file")
    assert done.returncode == 1
    assert "file" in done.stderr
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "coalescope.sqlite").write_text("not a database " * 100)
    done = run("experiments", "--data", tmp_path / "broken")
    assert done.returncode == 1
    assert "The database is damaged" in done.stderr


@pytest.mark.parametrize(
    "typed",
    [
        "experiments",
        "surface geist-2005-nfs rx_bytes",
        "fit geist-2005-nfs cpu-overhead",
        "export geist-2005-nfs --format csv",
    ],
)
def test_a_store_that_was_typed_must_be_there(
    typed: str, run: Callable[..., Any], tmp_path: Path, shared_data: Path
) -> None:
    mistyped = tmp_path / "dta"
    done = run(*typed.split(), "--data", mistyped)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"There is no store in {str(mistyped)!r}" in done.stderr
    assert not mistyped.exists()
    run("migrate", data=shared_data)
    assert run(*typed.split(), "--data", shared_data).returncode == 0


def test_import_makes_the_store_that_was_typed(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "lab.csv").write_text("mtu_bytes,replicate,drops\n1500,1,3\n")
    done = run("import", tmp_path / "lab.csv", "--data", tmp_path / "new")
    assert (done.returncode, done.stderr) == (0, "")
    assert run("experiments", "--data", tmp_path / "new").returncode == 0


def test_data_sets_that_are_named_must_be_there(run: Callable[..., Any], tmp_path: Path) -> None:
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.mkdir()
    for typed in (("migrate",), ("serve", "--port", "0")):
        done = run(*typed, COALESCOPE_DATASETS_DIR=str(missing))
        assert (done.returncode, done.stdout) == (1, "")
        assert str(missing) in done.stderr
        assert "COALESCOPE_DATASETS_DIR" in done.stderr
    assert run("migrate", COALESCOPE_DATASETS_DIR=str(empty)).stderr == ""
    done = run("experiments", "--json", COALESCOPE_DATASETS_DIR=str(empty))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


def test_data_sets_that_are_not_beside_the_program_are_missed(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("migrate").stderr == ""
    monkeypatch.setattr("coalescope.shipped._checkout", lambda: tmp_path)
    done = run("migrate", data=tmp_path / "other")
    assert done.returncode == 0
    assert "COALESCOPE_DATASETS_DIR" in done.stderr


@pytest.mark.parametrize(
    "url", ["nonsense", "foo://somewhere/a", "postgresql+nodriver://u:hush@h/d"]
)
def test_a_database_url_that_is_none(url: str, run: Callable[..., Any]) -> None:
    done = run("experiments", COALESCOPE_DATABASE_URL=url)
    assert done.returncode == 1
    assert "COALESCOPE_DATABASE_URL" in done.stderr
    assert "hush" not in done.stderr


def test_an_argument_that_is_not_text(process: Callable[..., Any]) -> None:
    assert process("migrate").returncode == 0
    done = process("surface", "n\udcffope", "drops")
    assert done.returncode == 1
    assert "not UTF-8" in done.stderr
    good = process("surface", "größe", "drops")
    assert "no experiment 'größe'" in good.stderr


def test_output_may_be_closed(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.join(COMMAND)} models --json >&-"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_description_of_the_api(run: Callable[..., Any]) -> None:
    assert "/api/uploads" in json.loads(run("openapi").stdout)["paths"]


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (101.646, 0.452, "101.6 ± 0.5"),
        (101.646, 0.152, "101.65 ± 0.15"),
        (941.48, 12.3, "941 ± 12"),
        (11686.2, 13000.0, "12000 ± 13000"),
        (3.28, 31.0, "3.3 ± 30"),
        (-0.4, 12.0, "-0.40 ± 12"),
        (5.0, 0.0, "5 ± 0"),
    ],
)
def test_a_mean_has_the_digits_that_its_interval_leaves(
    mean: float, half: float, text: str
) -> None:
    assert mean_shown(mean, (mean - half, mean + half)) == text


def test_a_misspelt_option_is_named_although_one_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["upload", "x", "--sever", "y"])
    assert ended.value.code == 2
    assert "Did you mean --server" in capsys.readouterr().err
