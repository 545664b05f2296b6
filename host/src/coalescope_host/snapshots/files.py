# SPDX-License-Identifier: Apache-2.0
"""Reads what surrounded an interface: from a snapshot, or from the header of a run log."""

from collections.abc import Mapping
from pathlib import Path

from coalescope_host.run_log import RunLogError, bounded_json, layout, scan

from .differences import can_be_compared

FORMAT, VERSION = "coalescope-snapshot", 1
_MAGIC = layout.MAGIC
_LARGEST_BYTES = 1 << 20


class NotReadError(Exception):
    """A file that tells of no surroundings; the text says which and why."""


def read_environment(path: Path) -> Mapping[str, object]:
    """The `environment` of a snapshot or a run log.

    Raises:
        NotReadError: if the file is neither, damaged, or cannot be opened.
    """
    try:
        with path.open("rb") as file:
            is_log = file.read(len(_MAGIC)) == _MAGIC
        return _of_log(path) if is_log else _of_snapshot(path)
    except OSError as error:
        raise NotReadError(f"{path}: {error.strerror or error}") from None


def _of_log(path: Path) -> Mapping[str, object]:
    try:
        log, problems = scan(path)
    except RunLogError as error:
        raise NotReadError(f"{path}: {error.problem.message}") from None
    if log is None:
        raise NotReadError(f"{path}: {problems[0].message}")
    return _environment(path, log.header)


def _of_snapshot(path: Path) -> Mapping[str, object]:
    if path.stat().st_size > _LARGEST_BYTES:
        raise NotReadError(f"{path}: larger than a snapshot can be ({_LARGEST_BYTES >> 20} MiB)")
    limits = layout.DEFAULT_LIMITS
    try:
        document = bounded_json.parse(
            path.read_bytes(), depth=limits.json_depth, values=limits.json_values
        )
    except bounded_json.JsonRefusedError as error:
        raise NotReadError(f"{path}: neither a snapshot nor a run log: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise NotReadError(f"{path}: neither a snapshot nor a run log")
    if document.get("version") != VERSION:
        raise NotReadError(
            f"{path}: a snapshot of version {document.get('version')}; version {VERSION} is read"
        )
    return _environment(path, document)


def _environment(path: Path, document: Mapping[str, object]) -> Mapping[str, object]:
    environment = document.get("environment")
    if not isinstance(environment, dict):
        raise NotReadError(f"{path}: has no environment, so it is no snapshot")
    if not can_be_compared(environment):
        raise NotReadError(f"{path}: its environment has names that are too long to be compared")
    return environment
