# SPDX-License-Identifier: Apache-2.0
"""What a model is: a function with its quantities, its parameters and its citation."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ..expr import Graph, equations, trace
from ..vocabulary.quantity import QUANTITIES, Quantity
from .notation import QUANTITY_NOTATION


class ModelError(ValueError):
    """A value does not suit a model. `name` is the quantity that it was given for."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.name, str(self)))


class UnknownModelError(ModelError, KeyError):
    """There is no model of this id."""

    __str__ = ValueError.__str__


class UnknownNameError(ModelError):
    """The model has no input or parameter of this name."""


class MissingInputError(ModelError):
    """An input of the model was given no value."""


class DomainError(ModelError):
    """A value lies outside the domain of its quantity."""


@dataclass(frozen=True)
class Parameter:
    """A constant of a model, with the default and the slider that this model gives it.

    Attributes:
        quantity: what it is.
        default: its value unless another is given.
        lo: left end of the slider.
        hi: right end of the slider.
        step: smallest change of the slider.
        searched: where a fit looks for it; None for the domain of the quantity.
    """

    quantity: Quantity
    default: float
    lo: float
    hi: float
    step: float
    searched: tuple[float, float] | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends that a fit keeps, infinite where there is none: a slider's are for the eye."""
        if self.searched is not None:
            return self.searched
        lo, hi = self.quantity.domain
        return (-math.inf if lo is None else lo, math.inf if hi is None else hi)

    @property
    def name(self) -> str:
        """The name of the quantity."""
        return self.quantity.name

    def to_json(self) -> dict[str, Any]:
        """Return the quantity's JSON form with default, lo, hi and step."""
        return {
            **self.quantity.to_json(),
            "default": self.default,
            "lo": self.lo,
            "hi": self.hi,
            "step": self.step,
        }


@dataclass(frozen=True, eq=False)
class LinearFit:
    """How the parameters of a model follow from a table by a linear fit.

    Attributes:
        columns: the counts that multiply the parameters, as columns of the table.
        parameters: one for each column.
        per: what each parameter is counted per, as in jiffies per MB.
        responses: unit of each measure that can be the response.
        output: the output of the model that the response is compared with.
        remedies: what to measure besides when these columns cannot be told apart.
        base: column, parameter and "per" of what passes without traffic, which can be fitted too.
    """

    columns: tuple[str, ...]
    parameters: tuple[str, ...]
    per: tuple[str, ...]
    responses: Mapping[str, str]
    output: str
    remedies: tuple[tuple[frozenset[str], str], ...] = ()
    base: tuple[str, str, str] | None = None

    def with_base(self) -> LinearFit:
        """The same fit with what passes without traffic as one more parameter.

        Raises:
            ValueError: the model has none.
        """
        if self.base is None:
            raise ValueError("this model has no base")
        column, parameter, per = self.base
        return replace(
            self,
            columns=(*self.columns, column),
            parameters=(*self.parameters, parameter),
            per=(*self.per, per),
            base=None,
        )

    def units(self, response_unit: str) -> tuple[str, ...]:
        """Return the unit of each parameter for a response in a unit."""
        return tuple(f"{response_unit}/{per}" for per in self.per)


@dataclass(frozen=True)
class Plane:
    """The two quantities that a page spans a surface over."""

    x: str
    y: str

    def to_json(self) -> dict[str, str]:
        """Return ``{"x": …, "y": …}``."""
        return {"x": self.x, "y": self.y}


