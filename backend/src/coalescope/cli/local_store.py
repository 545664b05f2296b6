# SPDX-License-Identifier: Apache-2.0
"""The store that commands work on: the server's own, opened without a server."""

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import Connection

from coalescope.db.engine import AUDIT_CONTEXT, AuditContext
from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.service import get_experiment
from coalescope.runs.selection import require_stored
from coalescope.settings import Settings
from coalescope.storage.private_files import wider
from coalescope.store import Store, open_for_reading, open_store


def settings_of(arguments: Namespace) -> Settings:
    """Settings from the environment, with what was typed on top."""
    given = {
        "data_dir": getattr(arguments, "data", None),
        "host": getattr(arguments, "host", None),
        "port": getattr(arguments, "port", None),
        "workers": getattr(arguments, "workers", None),
        "read_only": getattr(arguments, "read_only", None),
    }
    return Settings(**{name: value for name, value in given.items() if value is not None})


def warn_of_what_is_no_setting() -> None:
    """Say on stderr which names in the environment look like settings and are none."""
    prefix = str(Settings.model_config["env_prefix"])
    known = [name.upper() for name in Settings.model_fields]
    for name in sorted(os.environ):
        typed = name.upper()
        if typed.startswith(prefix) and typed.removeprefix(prefix) not in known:
            near = did_you_mean(typed, known, prefix=prefix)
            advice = near or "docs/operation.md lists the settings."
            said = f"coalescope: there is no setting {name}: it has no effect.\n  {advice.strip()}"
            print(said, file=sys.stderr)


def warn_without_datasets(settings: Settings) -> None:
    """Say on stderr that there are no published data sets, if nobody left them out on purpose."""
    if settings.datasets_dir is None and "datasets_dir" not in settings.model_fields_set:
        print(
            "coalescope: the published data sets are not beside this program and are not loaded.\n"
            "  Set COALESCOPE_DATASETS_DIR to the folder that holds them.",
            file=sys.stderr,
        )


def warn_of_readers(folder: Path) -> None:
    """Say on stderr that others on this machine may look into a store or a backup, if they may."""
    mode = wider(folder)
    if mode is not None:
        print(
            f"coalescope: {folder} has mode {mode}: others on this machine may look into it, past "
            f"all tokens.\n  To keep it to yourself: chmod -R go= {shlex.quote(str(folder))}",
            file=sys.stderr,
        )


def changing(arguments: Namespace) -> Settings:
    """Settings of a command that is to change the store.

    Errors: CoalescopeError where they say that nothing is to be changed.
    """
    settings = settings_of(arguments)
    if settings.read_only:
        raise CoalescopeError(
            "read_only",
            "COALESCOPE_READ_ONLY is set: this command changes the store, so it did nothing.",
            where={"field": "COALESCOPE_READ_ONLY"},
            advice="Unset it, or set it to false for this command, if the store may be changed.",
            status=503,
        )
    return settings


@contextmanager
def local_store(arguments: Namespace) -> Iterator[Store]:
    """Open the local store for a command that only reads: it makes none, and changes no byte.

    Errors: CoalescopeError where there is no store, or one of an older or newer program.
    """
    settings = settings_of(arguments)
    store = open_for_reading(settings.data_dir, settings.database_url, settings.object_store_url)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def changed_store(arguments: Namespace) -> Iterator[Store]:
    """Open the local store for a command that changes it; there need be none yet.

    One of an older or newer program is refused unchanged. Of data sets, bundles of run logs are
    left out, which take seconds.
    """
    settings = changing(arguments)
    warn_without_datasets(settings)
    store = open_store(settings, waits_for=lambda slug: False)
    before = AUDIT_CONTEXT.set(AuditContext("command line", _command(arguments)))
    try:
        yield store
    finally:
        AUDIT_CONTEXT.reset(before)
        store.close()


def experiment_of(connection: Connection, arguments: Namespace) -> ExperimentRecord:
    """The experiment that was typed, which has every run that is to be left out.

    Errors: 404 for the experiment, and for a run.
    """
    experiment = get_experiment(connection, arguments.experiment)
    require_stored(connection, experiment, arguments.without)
    return experiment


def _command(arguments: Namespace) -> str:
    """What was typed, as far as the record of changes is to tell it."""
    module = arguments.module.rpartition(".")[2].replace("import_files", "import")
    words = [module, getattr(arguments, "action", None), getattr(arguments, "name", None)]
    return "coalescope " + " ".join(word for word in words if word)
