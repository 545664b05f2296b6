# SPDX-License-Identifier: Apache-2.0
"""A mutant for the test of the process beside the server: `coalescope` whose process stores what
it was sent after it said that it is stored.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from coalescope.cli import main
from coalescope.errors import CoalescopeError
from coalescope.untrusted.processes import serve_requests
from coalescope.uploads import ingest_worker
from coalescope.uploads.ingest_worker import Batch, IngestWorker, SentLog, WorkerOutcome

BESIDE = "beside"
_begin = IngestWorker.__init__


def copied(log: SentLog) -> SentLog:
    """The server removes its own with the answer."""
    path = log.file.path.with_name(f"{log.file.sha256}-again")
    path.write_bytes(log.file.path.read_bytes())
    return replace(log, file=replace(log.file, path=path))


def answer_first(answers_to: Callable[[Batch], Iterator[object]]) -> None:
    def answers(turn: Batch) -> Iterator[object]:
        late = answers_to(replace(turn, logs=[copied(log) for log in turn.logs]))
        yield next(late)
        yield [
            WorkerOutcome(stored=CoalescopeError("stored", "It will be.", status=201))
            for _ in turn.logs
        ]
        time.sleep(0.05)
        next(late)

    serve_requests(answers)


def begin_this(self: IngestWorker, database: Any, settings: Any) -> None:
    _begin(self, database, settings)
    self._command = (sys.executable, __file__, BESIDE, str(settings.data_dir))


if sys.argv[1] == BESIDE:
    ingest_worker.serve_requests = answer_first
    del sys.argv[1]
    ingest_worker.main()
else:
    IngestWorker.__init__ = begin_this  # type: ignore[method-assign]
    sys.argv = sys.argv[sys.argv.index("coalescope") :]  # as wrapped: … -m coalescope serve …
    sys.exit(main())