@dataclass(frozen=True, eq=False)
class Model:
    """A model: a traceable function and everything that a page or a fit needs to know of it.

    Attributes:
        id: its only name, in addresses and on the command line.
        title: what a page calls it.
        summary: one or two sentences.
        function: ``function(inputs…, parameters…, xp)`` returns a mapping from output to value.
        inputs: what varies over a surface or a table.
        parameters: what is fitted or set by a slider.
        outputs: what it predicts; the first is the one to show first.
        citation: where it comes from.
        plane: what its surface is spanned over, None where it has none.
        axes: for a kernel over the plane, whether an input varies along "x", "y" or both ("xy").
        named: outputs that the equations of the others refer to by their symbol.
        linear_fit: how a table determines the parameters, None where it does not.
        notes: what a reader should know before trusting it.
        use: the question that it answers, as a sentence.
        assumptions: what it takes for granted.
        limits: where it does not hold, and where it jumps or bends.
    """

    id: str
    title: str
    summary: str
    function: Callable[..., dict[str, Any]]
    inputs: tuple[Quantity, ...]
    parameters: tuple[Parameter, ...]
    outputs: tuple[Quantity, ...]
    citation: str
    plane: Plane | None = None
    axes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    named: tuple[str, ...] = ()
    linear_fit: LinearFit | None = None
    notes: tuple[str, ...] = ()
    use: str = ""
    assumptions: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Inputs, then parameters: the order in which a kernel takes them."""
        return tuple(q.name for q in self.inputs) + tuple(p.name for p in self.parameters)

    @property
    def defaults(self) -> dict[str, float]:
        """The default of each parameter."""
        return {parameter.name: parameter.default for parameter in self.parameters}

    @cached_property
    def graph(self) -> Graph:
        """The traced function."""
        return trace(self.function, self.names)

    def quantity(self, name: str) -> Quantity:
        """Return the quantity of an input or a parameter.

        Raises:
            UnknownNameError: the model has neither of this name.
        """
        for quantity in (*self.inputs, *(p.quantity for p in self.parameters)):
            if quantity.name == name:
                return quantity
        raise UnknownNameError(
            name, f"{self.id} has no input or parameter {name!r}; it has {', '.join(self.names)}"
        )

    def equations(self, output: str) -> list[tuple[str, str]]:
        """Return symbol and right-hand side of an output, then of what it refers to."""
        symbols = {quantity.name: quantity.symbol for quantity in self.outputs}
        return equations(self.graph, output, symbols, self.named, QUANTITY_NOTATION)

    def latex(self, output: str) -> str:
        """Return the equation of an output, with those of what it refers to, a line each."""
        rows = self.equations(output)
        if len(rows) == 1:
            return " = ".join(rows[0])
        lines = r" \\ ".join(f"{left} &= {right}" for left, right in rows)
        return rf"\begin{{aligned}} {lines} \end{{aligned}}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form without kernels."""
        return {
            "id": self.id,
            "title": self.title,
            "summary": self.summary,
            "citation": self.citation,
            "notes": list(self.notes),
            "inputs": [quantity.to_json() for quantity in self.inputs],
            "parameters": [parameter.to_json() for parameter in self.parameters],
            "outputs": [quantity.to_json() for quantity in self.outputs],
            "plane": None if self.plane is None else self.plane.to_json(),
            "axes": dict(self.axes),
            "latex": {quantity.name: self.latex(quantity.name) for quantity in self.outputs},
            "graph": self.graph.to_json(),
        }


def evaluate(model: Model, values: Mapping[str, Any]) -> dict[str, Any]:
    """Compute the outputs of a model.

    Args:
        model: one of `MODELS`.
        values: a number or an array (of any namespace of the array API standard, such as numpy)
            for each input and any parameter; parameters that are left out keep their default.
            NaN stands for "not known" and gives NaN.

    Returns:
        Each output: floats when all values are floats, else arrays of the broadcast shape. They
        follow IEEE 754: inf and nan are results, not errors.

    Raises:
        UnknownNameError: a name is neither an input nor a parameter.
        MissingInputError: an input has no value.
        DomainError: a value lies outside the domain of its quantity.
        ModelError: a value is neither a number nor an array.
    """
    for name, value in values.items():
        _check_domain(model.quantity(name), value)
    for quantity in model.inputs:
        if quantity.name not in values:
            raise MissingInputError(quantity.name, f"{model.id} needs a value for {quantity.name}")
    complete = {**model.defaults, **values}
    xp = _namespace(complete.values())
    if xp is None:
        return model.graph.evaluate(complete)
    outputs = model.graph.evaluate(complete, xp)
    shape = xp.broadcast_arrays(*(xp.asarray(value) for value in complete.values()))[0].shape
    return {name: xp.broadcast_to(value, shape) for name, value in outputs.items()}


def _check_domain(quantity: Quantity, value: Any) -> None:
    if _namespace([value]) is None:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise ModelError(quantity.name, f"{quantity.name} must be a number")
        inside = quantity.contains(float(value))
    else:
        lo, hi = quantity.domain
        below = lo is not None and bool((value < lo).any())
        above = hi is not None and bool((value > hi).any())
        inside = not (below or above)
    if not inside:
        raise DomainError(quantity.name, must_be(quantity))


def must_be(quantity: Quantity) -> str:
    """Say what values a quantity can have."""
    return f"{quantity.name} must be {_interval(quantity)}"


def _interval(quantity: Quantity) -> str:
    lo, hi = quantity.domain
    unit = f" {quantity.unit}" if quantity.unit else ""
    if hi is None:
        return f"at least {lo:g}{unit}"
    if lo is None:
        return f"at most {hi:g}{unit}"
    return f"between {lo:g} and {hi:g}{unit}"


def _namespace(values: Any) -> Any:
    """Return the array namespace of the first array, None when there are only numbers."""
    for value in values:
        of_array = getattr(value, "__array_namespace__", None)
        # numpy's scalars have a namespace too, but are numbers here
        if of_array is not None and not isinstance(value, numbers.Real):
            return of_array()
    return None


def quantities(*names: str) -> tuple[Quantity, ...]:
    """Return quantities by name."""
    return tuple(QUANTITIES[name] for name in names)


def slider(name: str, default: float, lo: float, hi: float, step: float) -> Parameter:
    """Return a parameter by the name of its quantity."""
    return Parameter(QUANTITIES[name], default, lo, hi, step)


#: The plane of the 2005 study: interrupt delay to the right, MTU upwards.
DELAY_BY_MTU = Plane("delay_us", "mtu_bytes")
DELAY_RIGHT_MTU_UP = MappingProxyType({"delay_us": "x", "mtu_bytes": "y"})
