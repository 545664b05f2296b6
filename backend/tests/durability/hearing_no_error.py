# SPDX-License-Identifier: Apache-2.0
"""Mutants for the tests of failing disks: `coalescope` that does not hear what its disk says.

`write`: what cannot be written into a file is left out. `sync`: a file counts as on disk though the
disk said no. `start`: a folder is taken to be writable.
"""

import os
import sys
from contextlib import suppress
from typing import Any

from coalescope import store
from coalescope.cli import main
from coalescope.storage import object_store


def write_what_fits() -> None:
    def write(staged: Any, chunk: bytes | bytearray) -> None:
        with suppress(OSError):
            staged._file.write(chunk)
        staged._hash.update(chunk)
        staged.start = staged.start or bytes(chunk[:8])
        staged.size += len(chunk)

    object_store.ReceivedFile.write = write


def sync_in_vain() -> None:
    def sync(descriptor: int) -> None:
        with suppress(OSError):
            os.fsync(descriptor)

    object_store.sync_file = sync


def start_anywhere() -> None:
    store._check_writable = lambda data_dir: None


{"write": write_what_fits, "sync": sync_in_vain, "start": start_anywhere}[sys.argv[1]]()
sys.argv = sys.argv[sys.argv.index("coalescope") :]  # as wrapped: … python -m coalescope serve …
sys.exit(main())
