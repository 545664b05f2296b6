# SPDX-License-Identifier: Apache-2.0
"""Asks the logger what it would write of an interface's surroundings."""

import json
import subprocess
import time
from collections.abc import Mapping

from coalescope_host.program_environment import program_environment
from coalescope_host.terminal import joined_lines

from .files import FORMAT, VERSION

LOGGER = "coalescope-logger"
_WITHIN_S = 30.0


class NotTakenError(Exception):
    """The logger gave none; the text says why."""


def take(interface: str, *, redact_host: bool = False) -> Mapping[str, object]:
    """The document of a snapshot: what docs/snapshots.md describes.

    Raises:
        NotTakenError: if the logger is not there, refuses, or does not answer.
    """
    hidden = ["--redact", "host"] if redact_host else []
    command = [LOGGER, "--preview", "--interface", interface, "--output", "none.runlog", *hidden]
    try:
        done = subprocess.run(  # noqa: S603
            command,
            capture_output=True,
            timeout=_WITHIN_S,
            check=False,
            env=program_environment(None),
        )
    except FileNotFoundError:
        raise NotTakenError(
            f"{LOGGER} is not in PATH: it says what surrounds an interface (make logger)"
        ) from None
    except subprocess.TimeoutExpired:
        raise NotTakenError(f"the logger did not answer within {_WITHIN_S:g} s") from None
    if done.returncode:
        said = joined_lines(done.stderr.decode(errors="replace"))
        raise NotTakenError(f"the logger says: {said.removeprefix(f'{LOGGER}: ')}")
    header = json.loads(done.stdout)
    return {
        "format": FORMAT,
        "version": VERSION,
        "taken_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "created_by": header["created_by"],
        "environment": {
            name: value for name, value in header["environment"].items() if name != "command"
        },
    }
