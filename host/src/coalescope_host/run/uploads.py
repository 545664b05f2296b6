# SPDX-License-Identifier: Apache-2.0
"""Uploads between runs, never during one: they would be part of what is measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from .journal import Entry, Journal, JournalError
from .upload import Outcome, put_json, send

_PAUSE_S = 60.0


class Uploads:
    """What a store has of a sweep, by the journal; failures wait for another try."""

    def __init__(
        self,
        journal: Journal,
        folder: Path,
        server: str,
        secret: str | None,
        network: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """`network` enters the network that the server is reached through."""
        self._journal = journal
        self._folder = folder
        self.server = server
        self._secret = secret
        self._network = network
        self._not_before = 0.0
        self.trouble = ""

    def pending(self) -> list[Entry]:
        """Runs that are done and that the store has not judged."""
        judged = {
            entry["run"]
            for entry in self._journal.of_type("upload")
            if entry.get("server") == self.server
        }
        return [entry for entry in _done(self._journal) if entry["id"] not in judged]

    def send_pending(self, between: Callable[[], None], *, now: bool = False) -> None:
        """Send what waits; after a failure, not again for a minute unless `now`.

        `between` is called before each file, and may end it.
        """
        if not now and time.monotonic() < self._not_before:
            return
        for entry in self.pending():
            between()
            with self._network():
                outcome = send(self.server, self._folder / entry["log"], self._secret)
            self.trouble = outcome.reason
            if outcome.outcome == "failed":
                self._not_before = time.monotonic() + _PAUSE_S
                return
            try:
                self._journal.append(**_line(entry, self.server, outcome))
            except JournalError as error:  # it is sent again later, which changes nothing there
                self.trouble = str(error)
                self._not_before = time.monotonic() + _PAUSE_S
                return

    def put(self, path: str, document: object) -> bool:
        """Put a document at the store; whether it took it."""
        with self._network():
            return put_json(self.server, path, document, self._secret)

    def arrived(self) -> int:
        """How many runs the store has."""
        return len(
            {
                entry["run"]
                for entry in self._journal.of_type("upload")
                if entry.get("server") == self.server and Outcome(entry["outcome"]).arrived
            }
        )

    def refused(self) -> list[Entry]:
        """What the store will not have."""
        return [
            entry
            for entry in self._journal.of_type("upload")
            if entry.get("server") == self.server and entry["outcome"] == "refused"
        ]


def _done(journal: Journal) -> Iterator[Entry]:
    return (entry for entry in journal.of_type("run") if entry["status"] == "done")


def _line(entry: Entry, server: str, outcome: Outcome) -> dict[str, Any]:
    return {
        "type": "upload",
        "run": entry["id"],
        "log": entry["log"],
        "server": server,
        "outcome": outcome.outcome,
        "reason": outcome.reason,
    }
