# SPDX-License-Identifier: Apache-2.0
"""Commands are run as a person types them, in this process or in one of their own."""

import io
import os
import re
import signal
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest
from coalescope.cli import main
from coalescope.cli.parser import build_parser
from timeouts import TIMEOUT_S

from .. import stack as stacks

COMMAND = [sys.executable, "-W", "error", "-m", "coalescope"]
Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., AbstractContextManager[tuple[str, "subprocess.Popen[str]"]]]


def environment(data: Path, **more: str) -> dict[str, str]:
    own = {name: text for name, text in os.environ.items() if not name.startswith("COALESCOPE_")}
    chosen = stacks.current().environment(data)
    return own | chosen | {"COALESCOPE_DATA_DIR": str(data), "COLUMNS": "100"} | more


parser_of_all = cache(build_parser)


@cache
def parsers() -> dict[str, ArgumentParser]:
    """That of each command, also of those below others (token create), by what is typed."""
    found: dict[str, ArgumentParser] = {}

    def collect(parser: ArgumentParser, path: str) -> None:
        for action in parser._actions:
            if isinstance(action, _SubParsersAction):
                for name, below in action.choices.items():
                    found[f"{path} {name}".lstrip()] = below
                    collect(below, f"{path} {name}".lstrip())

    collect(parser_of_all(), "")
    return found


def statuses_told(command: str) -> set[int]:
    """The exit statuses that the help of a command names; of all commands, for what is none."""
    parser = parsers().get(command, parser_of_all())
    said = " ".join(parser.format_help().partition("Exit status: ")[2].split())
    return {int(found) for found in re.findall(r"(?:^|; )(\d+) ", said)}


def _as_told(done: subprocess.CompletedProcess[str], command: object) -> None:
    assert done.returncode in statuses_told(str(command)), (command, done.returncode)


@pytest.fixture(autouse=True)
def on_stack(stack: stacks.Folder) -> None:
    """Every test here ends with its stores forgotten."""


@pytest.fixture(scope="session")
def shared_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store for commands that only read."""
    return tmp_path_factory.mktemp("store") / "data"


@pytest.fixture
def process(tmp_path: Path) -> Run:
    """Run a command in a process of its own, and insist that nothing is a traceback."""

    def run_process(
        *arguments: object, data: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            env=environment(data or tmp_path / "data", **env),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            cwd=tmp_path,
            check=False,
        )
        assert "Traceback" not in done.stderr
        _as_told(done, arguments[0])
        return done

    return run_process


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, which is quicker, on a store of this test's own.

    What `main` raises, which would be a traceback, fails the test.
    """

    def run_here(
        *arguments: object, data: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        out, complaints = io.StringIO(), io.StringIO()
        typed = [str(argument) for argument in arguments]
        with monkeypatch.context() as patch, redirect_stdout(out), redirect_stderr(complaints):
            patch.chdir(tmp_path)
            for name in [name for name in os.environ if name.startswith("COALESCOPE_")]:
                patch.delenv(name)
            for name, text in environment(data or tmp_path / "data", **env).items():
                patch.setenv(name, text)
            status = main(typed)
        done = subprocess.CompletedProcess(typed, status, out.getvalue(), complaints.getvalue())
        _as_told(done, arguments[0])
        return done

    return run_here


@pytest.fixture
def read(run: Run, shared_data: Path) -> Run:
    """Run a command on the store that all reading tests share."""
    if not shared_data.exists():
        assert run("migrate", data=shared_data).returncode == 0

    def read_command(*arguments: object) -> subprocess.CompletedProcess[str]:
        return run(*arguments, data=shared_data)

    return read_command


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Run a server on a free port until the test is done with it."""
    return serving_in(tmp_path)


def serving_in(folder: Path) -> Serve:
    """What runs a server on a free port, its store below that folder."""

    @contextmanager
    def serving(*arguments: str, **env: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
        server = subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", *arguments],
            env=environment(folder / "served", **env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        assert server.stdout is not None
        try:
            said = server.stdout.readline()
            found = re.search(r"http://\S+", said)
            assert found, said + (server.stderr.read() if server.stderr else "")
            yield found[0], server
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGTERM)
            try:
                _, complaints = server.communicate(timeout=TIMEOUT_S)
            finally:
                server.kill()
            assert "Traceback" not in complaints

    return serving
