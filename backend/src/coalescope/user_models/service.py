# SPDX-License-Identifier: Apache-2.0
"""From a user's document to a model; all refusals happen here, before any work is done."""

from collections.abc import Iterator

from coalescope_models.expr import Graph, GraphError, GraphFormatError, GraphLimitError
from coalescope_models.user_models.model import Constant, UserModel, UserModelError, user_model

from coalescope.errors import CoalescopeError, sentence
from coalescope.untrusted.texts import refuse_control
from coalescope.user_models.schemas import (
    UserInputIn,
    UserModelIn,
    UserOutputIn,
    UserParameterIn,
)

_WHICH_BOUND = {
    "nodes": "Write the function with fewer operations.",
    "expanded_size": "Shared parts count each time they are used: use them less often.",
    "inputs": "Make some inputs constants.",
    "outputs": "Keep the outputs that are needed.",
}


def read_user_model(document: UserModelIn) -> UserModel:
    """Return the model. Errors: 422 saying which text or part of it is wrong, or too large."""
    for field, text in _texts(document):
        refuse_control(field, text)
    try:
        graph = Graph.from_json(document.graph)
        return user_model(
            document.title,
            graph,
            [given.name for given in document.inputs],
            [Constant(p.name, p.default, p.lo, p.hi, p.unit) for p in document.parameters],
            document.units(),
        )
    except GraphLimitError as error:
        raise CoalescopeError(
            "graph_too_large",
            sentence(str(error)),
            where={"limit": error.limit, "allowed": error.allowed},
            advice=_WHICH_BOUND[error.limit],
        ) from None
    except GraphFormatError as error:
        raise CoalescopeError(
            "graph_refused",
            f"The graph cannot be read: {error}.",
            where={"field": f"graph.{error.where}"},
            advice="GET /api/models shows graphs; `coalescope trace` writes one.",
        ) from None
    except GraphError as error:
        raise CoalescopeError("graph_refused", sentence(str(error))) from None
    except UserModelError as error:
        raise CoalescopeError(
            "user_model_refused",
            sentence(str(error)),
            where={"field": error.name},
            advice="Inputs and parameters together are the graph's inputs, each named once.",
        ) from None


def _texts(document: UserModelIn) -> Iterator[tuple[str, str]]:
    """What may be any text, by where it stands."""
    yield "title", document.title
    parts: list[UserInputIn | UserParameterIn | UserOutputIn] = [
        *document.inputs,
        *document.parameters,
        *document.outputs,
    ]
    for part in parts:
        yield f"unit of {part.name}", part.unit
    for name, source in document.sources().items():
        yield f"source of {name}", source
