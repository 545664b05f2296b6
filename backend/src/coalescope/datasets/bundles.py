# SPDX-License-Identifier: Apache-2.0
"""A data set that is a bundle of run logs: a compressed tar archive."""

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from coalescope.datasets.source import Dataset
from coalescope.errors import CoalescopeError
from coalescope.runs.records import NewRun
from coalescope.storage.object_store import RUN_LOG_SUFFIX, ObjectStore
from coalescope.untrusted.archives import ArchiveError, members_of_tar
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.run_logs import parse_run_log
from coalescope.uploads.storing import ReceivedLog

_LARGEST_LOG_BYTES = 1 << 26
_CHUNK_BYTES = 1 << 20
_AT_ONCE = 200  # logs in memory, and files open


class StoppedError(Exception):
    """The program is ending: the rest is for the next start."""


def store_bundle(
    dataset: Dataset, store: ObjectStore, stopping: Callable[[], bool]
) -> list[ReceivedLog]:
    """Put every log of the bundle into the object store, durably, and measure it.

    Errors: CoalescopeError naming the log that is wrong; StoppedError.
    """
    found: dict[str, ReceivedLog] = {}
    logs = read_bundle(dataset.path)
    while chunk := list(islice(logs, _AT_ONCE)):
        digests = store.add_all((content for _, content in chunk), RUN_LOG_SUFFIX)
        for (name, content), sha256 in zip(chunk, digests, strict=True):
            if stopping():
                raise StoppedError
            run = _measured(dataset, name, content)
            _check_first(run, found, dataset, name)
            found[run.uid] = ReceivedLog(run, sha256, len(content), _filename(name))
    return list(found.values())


def check_bundle(dataset: Dataset) -> None:
    """Read and measure every log of the bundle. Errors: CoalescopeError naming what is wrong."""
    found: set[str] = set()
    for name, content in read_bundle(dataset.path):
        run = _measured(dataset, name, content)
        _check_first(run, found, dataset, name)
        found.add(run.uid)


def read_bundle(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each run log of an archive, in its order; other files are passed over.

    Errors: CoalescopeError where it is no archive, or a log in it is too large.
    """
    try:
        for name, file in members_of_tar(path, (f".{RUN_LOG_SUFFIX}",)):
            content = bytearray()
            while chunk := file.read(_CHUNK_BYTES):
                content += chunk
                if len(content) > _LARGEST_LOG_BYTES:
                    raise _wrong(path, f"{name} has more than {_LARGEST_LOG_BYTES:,} bytes.")
            yield name, bytes(content)
    except ArchiveError as error:
        raise _wrong(path, f"The archive cannot be read: {error}.") from None


def _measured(dataset: Dataset, name: str, content: bytes) -> NewRun:
    request = UploadRequest(
        _filename(name),
        experiment=dataset.slug,
        kind=dataset.kind,
        environment=dataset.source.get("environment", {}),
    )
    try:
        (run,) = parse_run_log(content, request).runs
    except CoalescopeError as error:
        error.where |= {"file": str(dataset.path), "log": name}
        raise
    return replace(run, content="dataset")


def _filename(name: str) -> str:
    """Folders tell logs of one name apart."""
    return name.replace("/", "-")


def _check_first(run: NewRun, found: Container[str], dataset: Dataset, name: str) -> None:
    if run.uid in found:
        raise _wrong(dataset.path, f"{name} is a second log of run {run.uid}.")


def _wrong(path: Path, message: str) -> CoalescopeError:
    return CoalescopeError(
        "bad_bundle",
        message,
        where={"file": str(path)},
        advice="Fetch or build it again: a tar archive, compressed or not, of .runlog files.",
    )
