# SPDX-License-Identifier: Apache-2.0
"""Data sets that are fetched from their authors and not shipped: what their source.toml says."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coalescope.datasets.converters import CONVERTERS
from coalescope.datasets.source import FETCH, SOURCE, bad_source, check_fields, read_source
from coalescope.errors import CoalescopeError, did_you_mean, not_found

#: Whose the data are and on what terms: said before anything is fetched.
_SAID = {"citation": str, "licence": str}
_FIELDS = {"url": str, "commit": str, "sha256": str, "bytes": int, "converter": str}


@dataclass(frozen=True)
class Recipe:
    """A data set's description, and how to come by its data.

    Attributes:
        folder: where its source.toml lies; its name is the data set's.
        source: all of source.toml.
        url: of the one file that is fetched, at a commit.
        sha256: of the file, in hexadecimal.
        size_bytes: of the file.
        converter: name of what makes a table of it.
    """

    folder: Path
    source: Mapping[str, Any]
    url: str
    commit: str
    sha256: str
    size_bytes: int
    converter: str

    @property
    def slug(self) -> str:
        """The data set's name."""
        return self.folder.name


def find_recipes(folder: Path) -> list[Recipe]:
    """All data sets of a folder that are to be fetched."""
    sources = {path: read_source(path) for path in _folders(folder)}
    return [_recipe(path, source) for path, source in sources.items() if FETCH in source]


def find_recipe(folder: Path, slug: str) -> Recipe:
    """One of them. Errors: CoalescopeError where there is none, or it is shipped."""
    recipes = {recipe.slug: recipe for recipe in find_recipes(folder)}
    if slug in recipes:
        return recipes[slug]
    if slug in {path.name for path in _folders(folder)}:
        raise CoalescopeError(
            "shipped",
            f"The data set {slug!r} comes with the program: there is nothing to fetch.",
            advice="`coalescope experiments` lists what is in the store.",
        )
    near = did_you_mean(slug, recipes)
    raise not_found("data set", slug, f"{near}`coalescope datasets list` names all.")


def _folders(folder: Path) -> list[Path]:
    return [path.parent for path in sorted(folder.glob(f"*/{SOURCE}"))]


def _recipe(folder: Path, source: Mapping[str, Any]) -> Recipe:
    fetch, path = source[FETCH], folder / SOURCE
    check_fields(path, source, _SAID)
    check_fields(path, fetch, _FIELDS, f"{FETCH}.")
    if fetch["converter"] not in CONVERTERS:
        known = ", ".join(CONVERTERS)
        raise bad_source(path, f"there is no converter {fetch['converter']!r}, but {known}")
    return Recipe(
        folder=folder,
        source=source,
        url=fetch["url"],
        commit=fetch["commit"],
        sha256=fetch["sha256"],
        size_bytes=fetch["bytes"],
        converter=fetch["converter"],
    )
