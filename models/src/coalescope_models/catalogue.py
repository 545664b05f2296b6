# SPDX-License-Identifier: Apache-2.0
"""The models: each a function with its quantities, its parameters and its citation.

This is the only list of models. Whatever shows, fits or evaluates a model takes it from here.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from .cpu_overhead import cpu_overhead, cpu_overhead_open_loop, cpu_overhead_surface
from .graph import Graph, trace
from .interrupts import timer_packets_per_interrupt
from .link import link_bound
from .quantity import GEIST_2005, QUANTITIES, ZEC_2002, Quantity
from .tcp_throughput import tcp_coalescing_throughput


class ModelError(ValueError):
    """A value does not suit a model. `name` is the quantity that it was given for."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


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
    """

    quantity: Quantity
    default: float
    lo: float
    hi: float
    step: float

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
    """

    columns: tuple[str, ...]
    parameters: tuple[str, ...]
    per: tuple[str, ...]
    responses: Mapping[str, str]
    output: str
    remedies: tuple[tuple[frozenset[str], str], ...] = ()

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

    def latex(self, output: str) -> str:
        """Return the equation of an output, with those of the named outputs that it refers to."""
        symbols = {q.name: q.symbol for q in self.outputs}
        named = {name: symbols[name] for name in self.named}
        needed = [output, *(n for n in self.named if n != output and self._depends(output, n))]
        sides = [(symbols[n], self.graph.to_latex(n, named=named)) for n in needed]
        if len(sides) == 1:
            return " = ".join(sides[0])
        lines = r" \\ ".join(f"{left} &= {right}" for left, right in sides)
        return rf"\begin{{aligned}} {lines} \end{{aligned}}"

    def _depends(self, output: str, named: str) -> bool:
        return self.graph.outputs[named] in self.graph.live(output)

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


def find(model_id: str) -> Model:
    """Return the model of an id.

    Raises:
        UnknownModelError: there is none; the message lists those that there are.
    """
    try:
        return MODELS[model_id]
    except KeyError:
        raise UnknownModelError(
            model_id, f"there is no model {model_id!r}; there are {', '.join(MODELS)}"
        ) from None


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
        raise DomainError(quantity.name, f"{quantity.name} must be {_interval(quantity)}")


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


def _quantities(*names: str) -> tuple[Quantity, ...]:
    return tuple(QUANTITIES[name] for name in names)


def _slider(name: str, default: float, lo: float, hi: float, step: float) -> Parameter:
    return Parameter(QUANTITIES[name], default, lo, hi, step)


# α, β and γ of the NFS workload: the recipe of Geist et al. 2005, section 4, on all the digits of
# their table 2. They print 0.81, 0.27 and 1.11.
_NFS_COSTS = (
    _slider("alpha", 0.812997, 0.0, 2.0, 0.001),
    _slider("beta", 0.266365, 0.0, 1.0, 0.001),
    _slider("gamma", 1.109872, 0.0, 4.0, 0.001),
)
_GIGABIT = _slider("link_rate_mbps", 1000.0, 100.0, 10000.0, 100.0)
_LOAD = _slider("link_load", 1.0, 0.01, 1.0, 0.01)
_DELAY_BY_MTU = Plane("delay_us", "mtu_bytes")
_COSTS_PER_GB = _quantities(
    "system_cpu_per_gb", "byte_cost_per_gb", "packet_cost_per_gb", "interrupt_cost_per_gb"
)
_PER_PROTOCOL = (
    "One set of parameters describes one host and one protocol. The TCP parameters of the paper "
    "are 0.13, 0.37 and 1.43 in its text, but 0.35 and 1.41 for the last two in figure 14."
)

