# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a graph, each kind as a type of its own."""

from __future__ import annotations


class GraphError(ValueError):
    """Anything wrong with a graph, with the function it is traced from, or with its use."""


class GraphFormatError(GraphError):
    """The data is not a graph. `where` names the part, e.g. ``nodes[3]``."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where
        self._message = message

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.where, self._message))


class GraphLimitError(GraphError):
    """The graph is larger than a bound allows. `limit` names the bound, `allowed` is its value."""

    def __init__(self, limit: str, allowed: int) -> None:
        super().__init__(f"the graph exceeds the limit {limit} of {allowed}")
        self.limit = limit
        self.allowed = allowed

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.limit, self.allowed))


class TraceError(GraphError):
    """The function does something that cannot be recorded in a graph."""


class UnlistedOperationError(TraceError, AttributeError):
    """The function asked its namespace for an operation that is not listed."""


class EvaluationError(GraphError):
    """The values do not match the inputs of the graph."""
