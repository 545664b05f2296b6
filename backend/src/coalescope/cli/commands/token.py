# SPDX-License-Identifier: Apache-2.0
"""coalescope token create, list and revoke."""

import sys
from argparse import Namespace

from coalescope.cli.local_store import changed_store, local_store
from coalescope.cli.output import print_json, print_table, printable
from coalescope.tokens import service


def run(arguments: Namespace) -> int:
    """Do what the second word says."""
    match arguments.action:
        case "create":
            return _create(arguments)
        case "revoke":
            return _revoke(arguments)
        case _:
            return _list(arguments)


def _create(arguments: Namespace) -> int:
    with changed_store(arguments) as store, store.database.write() as connection:
        token = service.create(connection, arguments.name, arguments.scope, arguments.days)
    print(token)
    print(
        f"This is the only time that the token {arguments.name!r} is shown. Send it as "
        "'Authorization: Bearer TOKEN', type it into the page, or keep it in a file for "
        "--token-file or in COALESCOPE_TOKEN for `coalescope upload` and `coalescope-host`.",
        file=sys.stderr,
    )
    return 0


def _revoke(arguments: Namespace) -> int:
    with local_store(arguments):
        pass  # there is one: nothing is revoked where there is nothing
    with changed_store(arguments) as store, store.database.write() as connection:
        service.revoke(connection, arguments.name)
    print(f"revoked {printable(arguments.name)}")
    return 0


def _list(arguments: Namespace) -> int:
    with local_store(arguments) as store, store.database.read() as connection:
        found = service.every(connection)
    if arguments.json:
        print_json([vars(token) for token in found])
        return 0
    print_table(
        ("name", "scope", "state", "created", "last used", "expires"),
        [(t.name, t.scope, t.state, t.created_at, t.last_used_at, t.expires_at) for t in found],
    )
    return 0
