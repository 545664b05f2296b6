# SPDX-License-Identifier: Apache-2.0
"""A model that a user brings: a graph with names, which is data and is never run as code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ..catalogue.model import Model, ModelError, Parameter
from ..expr import Graph
from ..vocabulary.quantity import QUANTITIES, Quantity

#: Steps of a slider over a parameter's range.
_STEPS = 1000
_LONGEST_UNIT = 60


class UserModelError(ModelError):
    """The document is no model. `name` is the input, parameter or output that is wrong."""


@dataclass(frozen=True)
class Constant:
    """A parameter of a user's model: its default, and the range that a fit may search.

    Attributes:
        name: as the graph calls it.
        default: its value unless another is given.
        lo: smallest value.
        hi: largest value.
        unit: of the value; that of the quantity of this name, if there is one.
    """

    name: str
    default: float
    lo: float
    hi: float
    unit: str = ""


@dataclass(frozen=True, eq=False)
class UserModel(Model):
    """A model whose graph was given, not traced."""

    given: Graph = field(kw_only=True)

    @cached_property
    def graph(self) -> Graph:
        """The graph as it was given."""
        return self.given

    def __reduce__(self) -> tuple[Any, ...]:
        constants = [
            Constant(p.name, p.default, p.lo, p.hi, p.quantity.unit) for p in self.parameters
        ]
        units = {quantity.name: quantity.unit for quantity in (*self.inputs, *self.outputs)}
        inputs = [quantity.name for quantity in self.inputs]
        return (user_model, (self.title, self.given, inputs, constants, units))


def user_model(
    title: str,
    graph: Graph,
    inputs: Sequence[str],
    parameters: Sequence[Constant],
    units: Mapping[str, str] = MappingProxyType({}),
) -> UserModel:
    """Return the model of a graph.

    An input or output of a name that the glossary knows is that quantity, with its unit and domain;
    any other is a plain number.

    Args:
        title: what a page calls it.
        graph: read with `Graph.from_json`, so that it is bounded and holds listed operations only.
        inputs: the graph's inputs that vary over a surface or a table.
        parameters: the graph's other inputs.
        units: of inputs and outputs that the glossary does not know.

    Raises:
        UserModelError: inputs and parameters together are not the graph's inputs, each once; or a
            range is empty, not finite, or does not hold its default.
    """
    names = [*inputs, *(constant.name for constant in parameters)]
    for name in names:
        if name not in graph.inputs:
            raise UserModelError(name, f"the graph has no input {name!r}")
        if names.count(name) > 1:
            raise UserModelError(name, f"{name} is named twice")
    missing = [name for name in graph.inputs if name not in names]
    if missing:
        raise UserModelError(
            missing[0], f"say of {missing[0]} whether it is an input or a parameter"
        )

    def function(xp: Any, **values: Any) -> dict[str, Any]:
        return graph.evaluate(values, xp)

    return UserModel(
        id="user-model",
        title=title,
        summary="A model of the user's own.",
        function=function,
        inputs=tuple(_quantity(name, units.get(name, "")) for name in inputs),
        parameters=tuple(map(_parameter, parameters)),
        outputs=tuple(_quantity(name, units.get(name, "")) for name in graph.outputs),
        citation="",
        given=graph,
    )


def document_of(
    title: str,
    graph: Graph,
    defaults: Mapping[str, float],
    bounds: Mapping[str, Any],
    units: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return a model as the JSON document that the API and the command line take.

    Inputs of the graph with a default are its parameters. The range of a parameter that is not
    given reaches from nothing to ten times the default; that of an input is what a plot shows.

    Raises:
        UserModelError: a range is missing or wrong, or a range or unit named for what is not there.
    """
    _refuse_strays(graph, bounds, units)
    constants = [
        Constant(
            name,
            float(default),
            *_range(name, float(default), bounds.get(name)),
            _unit(name, units),
        )
        for name, default in defaults.items()
    ]
    inputs = [name for name in graph.inputs if name not in defaults]
    user_model(title, graph, inputs, constants)
    return {
        "format": 1,
        "title": title,
        "inputs": [_input(name, bounds.get(name), _unit(name, units)) for name in inputs],
        "parameters": [
            {"name": c.name, "default": c.default, "lo": c.lo, "hi": c.hi, "unit": c.unit}
            for c in constants
        ],
        "outputs": [{"name": name, "unit": _unit(name, units)} for name in graph.outputs],
        "graph": graph.to_json(),
    }


def _refuse_strays(graph: Graph, bounds: Mapping[str, Any], units: Mapping[str, Any]) -> None:
    for name in bounds:
        if name not in graph.inputs:
            raise UserModelError(name, f"{name} has a range but is no input or parameter")
    for name in units:
        if name not in graph.inputs and name not in graph.outputs:
            raise UserModelError(name, f"{name} has a unit but is no input, parameter or output")


def _unit(name: str, units: Mapping[str, Any]) -> str:
    """The unit of a name; the glossary's own where it knows it."""
    known = QUANTITIES.get(name)
    unit = units.get(name, "") if known is None else known.unit
    if not isinstance(unit, str) or len(unit) > _LONGEST_UNIT:
        raise UserModelError(name, f"the unit of {name} is not a short text")
    return unit


def _input(name: str, bounds: Any, unit: str) -> dict[str, Any]:
    if bounds is None:
        return {"name": name, "unit": unit}
    lo, hi = _range(name, 0.0, bounds)
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        raise UserModelError(name, f"the range of {name} must be two numbers, the smaller first")
    return {"name": name, "unit": unit, "lo": lo, "hi": hi}


def _range(name: str, default: float, given: Any) -> tuple[float, float]:
    if given is not None:
        try:
            lo, hi = map(float, given)
        except (TypeError, ValueError):
            raise UserModelError(name, f"the range of {name} is not two numbers") from None
        return lo, hi
    if default == 0.0:
        raise UserModelError(name, f"{name} has the default 0: give its range")
    return min(0.0, 10.0 * default), max(0.0, 10.0 * default)


def _parameter(constant: Constant) -> Parameter:
    name, lo, hi = constant.name, constant.lo, constant.hi
    if not all(map(math.isfinite, (constant.default, lo, hi))):
        raise UserModelError(name, f"default and range of {name} must be finite")
    if not (lo < hi and lo <= constant.default <= hi):
        raise UserModelError(name, f"the range of {name} must hold its default between lo and hi")
    known = QUANTITIES.get(name)
    quantity = known or Quantity(
        name, name, _symbol(name), constant.unit, "A parameter of the user's.", role="parameter"
    )
    return Parameter(quantity, constant.default, lo, hi, (hi - lo) / _STEPS, searched=(lo, hi))


def _quantity(name: str, unit: str = "") -> Quantity:
    known = QUANTITIES.get(name)
    return known or Quantity(
        name, name, _symbol(name), unit, "A number of the user's.", role="model"
    )


def _symbol(name: str) -> str:
    return r"\mathrm{" + name.replace("_", r"\_") + "}"
