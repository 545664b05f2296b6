# SPDX-License-Identifier: Apache-2.0
"""coalescope changes."""

from argparse import Namespace

from coalescope.cli.output import print_json, print_table
from coalescope.cli.places import reading


def run(arguments: Namespace) -> int:
    """Print who changed the store, the newest change first."""
    with reading(arguments) as place:
        found = place.changes(arguments.limit)
    if arguments.json:
        print_json(found)
        return 0
    print_table(("when", "who", "what"), [(c["at"], c["who"], c["what"]) for c in found])
    return 0
