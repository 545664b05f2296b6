# SPDX-License-Identifier: Apache-2.0
"""coalescope restore BACKUP."""

from argparse import Namespace

from coalescope.backups.service import restore
from coalescope.cli.commands.backup import conclude
from coalescope.cli.local_store import settings_of


def run(arguments: Namespace) -> int:
    """Copy a backup to the folder of the local store; 1 if the copy is not sound."""
    return conclude(restore(arguments.directory, settings_of(arguments).data_dir), arguments)
