# SPDX-License-Identifier: Apache-2.0
"""Writes the manual page of a sweep's plan file: what each key, factor and workload takes.

Factors and options of workloads are those of the plan's registry; what else may stand in a plan is
told as docs/sweep.md tells it, below "The plan".
"""

import re
import time
from collections.abc import Iterator
from os import environ
from pathlib import Path

from coalescope_host.command_line import VERSION
from coalescope_host.plan.factors import FACTORS, FAMILIES
from coalescope_host.plan.registry import BY_NAME, OFFLOAD_FAMILIES, OFFLOADS
from coalescope_host.plan.workload_options import KINDS, Option

NAME = "coalescope-host-plan"
_MANUAL = Path(__file__).with_name("sweep.md")
_TYPES = {int: "a whole number", float: "a number", str: "a text", list: "a list of texts"}
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def plan_page() -> str:
    """The page, in mdoc."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    made = time.gmtime(int(environ.get("SOURCE_DATE_EPOCH") or time.time()))
    yield '.\\" SPDX-License-Identifier: Apache-2.0'
    yield f".Dd {time.strftime('%B', made)} {made.tm_mday}, {made.tm_year}"
    yield f".Dt {NAME.upper()} 5"
    yield f".Os Coalescope {VERSION}"
    yield from (".Sh NAME", f".Nm {NAME}", ".Nd what a sweep varies, and how it measures")
    yield from (".Sh DESCRIPTION", "A plan is a TOML file.")
    parts = _parts()
    yield from _told(parts.pop("The plan"))
    yield from (".Sh FACTORS", *_told(_prose(parts.pop("[factors]"))), *_factors())
    workloads = parts.pop("[workloads.NAME]")
    for title, text in parts.items():
        yield from (f".Sh {_roff(title.upper())}", *_told(text))
    yield from (".Sh WORKLOADS", *_told(_prose(workloads)), *_workloads(workloads))
    yield from (".Sh SEE ALSO", ".Xr coalescope-host-sweep 1 ,", ".Xr coalescope-logger 1")


def _parts() -> dict[str, str]:
    """The sections of the manual that tell of the plan, by their titles."""
    text = _MANUAL.read_text(encoding="utf-8").partition("\n## The plan\n")[2]
    first, *more = re.split(r"^### (.*)$", text.partition("\n## ")[0], flags=re.MULTILINE)
    titles = (title.replace("`", "") for title in more[::2])
    return {"The plan": first, **dict(zip(titles, more[1::2], strict=True))}


def _prose(text: str) -> str:
    """Without tables: the registry knows better."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


def _factors() -> Iterator[str]:
    yield ".Bl -tag -width Ds"
    for name, rule in FACTORS.items():
        row = BY_NAME.get(name)
        other = f" ({row.word})" if row is not None and row.word != name else ""
        yield from (f".It {_roff(name + other)}", _sentence(rule.description))
    for family, (_, rule) in FAMILIES.items():
        yield from (f".It {family}.NAME", _sentence(rule.description))
        if family == "offload":
            words = ", ".join((*OFFLOADS, *OFFLOAD_FAMILIES))
            yield f"NAME is {words}, or the kernel's own name of a feature."
    yield ".El"


def _workloads(manual: str) -> Iterator[str]:
    traffic = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", manual, re.MULTILINE))
    for kind, options in KINDS.items():
        yield from (f".Ss {_roff(kind)}", _sentence(_plain(traffic[kind])))
        yield ".Bl -tag -width Ds"
        for name, option in options.items():
            yield from (f".It {_roff(name)}", _sentence(_bounds(option)))
        yield ".El"


def _bounds(option: Option) -> str:
    text = _TYPES[option.type]
    if option.type in (int, float):
        text += f" from {option.low:.12g} to {option.high:.12g}"
    return text + (", required" if option.required else "")


# --- from Markdown ---


def _told(text: str) -> Iterator[str]:
    """Paragraphs, tables of two columns and code."""
    for block in re.split(r"\n\n+", text.strip()):
        if block.startswith("```"):
            yield from (".Bd -literal", *map(_roff, block.splitlines()[1:-1]), ".Ed")
        elif block.startswith("|"):
            yield from _listed(block)
        elif block:
            yield from (".Pp", *map(_plain, block.splitlines()))


def _listed(table: str) -> Iterator[str]:
    yield ".Bl -tag -width Ds"
    for row in table.splitlines()[2:]:
        key, text = row.strip("| ").split(" | ", 1)
        yield from (f".It {_plain(key)}", _plain(text))
    yield ".El"


def _plain(text: str) -> str:
    return _roff(_LINK.sub(r"\1", text).replace("`", ""))


def _sentence(text: str) -> str:
    return _roff(text[0].upper() + text[1:] + ("" if text.endswith("…") else "."))


def _roff(text: str) -> str:
    """Text as mdoc takes it: a point or a quotation mark that begins a line is no order."""
    escaped = text.replace("\\", "\\e")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
