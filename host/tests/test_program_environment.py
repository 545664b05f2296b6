# SPDX-License-Identifier: Apache-2.0
"""Every program that the host tools start is given its environment, and not the caller's whole."""

import ast
from pathlib import Path

import coalescope_host
import pytest
from coalescope_host.remote.agent import Program
from coalescope_host.settings import program

PACKAGE = Path(coalescope_host.__file__).parent
STARTS = {"run", "Popen", "call", "check_call", "check_output"}
ALSO_START = {"system", "popen", "execv", "execve", "execvp", "spawnv", "posix_spawn"}
LISTED = "program_environment("
FOR_SSH = "caller_environment()"


def environments(source: str) -> list[str]:
    """Of each call that starts a program, the environment that it names."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        module = node.func.value
        if not isinstance(module, ast.Name):
            continue
        if module.id == "os" and node.func.attr in ALSO_START:
            found.append("none can be named")
        if module.id == "subprocess" and node.func.attr in STARTS:
            given = [ast.unparse(word.value) for word in node.keywords if word.arg == "env"]
            found.append(given[0] if given else "the caller's whole")
    return found


def test_each_names_it() -> None:
    found = {
        str(path.relative_to(PACKAGE)): environments(path.read_text(encoding="utf-8"))
        for path in PACKAGE.rglob("*.py")
    }
    assert sum(map(len, found.values())) >= 8
    assert found.pop("remote/connection.py") == [FOR_SSH]
    for file, given in found.items():
        assert all(LISTED in environment for environment in given), (file, given)


def test_that_check_can_fail() -> None:
    assert environments("subprocess.run(['true'])") == ["the caller's whole"]
    assert environments("subprocess.Popen(x, env={**os.environ})") == ["{**os.environ}"]
    assert environments("os.system('true')") == ["none can be named"]


def test_a_program_at_a_peer_gets_the_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    started = Program(["env"], None, tmp_path / "out", tmp_path / "err", 0)
    started.start()
    assert started.process is not None
    started.process.wait()
    assert "PATH=" in started.output.read_text()
    assert "secret" not in started.output.read_text()


def test_a_program_of_the_system_gets_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert "secret" not in program.run(["env"], "the environment")
