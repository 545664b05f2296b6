# SPDX-License-Identifier: Apache-2.0
"""A data set as it lies beside the source: who it is, and whether its files have changed."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coalescope.errors import CoalescopeError
from coalescope.experiments import service as experiments
from coalescope.experiments.records import Kind
from coalescope.measures import DEFINITIONS
from coalescope.untrusted.texts import CONTROL, CONTROL_IN_LINES, fault_in

SOURCE = "source.toml"
TABLE = "data.csv"
BUNDLE = "raw/run-logs.tar.xz"
#: The table of source.toml that says where data come from that are not shipped.
FETCH = "fetch"
_TITLE_FIELDS = ("title", "subtitle", "kind")
_REQUIRED = {"title": str, "kind": str}


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
    """What source.toml says.

    Errors: CoalescopeError where it is no TOML, leaves something out, or has texts that no name may
    have; for a bad slug or kind.
    """
    path = folder / SOURCE
    try:
        source = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise bad_source(path, f"it is no TOML: {error}") from None
    check_fields(path, source, _REQUIRED)
    for name, text in _texts(source):
        refused = CONTROL if name in _TITLE_FIELDS else CONTROL_IN_LINES
        if fault := fault_in(text, refused):
            raise bad_source(path, f"{name} {fault}")
    experiments.check_slug(folder.name)
    experiments.check_kind(source["kind"])
    return source


def _texts(value: Any, within: str = "") -> Iterator[tuple[str, str]]:
    """All texts of a table, the names of its fields among them, each with the field it is in."""
    if isinstance(value, str):
        yield within, value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part, within)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield "a name", name
            yield from _texts(part, f"{within}.{name}" if within else name)


def check_fields(
    path: Path, table: Mapping[str, Any], expected: Mapping[str, type], within: str = ""
) -> None:
    """Errors: CoalescopeError naming the fields of a table that are absent or of another type."""
    wrong = [
        f"{within}{name}"
        for name, form in expected.items()
        if not isinstance(table.get(name), form) or table[name] in ("", 0)
    ]
    if wrong:
        raise bad_source(path, f"{', '.join(wrong)} must be said")


def bad_source(path: Path, what: str) -> CoalescopeError:
    """The error for a source.toml that cannot be used."""
    return CoalescopeError(
        "bad_source",
        f"The description of the data set {path.parent.name} cannot be used: {what}.",
        where={"file": str(path)},
        advice="Say it there as the other data sets do, or remove the folder.",
    )


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
