# SPDX-License-Identifier: Apache-2.0
"""The store that commands work on: the server's own, opened without a server."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from coalescope.settings import Settings
from coalescope.store import Store, open_store


def settings_of(arguments: Namespace) -> Settings:
    """Settings from the environment, with what was typed on top."""
    given = {
        "data_dir": getattr(arguments, "data", None),
        "host": getattr(arguments, "host", None),
        "port": getattr(arguments, "port", None),
    }
    return Settings(**{name: value for name, value in given.items() if value is not None})


@contextmanager
def local_store(arguments: Namespace) -> Iterator[Store]:
    """Open the local store, with the published data sets loaded."""
    store = open_store(settings_of(arguments))
    try:
        yield store
    finally:
        store.close()
