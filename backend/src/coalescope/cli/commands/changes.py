# SPDX-License-Identifier: Apache-2.0
"""coalescope changes."""

from argparse import Namespace

from coalescope.cli.local_store import local_store
from coalescope.cli.output import print_json, print_table
from coalescope.tokens.service import newest_changes


def run(arguments: Namespace) -> int:
    """Print who changed the store, the newest change first."""
    with local_store(arguments) as store, store.database.read() as connection:
        found = newest_changes(connection, arguments.limit)
    if arguments.json:
        print_json([vars(change) for change in found])
        return 0
    print_table(("when", "who", "what"), [(c.at, c.who, c.what) for c in found])
    return 0
