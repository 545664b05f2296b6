# SPDX-License-Identifier: Apache-2.0
"""What a command answers on standard output: lines for people, or one JSON object at its end."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from coalescope_host.terminal import print_json, print_lines


class Answer:
    """The answer of one command. `docs/host-answers.md` describes the members of each."""

    def __init__(self, command: str, *, as_json: bool) -> None:
        self._as_json = as_json
        self._members: dict[str, object] = {"command": command}

    def tell(self, lines: Iterable[str], /, **members: object) -> None:
        """Say the lines to people, or the same as members of the object to programs."""
        self._members |= members
        if not self._as_json:
            print_lines(sys.stdout, lines)

    def end(self, status: int, kind: str | None = None, message: str = "") -> int:
        """Print the object; `kind` and `message` say why the command ended early."""
        error = None if kind is None else {"kind": kind, "message": message}
        if self._as_json:
            print_json({**self._members, "status": status, "error": error})
        return status
