# SPDX-License-Identifier: Apache-2.0
"""A surface as the API shows it."""

from coalescope_models.inference.statistics import Independence
from pydantic import BaseModel, ConfigDict, Field

from coalescope.experiments.records import Kind
from coalescope.experiments.schemas import Chosen, Level, LevelsOut
from coalescope.glossary.schemas import QuantityOut
from coalescope.surfaces.service import Surface


class SurfaceCellOut(BaseModel):
    """One point: its place on the axes and the cell's summary, in the measure's unit."""

    x: Level | None
    y: Level | None
    n: int
    mean: float
    sd: float | None
    ci95: tuple[float, float] | None


class SurfaceOut(BaseModel):
    """One measure over two factors."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "experiment": "geist-2005-points",
                    "data_version": 1,
                    "kind": "published",
                    "measure": {
                        "name": "throughput_mbps",
                        "label": "Receive throughput",
                        "symbol": "B",
                        "unit": "Mb/s",
                        "description": "Link level: frames with their check sequence.",
                        "domain": [0, None],
                        "typical": [0, 1000],
                        "role": "measure",
                        "text": False,
                        "source": "",
                    },
                    "x": {
                        "name": "delay_ticks",
                        "label": "Interrupt delay register",
                        "unit": "ticks",
                        "levels": [480, 800, 960],
                    },
                    "y": {
                        "name": "mtu_bytes",
                        "label": "MTU",
                        "unit": "bytes",
                        "levels": [1500, 3000],
                    },
                    "where": {"workload": "tcp"},
                    "cells": [
                        {"x": 960, "y": 1500, "n": 10, "mean": 970.4, "sd": None, "ci95": None}
                    ],
                    "independence": None,
                }
            ]
        }
    )

    experiment: str
    data_version: int
    kind: Kind
    measure: QuantityOut
    x: LevelsOut
    y: LevelsOut | None = Field(description="Null where only one factor varies")
    where: Chosen
    cells: list[SurfaceCellOut] = Field(description="Ordered by y, then x")
    independence: Independence | None = Field(
        description="What the sequence of the runs says about the intervals; null where no cell "
        "has two runs"
    )


def surface_out(surface: Surface) -> SurfaceOut:
    """Return that surface as the API shows it."""
    return SurfaceOut.model_validate(
        {
            "experiment": surface.experiment.slug,
            "data_version": surface.experiment.data_version,
            "kind": surface.experiment.kind,
            "measure": surface.measure,
            "x": surface.x,
            "y": surface.y,
            "where": surface.where,
            "cells": surface.cells,
            "independence": surface.independence,
        },
        from_attributes=True,
    )
