# SPDX-License-Identifier: Apache-2.0
"""A data set as it lies beside the source: who it is, and whether its files have changed."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coalescope.errors import CoalescopeError
from coalescope.experiments import service as experiments
from coalescope.experiments.records import Kind
from coalescope.measures import DEFINITIONS

SOURCE = "source.toml"
TABLE = "data.csv"
BUNDLE = "raw/run-logs.tar.xz"
#: The table of source.toml that says where data come from that are not shipped.
FETCH = "fetch"
_TITLE_FIELDS = ("title", "subtitle", "kind")


@dataclass(frozen=True)
class Dataset:
    """What source.toml says, and the file that holds the data.

    Attributes:
        source: the rest of source.toml. Its table `environment` holds facts of where the runs were
            recorded that their logs do not hold themselves.
        sha256: of source.toml and the data together, and of what measures of logs mean.
        path: the table, or the bundle of run logs.

    """

    slug: str
    title: str
    subtitle: str
    kind: Kind
    source: Mapping[str, Any]
    sha256: str
    path: Path

    @property
    def is_bundle(self) -> bool:
        """Whether it is a bundle of run logs, not a table."""
        return self.path.name != TABLE


def find_datasets(folder: Path) -> list[Dataset]:
    """All data sets in `folder` that have their data, each in a folder named by its slug.

    Those that are to be fetched (`recipes`) are none of them.

    Errors: CoalescopeError for a bad slug or kind, or where source.toml stands without its data.
    """
    folders = [path.parent for path in sorted(folder.glob("*/source.toml"))]
    return [_find(each) for each in folders if FETCH not in read_source(each)]


def read_source(folder: Path) -> dict[str, Any]:
    """What source.toml says. Errors: CoalescopeError for a bad slug or kind."""
    source = tomllib.loads((folder / SOURCE).read_text(encoding="utf-8"))
    experiments.check_slug(folder.name)
    experiments.check_kind(source["kind"])
    return source


def describe(folder: Path, data: Path) -> Dataset:
    """The data set of a folder, with its data in a file that need not lie there."""
    source = read_source(folder)
    source_bytes = (folder / SOURCE).read_bytes()
    return Dataset(
        slug=folder.name,
        title=source["title"],
        subtitle=source.get("subtitle", ""),
        kind=source["kind"],
        source={name: value for name, value in source.items() if name not in _TITLE_FIELDS},
        sha256=hashlib.sha256(source_bytes + data.read_bytes() + _meaning(data)).hexdigest(),
        path=data,
    )


def _find(folder: Path) -> Dataset:
    path = next((folder / name for name in (TABLE, BUNDLE) if (folder / name).is_file()), None)
    if path is None:
        raise CoalescopeError(
            "no_data",
            f"The data set {folder.name} has neither {TABLE} nor {BUNDLE}.",
            where={"file": str(folder)},
            advice="Build its data (source.toml says how it was made), or remove the folder.",
        )
    return describe(folder, path)


def _meaning(path: Path) -> bytes:
    """What the measures of logs mean; those of a table are what it says."""
    return DEFINITIONS.to_bytes(4) if path.name != TABLE else b""
