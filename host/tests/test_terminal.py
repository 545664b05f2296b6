# SPDX-License-Identifier: Apache-2.0
"""What others wrote neither steers the terminal that it is printed on nor begins a line on it."""

import ast
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import coalescope_host
import pytest
from coalescope_host.command_line import COMMANDS
from coalescope_host.protocols import SweepError
from coalescope_host.run.progress import Progress
from coalescope_host.snapshots.files import FORMAT, VERSION
from coalescope_host.terminal import (
    joined_lines,
    lines_of,
    one_line,
    print_lines,
    show_steering,
    shown,
)

from .hostile_texts import HOSTILE, STEERING, STEERS, hostile_log, hostile_server, steers

#: A name that is a part of a path.
NAME = HOSTILE.replace("/", "")
LOG = Path(__file__).parents[2] / "driver" / "testdata" / "small.runlog"
STRANGER = Path(__file__).parent / "remote" / "stranger.py"
#: What an agent answers whatever it is asked.
ANSWERS = f"""
greet()
while asked := request():
    say(json.dumps({{"id": asked["id"], "error": {HOSTILE!r}}}).encode() + b"\\n")
"""
PLAN = """
experiment = "hostile"
interface = "lo"
replicates = 2
duration_s = 1
[factors]
mtu_bytes = [1500, 3000]
workload = ["udp"]
[workloads.udp]
kind = "udp-fan-in"
[[peers]]
ssh = "root@peer"
interface = "lab0"
address = "192.0.2.7"
"""
#: What is typed for each command, in a folder with such files and such programs.
TYPED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "check": (("log.runlog",), (f"{NAME}.runlog", f"{NAME}.json"), (f"absent-{NAME}",)),
    "diff": (
        (f"{NAME}.json", "other.json"),
        (f"{NAME}.json", f"{NAME}.runlog"),
        (f"{NAME}.runlog", "log.runlog"),
        (f"absent-{NAME}", "other.json"),
    ),
    "upload": (("SERVER", f"{NAME}.runlog"), ("SERVER", f"absent-{NAME}")),
    "sweep": (
        ("plan.toml", "--dry-run"),
        (f"{NAME}.toml",),
        ("lo", f"--{NAME}", "1"),
        ("lo", f"--replicates={NAME}"),
    ),
    "tune": (("plan.toml", "--goal", "throughput", "--dry-run"), (NAME, "--goal", "cpu")),
    "init": (("lo", "--peer", "root@peer", "--force"), ("lo", "--out", f"absent/{NAME}")),
    "calibrate": ((NAME,), ("lo", "--textfile", NAME)),
    "snapshot": (("eth0",), (f"refused-{NAME}",), ("eth0", "--out", f"{NAME}.json")),
    "restore": (("--state", f"{NAME}.json"), ("--state", f"absent-{NAME}")),
    "demo": (("--duration", HOSTILE), ("--out", NAME, "--replicates", HOSTILE)),
}


