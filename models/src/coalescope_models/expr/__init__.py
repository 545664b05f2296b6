# SPDX-License-Identifier: Apache-2.0
"""The expression graph: trace a model function once, then evaluate it or print it.

`trace` runs a function with operands that record what is done to them. The result is a `Graph`: a
small, bounded piece of data made of listed operations, that can be evaluated on floats and on
arrays, printed as a JavaScript kernel or as LaTeX, and kept as JSON.

The operations follow IEEE 754 in every engine: 1/0 is inf, 0/0 and log(-1) are nan, exp(1000) is
inf; nothing raises. The sign of a zero that `minimum` or `maximum` picks between 0 and -0 is not
defined.
"""

from .derivative import Differentiable, value_and_derivatives
from .errors import (
    EvaluationError,
    GraphError,
    GraphFormatError,
    GraphLimitError,
    TraceError,
    UnlistedOperationError,
)
from .expression import LIMITS, Graph, Limits, Node
from .javascript import kernel
from .latex import Notation, equations, formula
from .operations import FLOATS, OPERATIONS, Operation
from .tracing import Traced, trace

__all__ = [
    "FLOATS",
    "LIMITS",
    "OPERATIONS",
    "Differentiable",
    "EvaluationError",
    "Graph",
    "GraphError",
    "GraphFormatError",
    "GraphLimitError",
    "Limits",
    "Node",
    "Notation",
    "Operation",
    "TraceError",
    "Traced",
    "UnlistedOperationError",
    "equations",
    "formula",
    "kernel",
    "trace",
    "value_and_derivatives",
]
