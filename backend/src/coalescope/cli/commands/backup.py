# SPDX-License-Identifier: Apache-2.0
"""coalescope backup DIR."""

from argparse import Namespace
from dataclasses import asdict

from coalescope.backups.service import Copied, back_up
from coalescope.cli.commands.verify import print_report
from coalescope.cli.exit_statuses import done_if
from coalescope.cli.local_store import settings_of, warn_of_readers
from coalescope.cli.output import print_json
from coalescope.store import open_for_reading


def run(arguments: Namespace) -> int:
    """Copy the local store; 1 if the copy is not sound."""
    settings = settings_of(arguments)
    store = open_for_reading(settings.data_dir, settings.database_url, settings.object_store_url)
    try:
        copied = back_up(store, arguments.directory)
    finally:
        store.close()
    warn_of_readers(arguments.directory)
    return conclude(copied, arguments)


def conclude(copied: Copied, arguments: Namespace) -> int:
    """Say what was copied and what `verify` says of the copy."""
    if arguments.json:
        print_json({"sound": copied.report.sound, **asdict(copied)})
    else:
        print(
            f"Copied {copied.files_copied} files, {copied.bytes_copied / 1e6:.1f} MB; "
            f"{copied.files_there} were there. The copy, checked:"
        )
        print_report(copied.report)
    return done_if(copied.report.sound)