def said_by(*words: str, cwd: Path, **environment: str) -> str:
    """All that the tools print."""
    done = subprocess.run(
        [sys.executable, "-m", "coalescope_host", *words],
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_no_command_prints_what_is_typed_raw(command: str, tmp_path: Path) -> None:
    printed = ""
    for words in ([HOSTILE], [f"--{HOSTILE}"]):
        printed += said_by(*filter(None, [command]), *words, cwd=tmp_path)
    assert "owned" in printed or "are required" in printed
    assert not steers(printed)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with hostile text in files, in their names, and in what programs say."""
    (tmp_path / f"{NAME}.runlog").write_bytes(LOG.read_bytes())
    (tmp_path / "log.runlog").write_bytes(hostile_log())
    for name, value in ((NAME, HOSTILE), ("other", f"{HOSTILE}\nFORGED")):
        facts = {HOSTILE: value, "list": [{"name": HOSTILE, "value": value}]}
        kept = {"format": FORMAT, "version": VERSION, "environment": facts}
        (tmp_path / f"{name}.json").write_text(json.dumps(kept))
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / f"{NAME}.toml").write_text(f"{PLAN}\n{json.dumps(HOSTILE)} = 1\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    header = json.dumps({"created_by": HOSTILE, "environment": {HOSTILE: HOSTILE}})
    logger = (
        f"case $* in *refused*) printf %s {shlex.quote(HOSTILE)} >&2; exit 1;; esac\n"
        f"printf %s {shlex.quote(header)}"
    )
    stranger = shlex.join([sys.executable, str(STRANGER), ANSWERS])
    for name, does in (("ssh", f'exec {stranger} "$@"'), ("coalescope-logger", logger)):
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    return tmp_path


@pytest.fixture
def server() -> Iterator[str]:
    with hostile_server() as url:
        yield url


@pytest.mark.parametrize("as_json", [False, True], ids=["people", "programs"])
@pytest.mark.parametrize("command", TYPED)
def test_no_command_prints_what_files_servers_and_peers_say_raw(
    command: str, as_json: bool, hostile: Path, server: str
) -> None:
    path = f"{hostile / 'programs'}:{os.environ['PATH']}"
    for typed in TYPED[command]:
        words = [f"--server={server}" if word == "SERVER" else word for word in typed]
        said = said_by(command, *words, *(["--json"] if as_json else []), cwd=hostile, PATH=path)
        assert "owned" in said, (words, said)
        assert "FORGED" in said, (words, said)
        assert "Traceback" not in said, said
        assert not steers(said), said


def test_all_commands_are_typed() -> None:
    assert TYPED.keys() == COMMANDS.keys()


def test_that_check_can_fail() -> None:
    assert STEERING.findall("\x1b[2J")
    assert not STEERING.findall("runs: µs, “quoted”, ±, ─█·, 日本, 📈")
    assert steers(f"refused: {HOSTILE}")
    assert steers("refused:\n    FORGED")
    assert not steers("refused: FORGED\n")


def test_only_one_module_prints() -> None:
    """Whatever else did would print text of others as it is."""
    package = Path(coalescope_host.__file__).parent
    found = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and re.fullmatch(r"print|sys\.std(out|err)\.write(lines)?", ast.unparse(node.func))
    ]
    assert found
    assert {place.partition(":")[0] for place in found} == {"terminal.py"}


def test_text_stays_the_same_text_in_json() -> None:
    document = json.dumps({"title": HOSTILE}, ensure_ascii=False)
    assert json.loads(shown(document)) == {"title": HOSTILE}
    assert shown("a\tb\r\nc\n") == "a\tb\r\nc\n"


def test_a_line_ends_only_where_it_is_ended() -> None:
    stream = io.StringIO()
    print_lines(stream, ["a\nb", "", "c\r\nd\te\x85"])
    assert stream.getvalue() == "a\\u000ab\n\nc\\u000d\\u000ad\te\\u0085\n"
    assert one_line(STEERS) == shown(STEERS)
    assert joined_lines("  a:\n\n b\r\n") == "a:; b"


def test_an_error_of_several_lines_is_one_in_another() -> None:
    error = SweepError("no peer", "nothing was changed")
    assert lines_of(error) == ("no peer", "nothing was changed")
    assert str(error) == "no peer; nothing was changed"
    assert lines_of(OSError(2, "No such file", "a")) == ("a: No such file",)


def test_a_bar_is_drawn_and_what_a_peer_says_in_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    show_steering()
    show_steering()  # once is enough
    progress = Progress(sys.stderr, 2, expected_s=1.0)
    progress.start(HOSTILE)
    progress.failed("run 1", HOSTILE, final=True)
    assert terminal.getvalue().count("\r\x1b[K") == 1
    assert terminal.getvalue().count("\x1b") == 1
    assert "\\u001b]0;owned\\u0007" in terminal.getvalue()
    assert "\nFORGED" not in terminal.getvalue()


@pytest.mark.parametrize("told", ["FORCE_COLOR", "PYTHON_COLORS"])
def test_a_traceback_has_no_colours_that_would_be_shown_as_text(told: str) -> None:
    """Python colours them since 3.13, and help since 3.14."""
    program = "from coalescope_host.terminal import show_steering; show_steering(); int('µ')"
    environment = {"PYTHONPATH": str(Path(coalescope_host.__file__).parents[1]), told: "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=False
    )
    assert b"ValueError: invalid literal" in done.stderr
    assert b"u001b" not in done.stderr
