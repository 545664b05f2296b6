# SPDX-License-Identifier: Apache-2.0
"""Runs a program of the system to its end, never through a shell."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence

from ..program_environment import program_environment
from ..terminal import joined_lines
from .errors import SettingError

COMMAND_S = 60.0


def run(
    command: Sequence[str], what: str, *, text: str | None = None, seconds: float = COMMAND_S
) -> str:
    """Run it and return what it printed.

    Raises:
        SettingError: if it is not there, fails or takes longer; `what` says what was to be done.
    """
    try:
        done = subprocess.run(  # noqa: S603
            command,
            input=text,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            env=program_environment(),
        )
    except OSError as error:
        raise SettingError(f"{what}: `{shlex.join(command)}`: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise SettingError(
            f"{what}: `{shlex.join(command)}` did not end within {seconds:g} s"
        ) from None
    if done.returncode:
        said = joined_lines(done.stderr or done.stdout) or f"exit status {done.returncode}"
        raise SettingError(f"{what}: `{shlex.join(command)}`: {said}")
    return done.stdout


def output(command: Sequence[str]) -> str | None:
    """What it printed; None if it is not there or fails."""
    try:
        return run(command, "")
    except SettingError:
        return None