_MODELS = (
    Model(
        id="cpu-overhead",
        title="CPU overhead",
        summary="System CPU time as the sum of a cost per byte, per packet and per interrupt.",
        function=cpu_overhead,
        inputs=_quantities("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts"),
        parameters=_NFS_COSTS,
        outputs=_quantities("system_cpu"),
        citation=GEIST_2005 + ", section 4",
        linear_fit=LinearFit(
            columns=("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts"),
            parameters=("alpha", "beta", "gamma"),
            per=("MB", "kpacket", "kinterrupt"),
            responses=MappingProxyType({"system_cpu_jiffies": "jiffies", "system_cpu_s": "s"}),
            output="system_cpu",
            remedies=(
                (frozenset({"rx_megabytes", "rx_kilopackets"}), "at another MTU"),
                (frozenset({"rx_kilointerrupts"}), "with another interrupt delay"),
            ),
        ),
        notes=(_PER_PROTOCOL,),
    ),
    Model(
        id="cpu-overhead-surface",
        title="CPU overhead over MTU and packets per interrupt",
        summary="System CPU time per 10⁹ bytes for the packets per interrupt that were counted.",
        function=cpu_overhead_surface,
        inputs=_quantities("mtu_bytes", "packets_per_interrupt", "packet_fill"),
        parameters=_NFS_COSTS,
        outputs=_COSTS_PER_GB,
        citation=GEIST_2005 + ", section 4",
        plane=_DELAY_BY_MTU,
        axes=MappingProxyType(
            {"mtu_bytes": "y", "packets_per_interrupt": "xy", "packet_fill": "y"}
        ),
        notes=(
            _PER_PROTOCOL,
            "The paper takes every packet as full (packet fill 1). The NFS packets that it counted "
            "are shorter, so its own formula lies below its own counts.",
        ),
    ),
    Model(
        id="cpu-overhead-open-loop",
        title="CPU overhead of an open-loop stream",
        summary="System CPU time per 10⁹ bytes when full packets keep coming whatever the delay, "
        "with packets per interrupt from the absolute timer.",
        function=cpu_overhead_open_loop,
        inputs=_quantities("mtu_bytes", "delay_us"),
        parameters=(*_NFS_COSTS, _GIGABIT, _LOAD),
        outputs=(*_COSTS_PER_GB, *_quantities("packets_per_interrupt")),
        named=("packets_per_interrupt",),
        citation=GEIST_2005 + ", sections 3 and 4",
        plane=_DELAY_BY_MTU,
        axes=MappingProxyType({"mtu_bytes": "y", "delay_us": "x"}),
        notes=(
            _PER_PROTOCOL,
            "Request and response traffic slows down as the delay grows; this model does not.",
        ),
    ),
    Model(
        id="link-bound",
        title="Link bound",
        summary="The most that an Ethernet link carries in full packets of one MTU.",
        function=link_bound,
        inputs=_quantities("mtu_bytes"),
        parameters=(_GIGABIT,),
        outputs=_quantities("throughput_mbps", "goodput_mbps", "packet_rate_hz"),
        citation=GEIST_2005 + ", section 2",
        plane=_DELAY_BY_MTU,
        axes=MappingProxyType({"mtu_bytes": "y"}),
    ),
    Model(
        id="timer-packets-per-interrupt",
        title="Packets per interrupt under an absolute timer",
        summary="Packets that one interrupt brings when evenly spaced full packets meet a timer "
        "that starts with the first of them.",
        function=timer_packets_per_interrupt,
        inputs=_quantities("delay_us", "mtu_bytes"),
        parameters=(_GIGABIT, _LOAD),
        outputs=_quantities("packets_per_interrupt", "rx_interrupt_rate_hz"),
        named=("packets_per_interrupt",),
        citation=GEIST_2005 + ", section 3",
        plane=_DELAY_BY_MTU,
        axes=MappingProxyType({"delay_us": "x", "mtu_bytes": "y"}),
        notes=(
            "At a delay of 960 ticks the paper counts 80, 41, 27 and 22 packets per interrupt "
            "for MTU 1500, 3000, 4500 and 6000; this simple theory gives 81, 42, 29 and 22.",
        ),
    ),
    Model(
        id="tcp-coalescing-throughput",
        title="TCP throughput under coalescing",
        summary="Steady throughput of one window-limited TCP connection without loss, when each "
        "interface on the path holds packets back.",
        function=tcp_coalescing_throughput,
        inputs=_quantities("delay_us", "mtu_bytes"),
        parameters=(
            _slider("window_bytes", 16384.0, 4096.0, 1048576.0, 1024.0),
            _slider("rtt_min_us", 739.0, 10.0, 5000.0, 1.0),
            _slider("coalescing_nics", 1.0, 0.0, 8.0, 1.0),
            _slider("link_rate_mbps", 100.0, 100.0, 10000.0, 100.0),
            # 7500 of 8127.4 packets/s
            _slider("medium_efficiency", 0.9228, 0.5, 1.0, 0.0001),
        ),
        outputs=_quantities(
            "goodput_mbps",
            "throughput_mbps",
            "packet_rate_hz",
            "window_packet_rate_hz",
            "window_packets",
            "lone_rtt_us",
            "medium_packet_rate_hz",
        ),
        named=(
            "packet_rate_hz",
            "window_packet_rate_hz",
            "window_packets",
            "lone_rtt_us",
            "medium_packet_rate_hz",
        ),
        citation=ZEC_2002 + ", eq. 14–19",
        plane=_DELAY_BY_MTU,
        axes=MappingProxyType({"delay_us": "x", "mtu_bytes": "y"}),
        notes=(
            "The paper's figures 6 and 7 carry the same caption, N = 1 and RTT 0.739 ms, and its "
            "figure 5 has N = 2; its text describes one coalescing interface for the first two "
            "and two for the last two.",
        ),
    ),
)

#: Every model by its id.
MODELS: Mapping[str, Model] = MappingProxyType({model.id: model for model in _MODELS})
