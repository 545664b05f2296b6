# SPDX-License-Identifier: Apache-2.0
"""coalescope export EXPERIMENT --format csv|json."""

import errno
import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from coalescope.cli.local_store import local_store
from coalescope.experiments.service import get_experiment
from coalescope.exports.service import export


def run(arguments: Namespace) -> int:
    """Write an experiment to stdout or to a file."""
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = get_experiment(connection, arguments.experiment)
        pieces = export(connection, experiment, arguments.format, arguments.what, arguments.without)
        if arguments.output is None:
            sys.stdout.writelines(pieces)
        else:
            _write(arguments.output, pieces)
    return 0


def _write(path: Path, pieces: Iterable[str]) -> None:
    """Write the whole file or leave what was there; into a device or pipe directly."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as device:
            device.writelines(pieces)
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
