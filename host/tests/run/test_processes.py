# SPDX-License-Identifier: Apache-2.0
"""Programs that the sweep starts on this host."""

import os

import pytest
from coalescope_host.run.processes import LocalProcess
from timeouts import TIMEOUT_S

NAMES = "env | cut -d= -f1 | sort >&2; echo $HOME $USER >&2"


def said(program: LocalProcess) -> list[str]:
    assert program.wait(TIMEOUT_S)
    return program.stop().split("; ")


def test_programs_do_not_get_what_the_caller_has(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COALESCOPE_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "PYTHONPATH"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_TIME", "C.UTF-8")
    *names, identity = said(LocalProcess(["sh", "-c", NAMES]))
    assert set(names) <= {
        *("HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_TIME", "LOGNAME", "PATH", "PWD"),
        *("SUDO_USER", "TZ", "USER", "SHLVL", "_", "OLDPWD"),
    }
    assert {"LC_TIME", "PATH"} <= set(names)
    assert identity


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts programs as somebody else")
def test_they_have_the_home_of_who_runs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/root")
    assert said(LocalProcess(["sh", "-c", NAMES], "nobody"))[-1] == "/nonexistent nobody"
    acting = LocalProcess(["sh", "-c", NAMES], acts_for="nobody")
    assert said(acting)[-1] == "/nonexistent nobody", "the logger passes it on to the workload"
