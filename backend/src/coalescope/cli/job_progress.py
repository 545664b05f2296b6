# SPDX-License-Identifier: Apache-2.0
"""Ask a server for a job, say how far it is, and wait for its answer."""

import sys
import time

from coalescope_host.terminal import unfiltered

from coalescope.cli.output import printable
from coalescope.client.server import Server
from coalescope.client.source import Document, contradictory
from coalescope.errors import CoalescopeError

_LOOK_EVERY_S = 1.0


def answer_of_job(server: Server, question: Document) -> Document:
    """The job once it is done; Ctrl-C cancels it, unless somebody else had asked for it before.

    Errors: as the job's own; CoalescopeError where it was cancelled.
    """
    job, is_new = server.ask_job(question)
    line = _Line()
    try:
        while job["state"] in ("queued", "running"):
            line.show(printable(_told(job)))
            time.sleep(_LOOK_EVERY_S)
            job = server.job(job["id"])
    except KeyboardInterrupt:
        line.end()
        _leave(server, job, is_new=is_new)
        raise
    line.end()
    if job["state"] == "done":
        return job
    if job["state"] == "cancelled":
        raise CoalescopeError(
            "cancelled",
            f"The job {job['id']} was cancelled.",
            advice="Ask for it again.",
            status=409,
        )
    said = job["error"]
    if said is None:
        raise contradictory(f"the job {job['id']} failed, and nothing is said of why")
    raise CoalescopeError(
        said["code"], said["message"], where=said["where"], advice=said["advice"], status=422
    )


def _told(job: Document) -> str:
    if job["parts"] is None:
        return f"job {job['id']}: {job['state']}"
    return f"job {job['id']}: {job['state']}, {job['parts_done']} of {job['parts']} parts"


def _leave(server: Server, job: Document, *, is_new: bool) -> None:
    name = printable(job["id"])
    if is_new:
        server.cancel_job(job["id"])
        print(f"coalescope: cancelled the job {name}", file=sys.stderr)
    else:
        print(
            f"coalescope: the job {name} goes on, as it was asked for before; "
            f"`coalescope jobs cancel {name}` ends it",
            file=sys.stderr,
        )


class _Line:
    """A line on stderr that is written anew on a terminal; elsewhere a line for each state."""

    def __init__(self) -> None:
        self._rewrites = sys.stderr.isatty()
        self._said = ""

    def show(self, text: str) -> None:
        """Write it, unless it stands there."""
        if self._rewrites:
            unfiltered(sys.stderr).write("\r\x1b[K")
            print(text, end="", file=sys.stderr, flush=True)
        elif text.partition(",")[0] != self._said:
            self._said = text.partition(",")[0]
            print(text, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Take the line away."""
        if self._rewrites:
            unfiltered(sys.stderr).write("\r\x1b[K")
