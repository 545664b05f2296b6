# SPDX-License-Identifier: Apache-2.0
"""What the drawing of a notebook's surface asks for, answered by Python.

The drawing, `notebook.js` of the built page, asks for what it would ask a server for, by messages
of the widget; Python answers from where the experiment is.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from coalescope import shipped
from coalescope.client.choosing import rows_with
from coalescope.client.source import Document, Source
from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_levels
from coalescope.experiments.records import Choice

MODULE = "notebook.js"


class Explorable(Protocol):
    """What is asked of an experiment."""

    @property
    def source(self) -> Source:
        """Where it is."""

    @property
    def slug(self) -> str:
        """Its name there."""

    @property
    def chosen(self) -> Choice:
        """Levels that its runs are chosen by."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Identities of runs that do not count."""

    @property
    def about(self) -> Document:
        """All that is known of it but its runs."""


def module() -> Path:
    """The file that notebooks load. Errors: CoalescopeError where the page is not built."""
    page = shipped.page()
    if page is None or not (page / MODULE).is_file():
        raise CoalescopeError(
            "page_not_built",
            f"The surface is drawn by a part of the page, {MODULE}, which is not built.",
            advice="In the checkout, run `make page`; an installed coalescope has it.",
            status=500,
        )
    return page / MODULE


class Answers:
    """What the server would answer to the drawing, of the runs that this experiment is of."""

    def __init__(self, experiment: Explorable, fit: Document | None) -> None:
        self.experiment = experiment
        self._fit = fit

    def to(self, question: Document) -> Document:
        """`status` and `body` of the answer to `method`, `path` behind /api/, and `body`."""
        try:
            return {"status": 200, "body": self._body(question)}
        except CoalescopeError as error:
            return {"status": error.status, "body": error.as_json()}

    def _body(self, question: Document) -> Document:
        asked = (question.get("method"), question.get("path"))
        of = f"experiments/{self.experiment.slug}"
        if asked == ("GET", of):
            return self._about()
        if asked == ("GET", f"{of}/cells"):
            return {**self._cells(), "cells": self._chosen_cells()}
        if asked == ("POST", f"{of}/fits"):
            return self._fitted(question["body"])
        raise CoalescopeError(
            "needs_server",
            "A surface in a notebook has no answer to this.",
            where={"path": str(question.get("path"))},
            advice="Ask Coalescope's own page, or Python.",
            status=405,
        )

    def _cells(self) -> Document:
        return self.experiment.source.cells(self.experiment.slug, self.experiment.left_out)

    def _chosen_cells(self) -> Sequence[Document]:
        return rows_with(self._cells()["cells"], self.experiment.chosen)

    def _about(self) -> Document:
        """With the levels of the cells that are left."""
        about = self.experiment.about
        levels = factor_levels(cell["factors"] for cell in self._chosen_cells())
        factors = [{**each, "levels": levels.get(each["name"], [])} for each in about["factors"]]
        return {**about, "factors": factors}

    def _fitted(self, asked: Document) -> Document:
        """The fit that the surface was asked for, or what the experiment has to say."""
        fit = self._fit
        if fit and all(fit[name] == asked.get(name) for name in ("model", "method", "response")):
            return fit
        own = self.experiment
        where = {**asked.get("where", {}), **own.chosen}
        return own.source.fit(own.slug, {**asked, "where": where, "without": list(own.left_out)})
