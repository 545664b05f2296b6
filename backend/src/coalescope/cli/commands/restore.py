# SPDX-License-Identifier: Apache-2.0
"""coalescope restore BACKUP."""

from argparse import Namespace

from coalescope.backups.service import restore, restore_into
from coalescope.cli.commands.backup import conclude
from coalescope.cli.local_store import changing, settings_of
from coalescope.store import open_store


def run(arguments: Namespace) -> int:
    """Copy a backup to where the settings say that the store is; 1 if the copy is not sound."""
    settings = settings_of(arguments)
    if settings.database_url is None and settings.object_store_url is None:
        return conclude(restore(arguments.directory, settings.data_dir), arguments)
    # data sets would be rows that are there already; the backup brings them along
    target = open_store(changing(arguments).model_copy(update={"datasets_dir": None}))
    try:
        return conclude(restore_into(arguments.directory, target), arguments)
    finally:
        target.close()
