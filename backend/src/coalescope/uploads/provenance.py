# SPDX-License-Identifier: Apache-2.0
"""Kind and source of a table: what the file says and what its uploader says, as one. Pure.

They must not differ: a kind is not lost, nor changed, by sending a table on. Whoever knows better
than the file says so expressly, and that is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import ExperimentRecord, Kind
from coalescope.runs.records import RunWarning
from coalescope.uploads.csv_source import TableSource
from coalescope.uploads.parsed_upload import UploadRequest

_OVERRIDE = (
    "Leave it out, or confirm that it takes the place of what the file says: --override-source on "
    "the command line, override_source=true in a request."
)


@dataclass(frozen=True)
class Provenance:
    """What counts, and what of the file was set aside for it."""

    kind: Kind | None
    about: Mapping[str, Any]
    overridden: Sequence[RunWarning]


def provenance(said: TableSource, request: UploadRequest) -> Provenance:
    """What file and request say together. Errors: 409 where they differ without a confirmation."""
    overridden = []
    for name, asked, told in (
        ("kind", request.kind, said.kind),
        ("citation", request.citation, said.about.get("citation")),
    ):
        if asked is None or told is None or asked == told:
            continue
        if not request.override_source:
            raise _differ(name, told, asked)
        overridden.append(_overridden(name, told, asked))
    cited = {} if request.citation is None else {"citation": request.citation}
    return Provenance(request.kind or said.kind, {**said.about, **cited}, tuple(overridden))


def check_source(experiment: ExperimentRecord, about: Mapping[str, Any]) -> None:
    """Errors: 409 where a table cites another source than the experiment that it is to go into."""
    told, own = about.get("citation"), experiment.source.get("citation")
    if told is None or told == own:
        return
    raise CoalescopeError(
        "sources_never_mix",
        f"The table cites {told[:200]!r}; the experiment {experiment.slug!r} cites "
        f"{'nothing' if own is None else repr(own[:200])}.",
        where={"experiment": experiment.slug, "field": "citation"},
        advice="Give the table an experiment of its own.",
        status=409,
    )


def _differ(name: str, told: str, asked: str) -> CoalescopeError:
    return CoalescopeError(
        f"{name}_differs",
        f"The file says that its {name} is {told[:200]!r}, the request says {asked[:200]!r}.",
        where={"field": name},
        advice=_OVERRIDE,
        status=409,
    )


def _overridden(name: str, told: str, asked: str) -> RunWarning:
    return RunWarning(
        f"{name}_overridden",
        f"The file says that its {name} is {told[:200]!r}; {asked[:200]!r} was put in its place at "
        "the upload.",
        {"field": name},
    )
