# SPDX-License-Identifier: Apache-2.0
"""What a table was seen to be, and what its columns are said to mean."""

from typing import Any, Literal

from coalescope_models.inference.statistics import Independence
from pydantic import BaseModel

from coalescope.errors import Problem
from coalescope.experiments.schemas import CellOut, ExperimentOut
from coalescope.uploads.mapping.looking import Seen, as_json


class MappedColumnOut(BaseModel):
    """What a column of the file means."""

    column: str
    quantity: str
    unit: str
    decimal: Literal[".", ","] | None


class LayoutOut(BaseModel):
    """How the table stands in its file. `header_row` 0: no row names the columns."""

    encoding: str
    separator: str
    header_row: int
    sheet: str


class MappingOut(BaseModel):
    """What the columns of a table mean; those that are not named are left out."""

    columns: list[MappedColumnOut]
    layout: LayoutOut | None


class SeenColumnOut(BaseModel):
    """What a column holds, and what it is taken for.

    `quantity` empty: it must be chosen, of the `candidates` perhaps, or the column is ignored.
    `scale`: what its values are multiplied by. `certainty`: all but `certain` must be confirmed.
    """

    column: str
    samples: list[str]
    levels: int
    filled: int
    role: Literal["set", "observed", "ignore"]
    quantity: str
    unit: str
    units: list[str]
    scale: float
    decimal: Literal[".", ","]
    marked: bool
    certainty: Literal["certain", "likely", "guess", "yours"]
    why: str
    candidates: list[str]


class RemarkOut(BaseModel):
    """What is there, or is missing, to draw, to give intervals, to recommend."""

    state: Literal["ok", "missing"]
    title: str
    text: str


class PreviewOut(BaseModel):
    """The table as it would be stored."""

    experiment: ExperimentOut
    cells: list[CellOut]
    independence: dict[str, Independence]


class LookOut(BaseModel):
    """A table as it was seen. Nothing of it is stored.

    `tidy`: its columns name themselves, so that it is sent without a mapping. `problems`: why what
    is mapped could not be stored.
    """

    tidy: bool
    packed: bool
    layout: LayoutOut
    separated_by: str
    comments: int
    decimal: Literal[".", ","] | None
    rows: int
    columns: list[SeenColumnOut]
    first_lines: list[str]
    mapping: MappingOut | None
    preview: PreviewOut | None
    problems: list[Problem]
    remarks: list[RemarkOut]


def look_out(seen: Seen) -> LookOut:
    """What was seen as the API shows it."""
    said: dict[str, Any] = as_json(seen)
    return LookOut.model_validate(said)
