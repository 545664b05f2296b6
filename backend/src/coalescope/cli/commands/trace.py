# SPDX-License-Identifier: Apache-2.0
"""coalescope trace FILE.py: from a person's own function, on their own machine, to data."""

import json
import sys
from argparse import Namespace
from typing import Any

from coalescope_models.user_models.source import SourceError, read_source
from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.glossary.quantities import factor, is_free_factor, measure


def run(arguments: Namespace) -> int:
    """Run the file, record its function as a graph, print it as a document."""
    text = arguments.file.read_bytes()
    try:
        document = read_source(_decoded(text), str(arguments.file), arguments.function)
    except SourceError as error:
        raise CoalescopeError(
            "user_model_refused",
            error.message,
            where={} if error.place is None else {"line": error.place.line},
            advice=_advice(error, arguments.function),
        ) from error
    for name, source in arguments.sources:
        _take_from(document, name, source)
    printed = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if arguments.write is None:
        sys.stdout.write(printed)
    else:
        arguments.write.write_text(printed, encoding="utf-8")
    return 0


def _advice(error: SourceError, function: str | None) -> str:
    if not error.able:
        return error.advice
    near = "" if function is None else did_you_mean(function, error.able)
    return f"{near}Name it with --function."


def _quantities() -> list[str]:
    return [name for name, q in QUANTITIES.items() if q.role in ("factor", "measure")]


def _take_from(document: dict[str, Any], name: str, source: str) -> None:
    """Let an input come from a factor or measure. Errors: 422 for one that is not there."""
    found = next((given for given in document["inputs"] if given["name"] == name), None)
    if found is None:
        names = [given["name"] for given in document["inputs"]]
        raise CoalescopeError(
            "user_model_refused",
            f"The function has no input {name!r}.",
            where={"field": name},
            advice=f"{did_you_mean(name, names)}Its inputs are {', '.join(names) or 'none'}.",
        )
    if not (is_free_factor(source) or factor(source) or measure(source)):
        raise CoalescopeError(
            "user_model_refused",
            f"{source!r} is neither a factor nor a measure.",
            where={"field": name},
            advice=f"{did_you_mean(source, _quantities())}Name one of the glossary, or one of your "
            "own: factor.NAME, measure.NAME.",
        )
    found["source"] = source


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise SourceError(
            f"The file is not UTF-8: byte {error.start} is none.", "Save it as UTF-8."
        ) from None
