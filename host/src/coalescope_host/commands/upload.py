# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host upload`: sends run logs to a store."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from coalescope_host.exit_statuses import FAILED
from coalescope_host.run.upload import Outcome, send, token
from coalescope_host.terminal import say

from .answer import Answer
from .ending import check_server, ended


def run(options: Namespace) -> int:
    """Send logs; 1 unless the store has all of them, 2 usage."""
    return ended("upload", options, lambda answer: _upload(options, answer))


def _upload(options: Namespace, answer: Answer) -> int:
    server = check_server(options.server)
    secret = token(options.token_file)
    outcomes: dict[Path, Outcome] = {}
    for path in _logs(options.paths):
        gone = Outcome("refused", "there is no such file")
        outcome = send(server, path, secret) if path.exists() else gone
        outcomes[path] = outcome
        line = f"{outcome.outcome:8}{path}{': ' if outcome.reason else ''}{outcome.reason}"
        if outcome.arrived:
            answer.tell([line])
        else:
            say(line)
    answer.tell((), files=[_listed(path, outcome) for path, outcome in outcomes.items()])
    if not outcomes:
        say("There is no run log (*.runlog) here.")
    return 0 if outcomes and all(o.arrived for o in outcomes.values()) else FAILED


def _listed(path: Path, outcome: Outcome) -> dict[str, str | None]:
    return {"file": str(path), "outcome": outcome.outcome, "reason": outcome.reason or None}


def _logs(paths: Sequence[Path]) -> list[Path]:
    return [
        log
        for path in paths
        for log in (sorted(path.rglob("*.runlog")) if path.is_dir() else [path])
    ]
