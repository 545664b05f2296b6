# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host upload`: sends run logs to a store."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from coalescope_host.plan.server_url import A_SERVER, is_server
from coalescope_host.run.upload import Outcome, send, token

from .ending import FAILED, UsageError, ended, say


def run(options: Namespace) -> int:
    """Send logs; 1 unless the store has all of them, 2 usage."""
    return ended("upload", lambda: _upload(options))


def _upload(options: Namespace) -> int:
    if not is_server(options.server):
        raise UsageError(f"--server {A_SERVER}")
    secret = token(options.token_file)
    arrived = []
    for path in _logs(options.paths):
        gone = Outcome("refused", "there is no such file")
        outcome = send(options.server, path, secret) if path.exists() else gone
        arrived.append(outcome.arrived)
        stream = sys.stdout if outcome.arrived else sys.stderr
        stream.write(f"{outcome.outcome:8}{path}{': ' if outcome.reason else ''}{outcome.reason}\n")
    if not arrived:
        say("There is no run log (*.runlog) here.")
    return 0 if arrived and all(arrived) else FAILED


def _logs(paths: Sequence[Path]) -> list[Path]:
    return [
        log
        for path in paths
        for log in (sorted(path.rglob("*.runlog")) if path.is_dir() else [path])
    ]
