# SPDX-License-Identifier: Apache-2.0
"""Find experiments: those shipped, of a store, of a server, or in files."""

import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coalescope.client.experiment import Experiment
from coalescope.client.files.given import given_files
from coalescope.client.files.importing import import_file
from coalescope.client.files.outcomes import FileOutcome
from coalescope.client.files.together import with_foreign_together
from coalescope.client.local import LocalStore, predicted, temporary_store
from coalescope.client.predicting import Levels, predict_over
from coalescope.client.server import Server, read_address
from coalescope.client.source import Document, ModelGiven, Source
from coalescope.client.token import checked_token, token_in
from coalescope.datasets.loader import load_dataset
from coalescope.datasets.source import Dataset, find_datasets
from coalescope.db.engine import SQLITE_NAME
from coalescope.errors import CoalescopeError, Problem, did_you_mean, not_found, refused
from coalescope.experiments.records import FactorValue, Kind
from coalescope.settings import Settings
from coalescope.store import Store, open_for_reading
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.reading import Reading

if TYPE_CHECKING:
    import xarray

_NAMED = 3
Place = str | os.PathLike[str]


def list_datasets() -> list[Document]:
    """The data sets that are shipped: slug, title, kind, citation, licence and address of each."""
    told = ("citation", "licence", "url")
    return [
        {
            "slug": dataset.slug,
            "title": dataset.title,
            "kind": dataset.kind,
            **{name: dataset.source.get(name) for name in told},
        }
        for dataset in _shipped()
    ]


def load(slug: str) -> Experiment:
    """A data set that is shipped. Errors: CoalescopeError naming those there are."""
    datasets = {dataset.slug: dataset for dataset in _shipped()}
    if slug not in datasets:
        meant = did_you_mean(slug, datasets)
        raise not_found("data set", slug, f"{meant}Shipped are {', '.join(datasets) or 'none'}.")

    def fill(store: Store, settings: Settings) -> None:
        load_dataset(store.database, store.object_store, datasets[slug])

    return Experiment(temporary_store("the shipped data sets", fill), slug)


def list_experiments(
    place: Place, *, token: str | None = None, token_file: Place | None = None
) -> list[Document]:
    """The experiments of a server's address, or of a store's folder, as the API lists them.

    Errors: as of `open_experiment`.
    """
    address = _address(place)
    if address is not None:
        return list(Server(read_address(address).server, _token(token, token_file)).experiments())
    return list(LocalStore(open_for_reading(Path(place)), str(place)).experiments())


def open_experiment(
    place: Place | Sequence[Place],
    experiment: str | None = None,
    *,
    token: str | None = None,
    token_file: Place | None = None,
    levels: Mapping[str, FactorValue] | None = None,
    kind: Kind | None = None,
) -> Experiment:
    """An experiment of a server's address, of a store's folder, or of files.

    Files are run logs, tables, what other tools wrote, archives and folders of them: all that
    `coalescope import` takes. They are read into a store in a temporary folder; a store that is
    there is only read.

    Args:
        place: http://host:8000, or the address of an experiment there; a folder; files.
        experiment: its slug; of files, the experiment that all of them are put into. It may be
            left out where there is one.
        token, token_file: of a server; without them, COALESCOPE_TOKEN.
        levels: factors that files of other tools do not say, such as mtu_bytes.
        kind: of files, measured unless it is said.

    Errors: CoalescopeError where there is no such experiment, or several and none is named; for a
    file that is refused; of a server, what it says.
    """
    address = _address(place)
    if address is not None:
        _refuse_options(levels=levels, kind=kind)
        server, named = read_address(address)
        found: Source = Server(server, _token(token, token_file))
        return Experiment(found, _one(found, experiment or named))
    _refuse_options(token=token, token_file=token_file)
    if isinstance(place, str | os.PathLike) and (Path(place) / SQLITE_NAME).is_file():
        _refuse_options(levels=levels, kind=kind)
        found = LocalStore(open_for_reading(Path(place)), str(place))
        return Experiment(found, _one(found, experiment))
    files = [place] if isinstance(place, str | os.PathLike) else list(place)
    found = _of_files([Path(file) for file in files], experiment, levels or {}, kind)
    return Experiment(found, _one(found, experiment))


def predict(model: ModelGiven, /, **levels: Levels) -> "xarray.Dataset":
    """Outputs of a model over the inputs that have several levels, as `coalescope predict`.

    Parameters that are not given keep their default.

    Errors: CoalescopeError for an unknown model or name, and a value outside its domain.
    """
    return predict_over(predicted, model, levels)


def _shipped() -> list[Dataset]:
    folder = Settings().datasets_dir
    return [] if folder is None else find_datasets(folder)


def _address(place: Any) -> str | None:
    """The place, where it is the address of a server."""
    is_address = isinstance(place, str) and place.lower().startswith(("http://", "https://"))
    return place if is_address else None


def _token(token: str | None, file: Place | None) -> str | None:
    if token is not None:
        return checked_token("token", token) or None
    return token_in(None if file is None else Path(file))


def _one(source: Source, slug: str | None) -> str:
    """The experiment that is meant. Errors: 404; 422 where there are several and none is named."""
    if slug is not None:
        found: str = source.experiment(slug)["slug"]
        return found
    slugs = [each["slug"] for each in source.experiments()]
    if len(slugs) != 1:
        raise CoalescopeError(
            "which_experiment",
            f"There are {len(slugs)} experiments in {source.place}.",
            where={"field": "experiment"},
            advice=f"Name one of {', '.join(slugs)}." if slugs else "Import or upload runs first.",
        )
    return str(slugs[0])


def _of_files(
    files: Sequence[Path],
    experiment: str | None,
    levels: Mapping[str, FactorValue],
    kind: Kind | None,
) -> LocalStore:
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
    """What a person should know of files that were read all the same."""
    for outcome in outcomes:
        for warning in (outcome.receipt or {}).get("warnings", ()):
            warnings.warn(f"{outcome.file}: {warning['message']}", stacklevel=6)


def _refuse_options(**given: object) -> None:
    """Errors: CoalescopeError for an option that would change nothing here."""
    for name, value in given.items():
        if value is not None:
            raise CoalescopeError(
                "option_without_effect",
                f"{name} has no effect on this place.",
                where={"field": name},
                advice="token and token_file are of servers, levels and kind of files.",
            )
