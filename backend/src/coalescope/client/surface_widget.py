# SPDX-License-Identifier: Apache-2.0
"""The widget itself. It is imported where anywidget is installed only."""

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from coalescope.client.surface_answers import module
from coalescope.errors import CoalescopeError, did_you_mean

if TYPE_CHECKING:
    from coalescope.client.surface_answers import Answers


class SurfaceWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """The page's surface with its sliders.

    Attributes:
        parameters: of the model that is drawn, in their units. What a reader drags is here, and
            what is set here moves the surface; names that are not given stay as they are.
            `observe(call, "parameters")` tells of each change.
    """

    _esm = module()
    parameters = traitlets.Dict().tag(sync=True)
    _domains = traitlets.Dict().tag(sync=True)  # of each parameter, when the surface has said so
    _slug = traitlets.Unicode().tag(sync=True)
    _query = traitlets.Unicode().tag(sync=True)
    _version = traitlets.Unicode("0").tag(sync=True)

    def __init__(self, answers: "Answers", query: str, parameters: Mapping[str, float]) -> None:
        self._answers = answers
        super().__init__(parameters=dict(parameters), _slug=answers.experiment.slug, _query=query)
        self.on_msg(self._answer)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.parameters.items())
        return f"Surface of {self._slug}" + (f": {values}" if values else "")

    def _answer(self, _widget: Any, question: Any, _buffers: Any) -> None:
        self.send({"id": question["id"], **self._answers.to(question)})

    @traitlets.validate("parameters")  # type: ignore[untyped-decorator]
    def _complete(self, proposal: Any) -> dict[str, float]:
        """Errors: CoalescopeError for an unknown name, and for what a parameter cannot be."""
        given = {name: _number(name, value) for name, value in proposal["value"].items()}
        known = self._domains or self.parameters
        for name, value in given.items():
            if known and name not in known:
                raise _no_parameter(name, known)
            _check(name, value, self._domains.get(name, (None, None)))
        kept = {name: value for name, value in self.parameters.items() if name in known}
        return {**kept, **given}


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not hasattr(value, "__float__") or not isfinite(float(value)):
        raise CoalescopeError(
            "wrong_value",
            f"{name} is {value!r}, which is no number.",
            where={"field": name},
            advice=f"Set it as parameters = {{{name!r}: 1.0}}.",
        )
    return float(value)


def _no_parameter(name: str, known: Mapping[str, Any]) -> CoalescopeError:
    return CoalescopeError(
        "unknown_parameter",
        f"The surface has no parameter {name}.",
        where={"field": name},
        advice=f"{did_you_mean(name, known)}It has {', '.join(known)}.",
    )


def _check(name: str, value: float, domain: Any) -> None:
    low, high = domain
    if (low is None or value >= low) and (high is None or value <= high):
        return
    bounds = [f"at least {low:g}"] if low is not None else []
    bounds += [f"at most {high:g}"] if high is not None else []
    raise CoalescopeError(
        "wrong_value",
        f"{name} cannot be {value:g}.",
        where={"field": name},
        advice=f"It is {' and '.join(bounds)}.",
    )
