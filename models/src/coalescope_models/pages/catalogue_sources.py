# SPDX-License-Identifier: Apache-2.0
"""The models of the catalogue as texts of their own, to start from: their real source, and whence.

python -m coalescope_models.pages.catalogue_sources > sources.json
"""

from __future__ import annotations

import inspect
import json
import sys
import textwrap
import types
from collections.abc import Mapping
from typing import Any

from ..catalogue import MODELS, Model
from ..user_models.source import read_source

FORMAT = 1

#: What a model of your own starts from: every declaration that there is, used once.
TEMPLATE = '''\
# A model of your own: change it, then press Run.

# The glossary's names (delay_us, mtu_bytes, latency_us) bring
# their units along; others say theirs here.
UNITS = {"wait_us": "µs", "share": ""}

# Where sliders and plots begin and end.
BOUNDS = {
    "delay_us": (0, 200),
    "wait_us": (0, 100),
    "share": (0, 1),
}


# What has a default is a parameter, the rest are inputs.
def model(
    delay_us, mtu_bytes, wait_us=20.0, share=0.5, link_rate_mbps=1000.0, *, xp
):
    """Latency of a frame that waits for a share of the delay."""
    wire_us = 8 * (mtu_bytes + 18) / link_rate_mbps
    held_us = xp.maximum(delay_us - wire_us, 0)
    return {"latency_us": wire_us + wait_us + share * held_us}
'''


def source_of(model: Model) -> dict[str, Any]:
    """Return the text of a model, where it stands, and the document that it traces to."""
    function = model.function
    module = inspect.getmodule(function)
    if module is None:
        raise AssertionError(f"{model.id} comes from no module")
    body = inspect.getsource(function)
    file = module.__name__.replace(".", "/") + ".py"
    line = function.__code__.co_firstlineno
    head = f'"""{model.title}.\n\n{_wrapped(model.citation)}\nSource: {file}, line {line}.\n"""\n'
    imports = _imports(function, module)
    declared: list[tuple[str, Mapping[str, Any]]] = [
        ("DEFAULTS", model.defaults),
        ("BOUNDS", {p.name: (p.lo, p.hi) for p in model.parameters}),
    ]
    tail = "".join(f"\n{name} = {_literal(value)}\n" for name, value in declared if value)
    text = f"{head}\n{imports}\n\n\n{body}\n{tail}"
    return {"text": text, "file": file, "line": line, "document": read_source(text)}


def _imports(function: Any, module: types.ModuleType) -> str:
    """What the function takes from around it, as imports from where each name is defined."""
    wanted: dict[str, list[str]] = {}
    for name in sorted({"Any", *_globals_of(function.__code__)} & set(vars(module))):
        home = getattr(vars(module)[name], "__module__", None) or module.__name__
        wanted.setdefault(home, []).append(name)
    outside = [home for home in wanted if not home.startswith("coalescope_models.")]
    own = [home for home in wanted if home not in outside]
    lines = [["from __future__ import annotations"]]
    for homes in (sorted(outside), sorted(own)):
        if homes:
            lines.append([f"from {home} import {', '.join(wanted[home])}" for home in homes])
    return "\n\n".join("\n".join(block) for block in lines)


def _globals_of(code: types.CodeType) -> set[str]:
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*(_globals_of(c) for c in inner))


def _literal(value: Mapping[str, Any]) -> str:
    return "{\n" + "".join(f'    "{name}": {item!r},\n' for name, item in value.items()) + "}"


def _wrapped(words: str) -> str:
    return "\n".join(textwrap.wrap(words, 72))


def sources() -> dict[str, Any]:
    """Return every model's text, and the template."""
    return {
        "format": FORMAT,
        "template": {"text": TEMPLATE, "document": read_source(TEMPLATE)},
        "models": {model.id: source_of(model) for model in MODELS.values()},
    }


def main() -> None:
    """Write the texts to standard output."""
    json.dump(sources(), sys.stdout, ensure_ascii=False, allow_nan=False)


if __name__ == "__main__":
    main()
