# SPDX-License-Identifier: Apache-2.0
"""Find experiments: those shipped, of a store, of a server, or in files.

What opens a store is imported where there is one: it takes seconds, and a server needs none of it.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coalescope.client.experiment import Experiment
from coalescope.client.predicting import Levels, predict_over
from coalescope.client.server import Server, read_address
from coalescope.client.source import Document, ModelGiven, Source
from coalescope.client.token import checked_token, token_in
from coalescope.errors import CoalescopeError
from coalescope.experiments.records import FactorValue, Kind

if TYPE_CHECKING:
    import xarray

Place = str | os.PathLike[str]


def list_datasets() -> list[Document]:
    """The data sets that are shipped: slug, title, kind, citation, licence and address of each."""
    from coalescope.client import stores  # noqa: PLC0415

    told = ("citation", "licence", "url")
    return [
        {
            "slug": dataset.slug,
            "title": dataset.title,
            "kind": dataset.kind,
            **{name: dataset.source.get(name) for name in told},
        }
        for dataset in stores.shipped()
    ]


def load(slug: str) -> Experiment:
    """A data set that is shipped. Errors: CoalescopeError naming those there are."""
    from coalescope.client import stores  # noqa: PLC0415

    return Experiment(stores.of_shipped(slug), slug)


def list_experiments(
    place: Place, *, token: str | None = None, token_file: Place | None = None
) -> list[Document]:
    """The experiments of a server's address, or of a store's folder, as the API lists them.

    Errors: as of `open_experiment`.
    """
    address = _address(place)
    if address is not None:
        server = Server(read_address(address).server, _token(token, token_file))
        with closing(server):
            return list(server.experiments())
    from coalescope.client import stores  # noqa: PLC0415

    _refuse_options(token=token, token_file=token_file)
    with closing(stores.in_folder(Path(place))) as store:
        return list(store.experiments())


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
        place: http://host:8000, or the address of an experiment there, without the runs that its
            page leaves out (nothing else of a view is taken); a folder; files.
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
        read = read_address(address)
        slug = _named(read.slug, experiment)
        return _opened(Server(read.server, _token(token, token_file)), slug, read.without)
    from coalescope.client import stores  # noqa: PLC0415

    _refuse_options(token=token, token_file=token_file)
    if isinstance(place, str | os.PathLike) and stores.is_store(Path(place)):
        _refuse_options(levels=levels, kind=kind)
        return _opened(stores.in_folder(Path(place)), experiment)
    files = [place] if isinstance(place, str | os.PathLike) else list(place)
    read_in = stores.of_files([Path(file) for file in files], experiment, levels or {}, kind)
    return _opened(read_in, experiment)


def predict(model: ModelGiven, /, **levels: Levels) -> "xarray.Dataset":
    """Outputs of a model over the inputs that have several levels, as `coalescope predict`.

    Parameters that are not given keep their default.

    Errors: CoalescopeError for an unknown model or name, and a value outside its domain.
    """
    from coalescope.client.local import LocalModels  # noqa: PLC0415

    return predict_over(LocalModels().prediction, model, levels)


def _address(place: Any) -> str | None:
    """The place, where it is the address of a server."""
    is_address = isinstance(place, str) and place.lower().startswith(("http://", "https://"))
    return place if is_address else None


def _token(token: str | None, file: Place | None) -> str | None:
    if token is not None:
        return checked_token("token", token) or None
    return token_in(None if file is None else Path(file))


def _named(by_address: str | None, experiment: str | None) -> str | None:
    """The slug of an address, or that given beside it. Errors: 422 where they differ."""
    if by_address is not None and experiment is not None and by_address != experiment:
        raise CoalescopeError(
            "which_experiment",
            f"The address is that of {by_address!r}, and experiment is {experiment!r}.",
            where={"field": "experiment"},
            advice="Leave one of the two out.",
        )
    return experiment if by_address is None else by_address


def _opened(source: Source, slug: str | None, left_out: tuple[str, ...] = ()) -> Experiment:
    """The experiment that is meant; where there is none, the source is closed."""
    try:
        return Experiment(source, _one(source, slug), left_out=left_out)
    except BaseException:
        source.close()
        raise


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
