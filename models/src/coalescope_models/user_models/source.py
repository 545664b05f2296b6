# SPDX-License-Identifier: Apache-2.0
"""From the Python text of a model to its document, or to what is wrong with it and where.

The text is run as it is. Who calls this runs it where its author may run code: on the author's own
machine, or in the page's sandbox. A file looks like this::

    UNITS = {"base_us": "µs"}
    BOUNDS = {"base_us": (0, 500), "delay_us": (0, 200)}

    def latency(delay_us, base_us=50.0, *, xp):
        \"\"\"Latency grows with the delay.\"\"\"
        return {"latency_us": base_us + delay_us}

The first line of the module's docstring, or of the function's, is the title. What has a default, in
the signature or in `DEFAULTS`, is a parameter; the rest are inputs. `BOUNDS` holds the ranges of
both, `UNITS` the units of names that the glossary does not know.
"""

from __future__ import annotations

import ast
import inspect
import json
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType, TracebackType
from typing import Any

from ..expr import GraphError, trace
from .former_names import offer_former_names
from .model import UserModelError, document_of

MODULE = "coalescope_user_model"
_NAMESPACE = "xp"
_PREFERRED = "model"
_WRITE = (
    "Write def my_model(delay_us, mtu_bytes, cost_us=5.0, *, xp): … return {'latency_us': …}, and "
    "BOUNDS = {'cost_us': (0, 50)} for the ranges of parameters."
)
_SYMBOLS = "Its inputs are symbols, not numbers: use xp.sqrt and the like, not numpy's."


