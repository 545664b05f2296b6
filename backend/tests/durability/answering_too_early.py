# SPDX-License-Identifier: Apache-2.0
"""A mutant for the test of sudden ends: `coalescope` that stores an upload after it answered."""

import sys
import time
from threading import Thread
from typing import Any

from coalescope.cli import main
from coalescope.errors import CoalescopeError
from coalescope.uploads import service

#: Longer than it is let live: what it acknowledged last is never stored.
LATER_S = 30

_accept = service.accept


def answer_first(database: Any, object_store: Any, staged: Any, *asked: Any) -> Any:
    content = staged.path.read_bytes()

    def store() -> None:
        time.sleep(LATER_S)
        with object_store.stage() as again:
            again.write(content)
            _accept(database, object_store, again, *asked)

    Thread(target=store, daemon=True).start()
    raise CoalescopeError("stored", "It will be.", status=201)


service.accept = answer_first
sys.argv = sys.argv[sys.argv.index("coalescope") :]  # as wrapped: … python -m coalescope serve …
sys.exit(main())
