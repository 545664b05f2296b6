# SPDX-License-Identifier: Apache-2.0
"""Stores on this machine: one that is there, and those made of shipped data sets and of files."""

import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from coalescope.client.files.given import given_files
from coalescope.client.files.importing import import_file
from coalescope.client.files.outcomes import FileOutcome
from coalescope.client.files.together import with_foreign_together
from coalescope.client.local import LocalStore, temporary_store
from coalescope.datasets.loader import load_dataset
from coalescope.datasets.source import Dataset, find_datasets
from coalescope.db.engine import SQLITE_NAME
from coalescope.errors import Problem, did_you_mean, not_found, refused
from coalescope.experiments.records import FactorValue, Kind
from coalescope.settings import Settings
from coalescope.store import Store, open_for_reading
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading

_NAMED = 3


def is_store(folder: Path) -> bool:
    """Whether a store is in the folder."""
    return (folder / SQLITE_NAME).is_file()


def in_folder(folder: Path) -> LocalStore:
    """The store in the folder, which is only read. Errors: as of `open_for_reading`."""
    return LocalStore(open_for_reading(folder), str(folder))


def shipped() -> list[Dataset]:
    """The data sets that come with the program, or those of COALESCOPE_DATASETS_DIR."""
    folder = Settings().datasets_dir
    return [] if folder is None else find_datasets(folder)


def of_shipped(slug: str) -> LocalStore:
    """A store with that data set alone. Errors: CoalescopeError naming those there are."""
    datasets = {dataset.slug: dataset for dataset in shipped()}
    if slug not in datasets:
        meant = did_you_mean(slug, datasets)
        raise not_found("data set", slug, f"{meant}Shipped are {', '.join(datasets) or 'none'}.")

    def fill(store: Store, settings: Settings) -> None:
        load_dataset(store.database, store.object_store, datasets[slug])

    return temporary_store("the shipped data sets", fill)


def of_files(
    files: Sequence[Path],
    experiment: str | None,
    levels: Mapping[str, FactorValue],
    kind: Kind | None,
) -> LocalStore:
    """A store with what these files hold. Errors: CoalescopeError for those that are refused."""
    shown = ", ".join(map(str, files[:_NAMED])) + (" …" if len(files) > _NAMED else "")
    pairs = [f"{name}={level}" for name, level in levels.items()]

    def fill(store: Store, settings: Settings) -> None:
        reading = Reading.within(settings)
        with (
            given_files(files) as given,
            tempfile.TemporaryDirectory(prefix="coalescope-") as folder,
        ):
            outcomes = [
                file
                if isinstance(file, FileOutcome)
                else import_file(
                    store, file, UploadRequest(file.name, experiment, kind=kind), reading
                )
                for file in with_foreign_together(given, pairs, Path(folder))
            ]
        _refuse_what_was_refused(outcomes)
        _warn(outcomes)

    return temporary_store(shown, fill)


def _refuse_what_was_refused(outcomes: Sequence[FileOutcome]) -> None:
    """Errors: CoalescopeError with each file that cannot be read: of all or of none."""
    faults = [(outcome.file, outcome.error) for outcome in outcomes if outcome.error is not None]
    if faults:
        raise refused(
            [
                Problem(
                    error["code"],
                    f"{file}: {error['message']}",
                    {"file": file, **error["where"]},
                    error["advice"],
                )
                for file, error in faults
            ]
        )


def _warn(outcomes: Sequence[FileOutcome]) -> None:
    """What a person should know of files that were read all the same, once of all alike."""
    files: dict[str, list[str]] = {}
    for outcome in outcomes:
        for warning in (outcome.receipt or {}).get("warnings", ()):
            files.setdefault(warning["message"], []).append(outcome.file)
    for message, named in files.items():
        others = f" and {len(named) - 1} more" if len(named) > 1 else ""
        warnings.warn(f"{named[0]}{others}: {message}", stacklevel=6)
