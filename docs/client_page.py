# SPDX-License-Identifier: Apache-2.0
"""The reference of `import coalescope` in the documents' site, from its docstrings."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coalescope

AT = Path("client-reference.md")
_INTRODUCTION = """\
All that `import coalescope as cs` offers, from its docstrings.
[Experiments in Python](client.md) shows it at work.
"""
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Errors|Yields):$", re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+): ", re.MULTILINE)


def pages() -> dict[Path, str]:
    """The text of the page, by its place in the site's sources."""
    parts = "\n\n".join(part for name in coalescope.__all__ for part in _offered(name))
    return {AT: f"# Python reference\n\n{_INTRODUCTION}\n{parts}\n"}


def _offered(name: str) -> Iterator[str]:
    thing = getattr(coalescope, name)
    yield f"## cs.{name}"
    if not inspect.isclass(thing):
        yield _signed(f"cs.{name}", thing)
        yield _said(thing)
        return
    yield _said(thing)
    for own, member in vars(thing).items():
        if own.startswith("_") or not inspect.getdoc(member):
            continue
        if isinstance(member, property):
            yield f"### {name}.{own}"
            yield _said(member)
        elif inspect.isroutine(member):
            yield f"### {name}.{own}()"
            yield _signed(own, getattr(thing, own))
            yield _said(member)


def _signed(name: str, function: Any) -> str:
    taken = [str(each) for each in inspect.signature(function).parameters.values()]
    taken = [text for text in taken if text != "self"]
    return "```python\n" + f"{name}({', '.join(taken)})" + "\n```"


def _said(thing: Any) -> str:
    """A docstring as Markdown: sections as lists."""
    text = (inspect.getdoc(thing) or "").replace("*", "\\*")
    text = _ENTRY.sub(r"- `\1`: ", text)
    text = _SECTION.sub(r"\1:\n", text)
    return re.sub(r"^ {4,}(?=\S)", "  ", text, flags=re.MULTILINE)
