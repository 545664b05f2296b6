# SPDX-License-Identifier: Apache-2.0
"""coalescope migrate."""

from argparse import Namespace

from coalescope.cli.local_store import changing, warn_without_datasets
from coalescope.db.migrations import HEAD
from coalescope.experiments.service import list_experiments
from coalescope.store import open_store


def run(arguments: Namespace) -> int:
    """Make the store, or bring it to this program's schema, with all published data sets."""
    settings = changing(arguments)
    warn_without_datasets(settings)
    store = open_store(settings, migrates=True)
    try:
        with store.database.read() as connection:
            count = len(list_experiments(connection))
    finally:
        store.close()
    experiments = "experiment" if count == 1 else "experiments"
    print(f"The store has schema {HEAD} and {count} {experiments}.")
    return 0
