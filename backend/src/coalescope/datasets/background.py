# SPDX-License-Identifier: Apache-2.0
"""Loads bundles of run logs while the server already answers."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import Literal

from coalescope.datasets.bundles import StoppedError
from coalescope.datasets.loader import load_dataset
from coalescope.datasets.source import Dataset
from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.storage.object_store import ObjectStore

_LOG = logging.getLogger("coalescope.datasets")


@dataclass(frozen=True)
class DatasetState:
    """A data set that is not there yet, and why."""

    slug: str
    state: Literal["loading", "failed"]
    message: str | None = None


class BackgroundLoader:
    """Loads data sets one after another in a thread of its own."""

    def __init__(self, database: Database, store: ObjectStore, datasets: Sequence[Dataset]) -> None:
        self._database = database
        self._store = store
        self._datasets = datasets
        self._states = {d.slug: DatasetState(d.slug, "loading") for d in datasets}
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="data sets", daemon=True)

    def start(self) -> None:
        """Begin, if there is anything to load."""
        if self._datasets:
            self._thread.start()

    def stop(self) -> None:
        """End soon, with the data set at hand loaded whole or not at all; returns when ended."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def states(self) -> list[DatasetState]:
        """What is not loaded yet, or could not be."""
        return list(self._states.values())

    def _run(self) -> None:
        for dataset in self._datasets:
            try:
                load_dataset(self._database, self._store, dataset, self._stopping.is_set)
                del self._states[dataset.slug]
            except StoppedError:
                return
            except CoalescopeError as error:
                self._fail(dataset, f"{error.message} {error.where}")
            except Exception:
                _LOG.exception("The data set %s could not be loaded.", dataset.slug)
                self._fail(dataset, "The server could not load it; its log says why.")

    def _fail(self, dataset: Dataset, message: str) -> None:
        _LOG.error("The data set %s could not be loaded: %s", dataset.slug, message)
        self._states[dataset.slug] = DatasetState(dataset.slug, "failed", message)
