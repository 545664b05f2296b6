# SPDX-License-Identifier: Apache-2.0
"""Experiments and cells as the API shows them. No defaults: every field is always there."""

from typing import Annotated

from coalescope_models.inference.statistics import Independence
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from coalescope.experiments.records import Kind
from coalescope.experiments.service import SLUG
from coalescope.glossary.schemas import QuantityOut
from coalescope.untrusted.texts import lines, one_line
from coalescope.untrusted.web_addresses import is_web_address

Level = int | float | str
Chosen = dict[str, Level | list[Level]]  # several levels: any of them
_Several = Annotated[list[Level], Field(min_length=1, max_length=200)]
Where = Annotated[
    dict[str, Level | _Several],
    Field(description="Only runs with these levels; of several levels, any"),
]


class LevelsOut(BaseModel):
    """A factor with its levels in rising order."""

    name: str
    label: str
    unit: str
    levels: list[Level]


class FactorOut(LevelsOut):
    """A factor of an experiment; the list of experiments names the first of many levels only."""

    level_count: int = Field(description="How many levels it has")
    choice: bool = Field(description="Whether a recommendation chooses among its levels")


class GlanceOut(BaseModel):
    """A small picture of one measure: rows from the lowest y level to the highest."""

    measure: str
    x: str
    y: str | None
    rows: list[list[float | None]]


class _ExperimentBase(BaseModel):
    slug: str
    title: str
    subtitle: str
    kind: Kind
    citation: str | None
    source_note: str | None
    factors: list[FactorOut]
    cells: int
    designed_cells: int
    runs: int
    replicates_label: str
    data_version: int
    updated_at: str


class ExperimentSummaryOut(_ExperimentBase):
    """An experiment in the list: the first of many factors, levels and measures, and all counts.

    The experiment itself names all.
    """

    factor_count: int = Field(description="How many factors it has")
    measures: list[str]
    measure_count: int = Field(description="How many measures it has")
    glance: list[GlanceOut]


class MeasureOut(QuantityOut):
    """A measure of an experiment, how many cells have it, and whether it is a raw count."""

    cells: int
    raw: bool


class SourceOut(BaseModel):
    """Where data comes from."""

    citation: str | None
    url: str | None
    licence: str | None
    how_made: str | None
    notes: list[str]


class FixedFactorOut(BaseModel):
    """Something that was the same in all runs."""

    label: str
    value: str


class DefaultViewOut(BaseModel):
    """What to show first."""

    measure: str
    x: str
    y: str | None
    where: dict[str, Level]


class DefaultFitOut(BaseModel):
    """The fit that belongs to this data."""

    model: str
    method: str
    where: dict[str, Level]


class ExperimentOut(_ExperimentBase):
    """One experiment in full, without its cells.

    What is `of_a_data_set` comes with the program, and can be neither changed nor deleted.
    """

    measures: list[MeasureOut]
    source: SourceOut
    fixed: list[FixedFactorOut]
    notes: list[str]
    default_view: DefaultViewOut | None
    default_fit: DefaultFitOut | None
    of_a_data_set: bool


class SummaryOut(BaseModel):
    """One measure in one cell; `sd` and `ci95` are null where they are not known.

    `ci95` is that of independent replicates where the sequence of the runs does not speak against
    it, else that of blocks, sessions or rounds, or null.
    """

    n: int
    mean: float
    sd: float | None
    ci95: tuple[float, float] | None


class CellOut(BaseModel):
    """One setting of the factors with the summaries of its current runs."""

    id: int
    factors: dict[str, Level]
    runs: int
    partial_runs: int
    measures: dict[str, SummaryOut]


class _CellsBase(BaseModel):
    experiment: str
    data_version: int
    independence: dict[str, Independence] = Field(
        description="By measure, what the sequence of the runs does to its intervals, or that it "
        "is not known; only of measures of which there is something to say"
    )
    left_out: list[str] = Field(description="Runs that would count and were left out as asked")


class CellsOut(_CellsBase):
    """All cells that match."""

    cells: list[CellOut]


class SummaryColumnsOut(BaseModel):
    """One measure, cell by cell. A cell without it has null in all columns.

    `ci95_low` and `ci95_high` are the ends of `ci95` of a cell that stands by itself.
    """

    n: list[int | None]
    mean: list[float | None]
    sd: list[float | None]
    ci95_low: list[float | None]
    ci95_high: list[float | None]


class CellColumnsOut(_CellsBase):
    """All cells that match, as columns: the k-th entry of each is of the k-th cell.

    The numbers are those of the rows, digit by digit. A cell without a factor has null there.
    """

    id: list[int]
    factors: dict[str, list[Level | None]]
    runs: list[int]
    partial_runs: list[int]
    measures: dict[str, SummaryColumnsOut]


def _address(text: str) -> str:
    if not is_web_address(text):
        raise ValueError("is not an address such as https://lab.example/data.")
    return text


_OneLine = Annotated[str, AfterValidator(one_line)]
_Lines = Annotated[str, AfterValidator(lines)]
_Address = Annotated[str, Field(pattern="^https?://"), AfterValidator(_address)]


class DeletedExperimentOut(BaseModel):
    """An experiment that was deleted, and how many runs would count if it were restored."""

    slug: str
    title: str
    kind: Kind
    runs: int
    deleted_at: str


class SourceIn(BaseModel):
    """Where the data of an experiment comes from."""

    model_config = ConfigDict(extra="forbid", strict=True)

    citation: Annotated[_OneLine | None, Field(max_length=2000)] = None
    url: Annotated[_Address | None, Field(max_length=2000)] = None
    licence: Annotated[_OneLine | None, Field(max_length=2000)] = None
    how_made: Annotated[_Lines | None, Field(max_length=10_000)] = None
    notes: Annotated[list[Annotated[_Lines, Field(max_length=2000)]], Field(max_length=100)] = []


_Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"\S"),
    AfterValidator(one_line),
]
_Subtitle = Annotated[_OneLine, Field(max_length=300)]


class ExperimentIn(BaseModel):
    """A new experiment."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "slug": "lab-e1000e-2026",
                    "title": "e1000e in the lab",
                    "kind": "measured",
                    "subtitle": "82574L, Linux 6.1, two hosts back to back",
                }
            ]
        },
    )

    slug: Annotated[str, Field(max_length=80, json_schema_extra={"pattern": f"^{SLUG.pattern}$"})]
    title: _Title
    kind: Kind
    subtitle: _Subtitle = ""
    source: SourceIn | None = None


class ExperimentChangeIn(BaseModel):
    """What an experiment is from now on; what is left out stays. In `source`, null removes."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "title": "e1000e in the lab, repeated",
                    "source": {"how_made": "Two hosts back to back, cable changed in May."},
                }
            ]
        },
    )

    title: _Title | None = None
    subtitle: _Subtitle | None = None
    source: SourceIn | None = None
