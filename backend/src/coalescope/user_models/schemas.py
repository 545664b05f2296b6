# SPDX-License-Identifier: Apache-2.0
"""A user's model as the API and the command line take it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints

_Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
_Unit = Annotated[str, Field(max_length=60)]
_MOST_NAMES = 64


EXAMPLE: dict[str, Any] = {
    "format": 1,
    "title": "Latency grows with the delay",
    "inputs": [{"name": "delay_us"}],
    "parameters": [{"name": "base_us", "default": 50, "lo": 0, "hi": 500}],
    "graph": {
        "format": 1,
        "inputs": ["delay_us", "base_us"],
        "nodes": [["input", 0], ["input", 1], ["add", 0, 1]],
        "outputs": {"latency_us": 2},
    },
}


class UserInputIn(BaseModel):
    """What varies: an input of the graph."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name
    source: Annotated[str, Field(max_length=200)] | None = Field(
        default=None,
        description="The factor or measure that a fit takes it from; by default that of its name",
    )
    unit: _Unit = Field(default="", description="Of a name that the glossary does not know")
    lo: FiniteFloat | None = Field(default=None, description="Where a plot of it begins")
    hi: FiniteFloat | None = Field(default=None, description="Where a plot of it ends")


class UserParameterIn(BaseModel):
    """A constant of the graph, and the range that a fit may search."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name
    default: FiniteFloat
    lo: FiniteFloat
    hi: FiniteFloat
    unit: _Unit = ""


class UserOutputIn(BaseModel):
    """What an output of the graph is counted in."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: _Name
    unit: _Unit = Field(default="", description="Of a name that the glossary does not know")


class UserModelIn(BaseModel):
    """A model as data: an expression graph, and what its inputs are.

    `coalescope trace` writes one from a Python function. Nothing of it is run as code: the graph
    holds listed operations only, and is bounded.
    """

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [EXAMPLE]},
    )

    format: Literal[1]
    title: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"\S"),
    ]
    inputs: Annotated[list[UserInputIn], Field(max_length=_MOST_NAMES)]
    parameters: Annotated[list[UserParameterIn], Field(max_length=_MOST_NAMES)] = []
    outputs: Annotated[list[UserOutputIn], Field(max_length=_MOST_NAMES)] = []
    graph: dict[str, Any] = Field(description="As GET /api/models gives the graphs of its models")

    def sources(self) -> dict[str, str]:
        """Where inputs come from that do not come from their own name."""
        return {given.name: given.source for given in self.inputs if given.source is not None}

    def units(self) -> dict[str, str]:
        """Units of inputs and outputs that the glossary does not know."""
        named: list[UserInputIn | UserOutputIn] = [*self.inputs, *self.outputs]
        return {given.name: given.unit for given in named}
