# SPDX-License-Identifier: Apache-2.0
"""Answers to the first questions of explorer and home page, sent with their documents.

They stand in the document's head as JSON, under the names that a published copy keeps them by
(frontend/src/api/preloaded.ts reads them). If there are too many cells for that, they are fetched
beside the page's scripts instead of after them. The page asks for whatever is missing. The home
page opens with a study, and finds it in the list of experiments.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote

from coalescope_models.inference.methods import DEFAULT_METHOD
from sqlalchemy.engine import Connection
from starlette.datastructures import QueryParams
from starlette.types import Scope

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.experiments.cells import cells_out
from coalescope.experiments.conditional import tag_of
from coalescope.experiments.description import describe_experiment
from coalescope.experiments.records import CellRecord, ExperimentRecord
from coalescope.experiments.schemas import ExperimentOut
from coalescope.experiments.service import (
    SLUG,
    get_experiment,
    list_cells,
    list_experiments,
)
from coalescope.experiments.summaries import Summaries
from coalescope.fits.schemas import FitIn
from coalescope.lru_cache import LruCache
from coalescope.publishing.questions import COSTS, fit_requests
from coalescope.runs.intervals import JudgedCells
from coalescope.runs.service import cells_in_sequence
from coalescope.settings import Settings
from coalescope.untrusted.bounds import LISTED
from coalescope.web.security import reading_is_open

_ADDRESS = re.compile(r"(?:/embed)?/explorer/([^/]+)/?")
# What the home page opens with (frontend/src/features/home/study.ts).
HOME_STUDY = "geist-2005-nfs"
_KEPT = 16
# What is larger comes no sooner with the document than after it.
_MOST_CHARACTERS = 2**18
# Of a cell without a measure, and of a summary without a name: shorter they cannot be written.
_CELL_CHARACTERS = len('{"id":1,"factors":{},"runs":1,"partial_runs":0,"measures":{}}')
_SUMMARY_CHARACTERS = len('"":{"n":1,"mean":0.0,"sd":null,"ci95":null}')
# A view has a fit for each choice of levels: of the largest experiment hundreds of thousands.
_MOST_FITS = 1000
# As the page asks for them, so that it is given what is under way (frontend/src/api/client.ts).
_PRELOADED = (
    '    <link rel="preload" as="fetch" crossorigin '
    'href="/api/experiments/{slug}/cells?layout=columns">\n'
)

Json = dict[str, Any]


@dataclass(frozen=True)
class _Known:
    """What is told of an experiment while it stands, and the fits of its own view."""

    experiment: str
    cells: str | None  # where they are too many to be told
    method: str
    measure: str | None
    fits: tuple[Mapping[str, Any], ...]


class Preloader:
    """The answers for the document that a request is answered with, as an element of its head."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        fits: LruCache[Any],
        judged: LruCache[JudgedCells],
        summaries: Summaries,
    ) -> None:
        self._database = database
        self._judged = judged
        self._open = reading_is_open(settings)
        self._fits = fits
        self._summaries = summaries
        self._kept: LruCache[_Known] = LruCache(_KEPT)

    def __call__(self, scope: Scope) -> str:
        """The element; "" where nothing is told: what a token guards, a document does not say."""
        if not self._open:
            return ""
        if scope["path"] == "/":
            return self._of_view(HOME_STUDY, QueryParams(), self._listed())
        found = _ADDRESS.fullmatch(scope["path"])
        slug = unquote(found[1]) if found else ""
        if not SLUG.fullmatch(slug):
            return ""
        return self._of_view(slug, QueryParams(scope["query_string"]), {})

    def _listed(self) -> dict[str, str]:
        """GET /api/experiments, where one answer holds them all and is not too long."""
        with self._database.read() as connection:
            found = list_experiments(connection, limit=LISTED + 1)
            if len(found) > LISTED:
                return {}
            told = [one.model_dump_json() for one in self._summaries.of_page(connection, found)]
        text = _of_an_element(f"[{','.join(told)}]")
        return {"experiments.json": text} if len(text) <= _MOST_CHARACTERS else {}

    def _of_view(self, slug: str, asked: QueryParams, answers: Mapping[str, str]) -> str:
        """The element for a view of that experiment, which has `answers` too."""
        try:
            with self._database.read() as connection:
                record = get_experiment(connection, slug)
                key = (record.id, record.data_version, record.updated_at)
                known = self._kept.get(key, lambda: self._described(connection, record))
        except CoalescopeError:  # no such experiment: the page says so
            return _element(answers) if answers else ""
        own = f"experiments/{slug}"
        answers = {**answers, f"{own}.json": known.experiment}
        fits = list(self._first_fits(record, known, asked))
        if fits:
            answers[f"{own}/fits.json"] = _encoded(fits)
        if known.cells is not None:
            whole = _element(answers | {f"{own}/cells.json": known.cells})
            if len(whole) <= _MOST_CHARACTERS:
                return whole
        # with runs left out, the page asks for other cells
        beside = "" if "without" in asked else _PRELOADED.format(slug=slug)
        return beside + _element(answers)

    def _first_fits(
        self, record: ExperimentRecord, known: _Known, query: QueryParams
    ) -> Iterator[Json]:
        """What the view opens with, where it was asked for before: a document waits for no fit."""
        measure = query.get("measure") or known.measure
        first = {
            "response": COSTS.get(measure) if measure else None,
            "method": query.get("fit") or known.method,
        }
        for asked in known.fits:
            here = all(query.get(name, level) == level for name, level in asked["where"].items())
            if here and first.items() <= asked.items():
                key = (record.id, record.data_version, FitIn(**asked).request(record))
                fit = self._fits.find(key)
                if fit is not None:
                    yield {"asked": asked, "answer": fit.model_dump(mode="json")}

    def _described(self, connection: Connection, record: ExperimentRecord) -> _Known:
        """GET /api/experiments/{slug} and, where they are few, …/cells.

        Only what is told is judged: many cells are judged when the page asks for them, which it
        does while it loads.
        """
        cells = list_cells(connection, record)
        experiment = ExperimentOut.model_validate(describe_experiment(record, cells))
        told = experiment.model_dump(mode="json")
        settings = {"cells": [{"factors": cell.factors} for cell in cells]}
        view, fit = told["default_view"], told["default_fit"]
        return _Known(
            experiment=_encoded(told),
            cells=self._told_cells(connection, record)
            if _least_characters(cells) <= _MOST_CHARACTERS
            else None,
            method=fit["method"] if fit else DEFAULT_METHOD,
            measure=view["measure"] if view else None,
            fits=tuple(islice(fit_requests(told, settings), _MOST_FITS)),
        )

    def _told_cells(self, connection: Connection, record: ExperimentRecord) -> str:
        judged = self._judged.get(tag_of(record), lambda: cells_in_sequence(connection, record))
        return _of_an_element(cells_out(record, judged).model_dump_json())


def _least_characters(cells: Sequence[CellRecord]) -> int:
    """What the cells take at least, told without being written."""
    names = [name for cell in cells for name in cell.measures]
    summaries = sum(map(len, names)) + len(names) * _SUMMARY_CHARACTERS
    return len(cells) * _CELL_CHARACTERS + summaries


def _encoded(answer: Json | list[Json]) -> str:
    return _of_an_element(json.dumps(answer, separators=(",", ":")))


def _of_an_element(encoded: str) -> str:
    """Without "<", nothing in it can end the element."""
    return encoded.replace("<", "\\u003c")


def _element(answers: Mapping[str, str]) -> str:
    """The element that holds encoded answers by their names, which are ASCII."""
    text = ",".join(f'"{name}":{answer}' for name, answer in answers.items())
    return f'    <script type="application/json" id="answers">{{{text}}}</script>\n'