@dataclass(frozen=True)
class Place:
    """A stretch of the text: lines from 1, columns from 0, the end not included."""

    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class SourceError(ValueError):
    """The text is no model.

    Attributes:
        message: what is wrong.
        advice: what to write instead; "" where the message says it.
        place: where, None where nothing in the text is to blame.
        able: functions among which the caller can choose, if there are several.
    """

    def __init__(
        self, message: str, advice: str = "", place: Place | None = None, able: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.place = place
        self.able = able


def read_source(text: str, name: str = "model.py", function: str | None = None) -> dict[str, Any]:
    """Run the text, record its function as a graph, and return the document of the model.

    Args:
        text: Python.
        name: what to call it in messages.
        function: which of its functions; by default the only one that takes xp, or `model`.

    Raises:
        SourceError: the text does not run, has no such function, or it cannot be recorded.
    """
    try:
        return _read(text, name, function)
    except SourceError as error:
        if error.place is not None and not isinstance(error.__cause__, SyntaxError):
            error.place = _in_characters(error.place, text)
        raise


def answer(text: str) -> str:
    """Return the document, or what is wrong, as JSON for the page."""
    try:
        return json.dumps({"document": read_source(text)}, allow_nan=False)
    except SourceError as error:
        place = {} if error.place is None else vars(error.place)
        told = {"message": error.message, "advice": error.advice, **place}
        return json.dumps({"error": told})


def _read(text: str, name: str, function: str | None) -> dict[str, Any]:
    members = _run(text, name)
    chosen = _function(members, name, function)
    tree = ast.parse(text)
    definition = _definition(tree, chosen)
    defaults = _defaults(chosen, members, tree, definition)
    names = [p for p in inspect.signature(chosen).parameters if p != _NAMESPACE]
    said = ast.get_docstring(tree) or inspect.getdoc(chosen) or ""
    title = (said.strip() or chosen.__name__).splitlines()[0].rstrip(".")
    try:
        graph = trace(chosen, names)
        return document_of(
            title[:200],
            graph,
            defaults,
            _mapping(members, "BOUNDS", tree),
            _mapping(members, "UNITS", tree),
        )
    except UserModelError as error:
        raise SourceError(f"{error}.", _WRITE, _named(tree, definition, error.name)) from None
    except GraphError as error:
        place = _innermost(error, name) or _last_return(definition)
        raise SourceError(_sentence(error), _WRITE, place) from None
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(
            f"{chosen.__name__} fails when it is traced: {type(error).__name__}: {error}.",
            _SYMBOLS,
            _innermost(error, name) or _place(definition),
        ) from error


def _run(text: str, name: str) -> dict[str, Any]:
    offer_former_names()
    members: dict[str, Any] = {"__name__": MODULE, "__file__": name}
    try:
        code = compile(text, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = _syntax_place(error)
        raise SourceError(
            f"{name} fails when it is run: {type(error).__name__}: {error.msg}.",
            "Correct the marked line." if place else "",
            place,
        ) from error
    except ValueError as error:  # a NUL in the text
        raise SourceError(f"{name} fails when it is run: {error}.") from error
    try:
        exec(code, members)  # noqa: S102 - what it is for; see the module's first lines
    except (Exception, SystemExit) as error:
        raise SourceError(
            f"{name} fails when it is run: {type(error).__name__}: {error}.",
            place=_innermost(error, name),
        ) from error
    return members


def _function(members: Mapping[str, Any], name: str, wanted: str | None) -> FunctionType:
    able = {
        key: value
        for key, value in members.items()
        if isinstance(value, FunctionType)
        and value.__module__ == MODULE
        and not key.startswith("_")
        and _NAMESPACE in inspect.signature(value).parameters
    }
    if wanted is None and len(able) == 1:
        return next(iter(able.values()))
    wanted = wanted or _PREFERRED
    if wanted in able:
        return able[wanted]
    found = ", ".join(able) or "none"
    if wanted != _PREFERRED:
        message = f"{name} has no function {wanted!r} that takes xp; it has {found}."
    else:
        message = f"{name} must have one function that takes xp; it has {found}."
    several = "Name the one that is meant `model`, or let the names of the others begin with _."
    raise SourceError(message, several if len(able) > 1 else _WRITE, able=tuple(able))


def _defaults(
    function: FunctionType, members: Mapping[str, Any], tree: ast.Module, definition: ast.AST
) -> dict[str, float]:
    parameters = inspect.signature(function).parameters
    given = {
        n: p.default for n, p in parameters.items() if p.default is not inspect.Parameter.empty
    }
    declared = _mapping(members, "DEFAULTS", tree)
    for name in declared:
        if name not in parameters:
            raise SourceError(
                f"{name} has a default but {function.__name__} takes no {name}.",
                _WRITE,
                _named(tree, definition, name),
            )
    found = {n: declared.get(n, given.get(n)) for n in parameters if n in declared or n in given}
    for name, default in found.items():
        if isinstance(default, bool) or not isinstance(default, int | float):
            raise SourceError(
                f"The default of {name} is not a number.", _WRITE, _named(tree, definition, name)
            )
    return found


def _mapping(members: Mapping[str, Any], name: str, tree: ast.Module) -> Mapping[str, Any]:
    value = members.get(name, {})
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    raise SourceError(f"{name} is not a dict from names.", _WRITE, _assigned(tree, name))


# ---- places -------------------------------------------------------------------------------------


def _syntax_place(error: SyntaxError) -> Place | None:
    if not error.lineno:  # of a NUL in the text
        return None
    column = max(0, (error.offset or 1) - 1)
    end = error.end_offset - 1 if error.end_offset and error.end_offset > 0 else None
    return Place(error.lineno, column, error.end_lineno, end)


def _in_characters(place: Place, text: str) -> Place:
    """Python counts columns in bytes of UTF-8."""
    lines = text.split("\n")

    def column(line: int | None, at: int | None) -> int | None:
        if line is None or at is None or not 0 < line <= len(lines):
            return None
        return len(lines[line - 1].encode()[:at].decode(errors="ignore"))

    return Place(
        place.line,
        column(place.line, place.column),
        place.end_line,
        column(place.end_line, place.end_column),
    )


def _innermost(error: BaseException, name: str) -> Place | None:
    """Where in the text the error came up: the innermost frame that is of the text."""
    found: TracebackType | None = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == name:
            found = step
        step = step.tb_next
    if found is None:
        return None
    summary = traceback.extract_tb(found, limit=1)[0]
    return Place(summary.lineno or 1, summary.colno, summary.end_lineno, summary.end_colno)


def _place(node: ast.AST) -> Place | None:
    line = getattr(node, "lineno", None)
    if line is None:  # of the whole text
        return None
    if isinstance(node, ast.FunctionDef):  # its first line, not all of its body
        return Place(line, node.col_offset)
    return Place(
        line,
        getattr(node, "col_offset", None),
        getattr(node, "end_lineno", None),
        getattr(node, "end_col_offset", None),
    )


def _definition(tree: ast.Module, function: Callable[..., Any]) -> ast.AST:
    line = function.__code__.co_firstlineno
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (
            node.lineno == line or any(d.lineno == line for d in node.decorator_list)
        ):
            return node
    return tree


def _last_return(definition: ast.AST) -> Place | None:
    returns = [node for node in ast.walk(definition) if isinstance(node, ast.Return)]
    return _place(returns[-1] if returns else definition)


def _assigned(tree: ast.Module, name: str) -> Place | None:
    for node in reversed(tree.body):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return _place(node)
    return None


def _named(tree: ast.Module, definition: ast.AST, name: str) -> Place | None:
    """The last string of that name, as in BOUNDS or among the outputs; else its argument."""
    for statement in reversed(tree.body):
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and node.value == name:
                return _place(node)
    for node in ast.walk(definition):
        if isinstance(node, ast.arg) and node.arg == name:
            return _place(node)
    return _place(definition)


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
