# SPDX-License-Identifier: Apache-2.0
"""A fit as a program on a person's machine has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coalescope.client.exploring import explored
from coalescope.client.predicting import Levels, predict_over
from coalescope.client.source import Document, ModelGiven
from coalescope.client.surface_answers import Explorable
from coalescope.client.tables import residuals_table
from coalescope.errors import CoalescopeError

if TYPE_CHECKING:
    import pyarrow
    import xarray

    from coalescope.client.surface_widget import SurfaceWidget

_BASE = "base"
# The cost model takes counts; over settings another one with the same parameters is drawn.
_DRAWN_AS = {"cpu-overhead": "cpu-overhead-surface"}


@dataclass(frozen=True, repr=False)
class Fit:
    """Estimates with intervals, what to think of them, and every residual.

    Attributes:
        document: all of it, as `coalescope fit --json` and the API have it.
    """

    _experiment: Explorable
    document: Document
    _factors: Sequence[Document]
    _model: ModelGiven = field(compare=False)
    _has_base: bool = False

    @property
    def estimates(self) -> Document:
        """Of each parameter its value, unit, ci95 and standard_error; None where not known.

        `ci95_if_model_holds` and `ci95_if_independent` are intervals on these conditions, where
        none holds without.
        """
        found: Document = self.document["estimates"]
        return found

    @property
    def parameters(self) -> dict[str, float | None]:
        """The value of each parameter; None where the data cannot tell it."""
        return {name: found["value"] for name, found in self.estimates.items()}

    @property
    def identifiable(self) -> bool:
        """Whether the data determine the parameters; `message` says why not."""
        return bool(self.document["identifiable"])

    @property
    def message(self) -> str | None:
        """What there is to know before the estimates are trusted."""
        found: str | None = self.document["message"]
        return found

    @property
    def residuals(self) -> "pyarrow.Table":
        """A row per point: its setting, what was observed and predicted, in the response's unit.

        `deviation_percent` is 100 (predicted − observed)/observed.
        """
        return residuals_table(self.document, self._factors)

    def predict(self, model: str | None = None, /, **levels: Levels) -> "xarray.Dataset":
        """Outputs of the model with the fitted parameters, over the inputs with several levels.

        `model` is another one with the same parameters, such as cpu-overhead-surface for
        cpu-overhead. A parameter that is given too is taken as given.

        Errors: CoalescopeError for an input that is missing or outside its domain, where the data
        could not tell the parameters, and where what passes without traffic was fitted too: the
        models are of traffic alone, so that a prediction would be less than what is measured.
        """
        if self._has_base:
            raise _base_is_not_predicted(self.parameters)
        given = {**self._values(), **levels}
        return predict_over(self._experiment.source.prediction, model or self._model, given)

    def explore(self) -> "SurfaceWidget":
        """The page's surface in a notebook, drawn by the model from this fit, with its sliders.

        `parameters` of what is returned start at those of the fit: what is dragged changes them,
        and what they are set to moves the surface.

        Errors: CoalescopeError where the data could not tell the parameters, for a model of one's
        own, which the page's drawing does not have, and where anywidget is not installed.
        """
        if not isinstance(self._model, str):
            raise CoalescopeError(
                "no_surface",
                "A surface in a notebook is drawn by a model that comes with the program.",
                advice="Look at one of your own with predict, or in the page's workshop.",
            )
        told = self.document
        view = {"measure": told["response"], "model": self._model}
        if "method" in told and self._model in _DRAWN_AS:
            view = {
                "measure": f"{told['response']}_per_gb",
                "model": _DRAWN_AS[self._model],
                "fit": told["method"],
                **({"idle": "fitted"} if self._has_base else {}),
            }
        return explored(self._experiment, view, self._values(), told)

    def _values(self) -> dict[str, float]:
        """What was fitted and held. Errors: CoalescopeError where the data could not tell it."""
        fitted = {name: value for name, value in self.parameters.items() if value is not None}
        if not self.identifiable or len(fitted) < len(self.parameters):
            raise CoalescopeError(
                "not_identifiable",
                "The fit has no values to predict with.",
                advice=self.message,
            )
        return {**self.document.get("held", {}), **fitted}

    def __repr__(self) -> str:
        told = self.document
        points = "rows" if told["bootstrap"]["unit"] == "rows" else "cells"
        lines = [
            f"{told['model']} by {told['method']}: {told['response']} of {told['n']} {points} of "
            f"{told['experiment']}"
        ]
        for name, found in self.estimates.items():
            interval = _interval_words(found)
            lines.append(f"  {name} = {_shown(found['value'])}{interval}  {found['unit']}")
        if told.get("assumed"):
            held = ", ".join(f"{name} {_shown(value)}" for name, value in told["assumed"].items())
            lines.append(f"  held, not measured: {held}; what is fitted holds if these are right")
        return "\n".join([*lines, *([self.message] if self.message else [])])


def _interval_words(estimate: Document) -> str:
    for name, condition in (("ci95", ""), ("ci95_if_independent", " if independent")):
        if ends := estimate.get(name):
            low, high = ends
            return f"  [{_shown(low)}, {_shown(high)}]{condition}"
    return ""


def _base_is_not_predicted(parameters: Mapping[str, float | None]) -> CoalescopeError:
    others = ", ".join(name for name in parameters if name != _BASE)
    return CoalescopeError(
        "base_not_predicted",
        "A fit with base=True predicts nothing: no model has the load without traffic in it, and "
        "what is measured has.",
        where={"field": _BASE},
        advice=f"For what the traffic adds, give {others} of its parameters to cs.predict.",
    )


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:.6g}"
