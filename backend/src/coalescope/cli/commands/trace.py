# SPDX-License-Identifier: Apache-2.0
"""coalescope trace FILE.py: from a person's own function, on their own machine, to data."""

import inspect
import json
import runpy
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from coalescope_models.graph import GraphError, trace
from coalescope_models.user_model import UserModelError, document_of

from coalescope.errors import CoalescopeError

_NAMESPACE = "xp"
_ADVICE = (
    "Write def my_model(delay_us, mtu_bytes, cost_us=5.0, *, xp): … return {'latency_us': …}, and "
    "BOUNDS = {'cost_us': (0, 50)} for the ranges of parameters."
)


def run(arguments: Namespace) -> int:
    """Run the file, record its function as a graph, print it as a document."""
    members = _run_file(arguments.file)
    function = _function(members, arguments.function, arguments.file)
    text = json.dumps(_document(function, members), indent=1, ensure_ascii=False) + "\n"
    if arguments.write is None:
        sys.stdout.write(text)
    else:
        arguments.write.write_text(text, encoding="utf-8")
    return 0


def _run_file(path: Path) -> Mapping[str, Any]:
    with path.open("rb"):
        pass  # what cannot be read is complained of as any file
    try:
        return runpy.run_path(str(path), run_name="coalescope_user_model")
    except Exception as error:
        raise CoalescopeError(
            "user_model_refused",
            f"{path} fails when it is run: {type(error).__name__}: {error}.",
            advice="Run it with python to see where.",
        ) from error


def _function(members: Mapping[str, Any], name: str | None, path: Path) -> Callable[..., Any]:
    able = {
        key: value
        for key, value in members.items()
        if inspect.isfunction(value) and _NAMESPACE in inspect.signature(value).parameters
    }
    if name is None and len(able) == 1:
        return next(iter(able.values()))
    if name in able:
        return able[name]
    found = ", ".join(able) or "none"
    raise CoalescopeError(
        "user_model_refused",
        f"{path} has no function {name!r} that takes xp; it has {found}."
        if name
        else f"{path} must have one function that takes xp; it has {found}.",
        advice="Name it with --function." if able and name is None else _ADVICE,
    )


def _document(function: Callable[..., Any], members: Mapping[str, Any]) -> dict[str, Any]:
    parameters = [
        parameter
        for name, parameter in inspect.signature(function).parameters.items()
        if name != _NAMESPACE
    ]
    defaults = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    for name, default in defaults.items():
        if isinstance(default, bool) or not isinstance(default, int | float):
            raise CoalescopeError(
                "user_model_refused",
                f"The default of {name} is not a number.",
                where={"field": name},
                advice=_ADVICE,
            )
    title = (inspect.getdoc(function) or function.__name__).splitlines()[0].rstrip(".")
    try:
        graph = trace(function, [parameter.name for parameter in parameters])
        return document_of(title[:200], graph, defaults, members.get("BOUNDS", {}))
    except (GraphError, UserModelError) as error:
        text = str(error)
        raise CoalescopeError(
            "user_model_refused", f"{text[:1].upper()}{text[1:]}.", advice=_ADVICE
        ) from None
    except Exception as error:
        raise CoalescopeError(
            "user_model_refused",
            f"{function.__name__} fails when it is traced: {type(error).__name__}: {error}.",
            advice="Its inputs are symbols, not numbers: use xp.sqrt and the like, not numpy's.",
        ) from error
