# SPDX-License-Identifier: Apache-2.0
"""Which cells of a plan are measured again, as `coalescope plan --json` answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from .cells import cells_of
from .factors import Level, Levels, cell_text, log_level, log_name
from .plan import Plan, PlanError
from .toml_table import ABSENT, Fault

_MAY_NOT_SUFFICE = 10_000
"""`needed` of a cell whose interval may stay wider than was asked for, however often it is run."""


def replicates_needed(path: Path, plan: Plan) -> Mapping[str, int]:
    """How many replicates in all each cell needs that needs more, by `cell_text`.

    Raises:
        PlanError: if the file is no such answer, of another experiment, or about cells that the
            plan does not have.
    """
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
        experiment = answer["experiment"]
        needy = [(cell["factors"], cell["needed"]) for cell in answer["cells"] if cell["more"]]
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError):
        raise _refusal(path, "is no answer of `coalescope plan … --json`.") from None
    if experiment != plan.experiment:
        raise _refusal(path, f"is about {experiment}, the plan about {plan.experiment}.")
    cells = cells_of(plan.factors, plan.constants, list(plan.excluded))
    found = {}
    for factors, needed in needy:
        cell = _cell_with(factors, cells)
        if cell is None:
            listed = ", ".join(f"{name} {level}" for name, level in factors.items())
            raise _refusal(path, f"the plan has no cell, or several, with {listed}.")
        if needed >= _MAY_NOT_SUFFICE:
            raise _refusal(
                path,
                f"{cell_text(cell)} needs {needed} replicates or more: ask `coalescope plan` for a "
                "larger --width, or for fewer cells with --where.",
            )
        found[cell_text(cell)] = needed
    return found


def _cell_with(factors: Mapping[str, Level], cells: Iterable[Levels]) -> Levels | None:
    """The one cell whose log would have these factors."""
    alike = [cell for cell in cells if factors.items() <= _as_logged(cell).items()]
    return alike[0] if len(alike) == 1 else None


def _as_logged(cell: Levels) -> dict[str, str | int | float]:
    return {log_name(name): log_level(level) for name, level in cell.items()}


def _refusal(path: Path, message: str) -> PlanError:
    return PlanError(path, (Fault("", ABSENT, message),))
