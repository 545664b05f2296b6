# SPDX-License-Identifier: Apache-2.0
"""coalescope export EXPERIMENT --format csv|json|parquet."""

import errno
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from coalescope.cli.local_store import experiment_of, local_store
from coalescope.cli.places import analysing
from coalescope.errors import CoalescopeError
from coalescope.exports.chosen import choose_runs
from coalescope.exports.service import write_parquet


def run(arguments: Namespace) -> int:
    """Write an experiment to stdout or to a file."""
    if arguments.format == "parquet":
        return _write_parquet(arguments)
    asked = arguments.experiment, arguments.format, arguments.what
    with analysing(arguments) as source:
        pieces = source.export(*asked, arguments.where, arguments.without)
        if arguments.output is None:
            sys.stdout.writelines(pieces)
        else:
            with _written(arguments.output) as file:
                file.writelines(piece.encode() for piece in pieces)
    return 0


def _write_parquet(arguments: Namespace) -> int:
    if arguments.server is not None:
        raise CoalescopeError(
            "not_available",
            "A server sends CSV and JSON, and no Parquet.",
            advice="Ask for --format csv; or, in Python, coalescope.open(URL).runs is a table that "
            "writes Parquet.",
        )
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = experiment_of(connection, arguments)
        if arguments.output is None:
            raise _needs_file()
        chosen = choose_runs(connection, experiment, arguments.where, arguments.without)
        with _written(arguments.output) as file:
            write_parquet(connection, experiment, arguments.what, file, chosen)
    return 0


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """Write the whole file or leave what was there; into a device or pipe directly."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with _opened(partial, path) as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _opened(partial: Path, path: Path) -> BinaryIO:
    """Errors: OSError that names what was typed."""
    try:
        return partial.open("wb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _needs_file() -> CoalescopeError:
    return CoalescopeError(
        "needs_file",
        "Parquet is a binary format and is not printed.",
        advice="Name the file to write with --output FILE.",
    )
