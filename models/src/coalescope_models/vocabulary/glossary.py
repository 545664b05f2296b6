# SPDX-License-Identifier: Apache-2.0
"""Write the glossary from the quantities.

python -m coalescope_models.vocabulary.glossary > docs/glossary.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from .quantity import QUANTITIES, ROLES, Quantity, Role

_HEAD = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `python -m coalescope_models.vocabulary.glossary`: change quantities.toml there. -->

# Glossary

Every quantity has one name, used alike in Python, SQL, JSON, TypeScript and CSV. A column of a
table that you upload carries one of these names and its values are in the unit given here; a factor
of your own is a column `factor.<name>`. Ranges are closed; “…” is no bound.

A **cell** is one combination of factor levels. A **run** is one replicate of a cell; the column
`replicate` numbers them. A **kind** says where data comes from: `published`, `measured`, `emulated`
or `simulated`. kB, MB and GB are powers of 1000.
"""

_TITLES: dict[Role, str] = {
    "factor": "Factors",
    "measure": "Measures",
    "parameter": "Model parameters",
    "model": "Model inputs and outputs",
}


def glossary() -> str:
    """Return the glossary as Markdown."""
    return "\n".join([_HEAD, *(_section(role) for role in _TITLES)])


def _section(role: Role) -> str:
    quantities = [q for q in QUANTITIES.values() if q.role == role]
    meaning = ROLES[role]
    lines = [
        f"## {_TITLES[role]}",
        "",
        f"{meaning[0].upper()}{meaning[1:]}.",
        "",
        "| name | unit | range | meaning |",
        "|---|---|---|---|",
        *(_row(quantity) for quantity in quantities),
        "",
    ]
    sources = _sources(quantities)
    if sources:
        lines += ["Sources:", "", *sources, ""]
    return "\n".join(lines)


def _row(quantity: Quantity) -> str:
    unit = "text" if quantity.text else quantity.unit or "1"
    return f"| `{quantity.name}` | {unit} | {_range(quantity)} | {quantity.description} |"


def _range(quantity: Quantity) -> str:
    lo, hi = quantity.domain
    if lo is None and hi is None:
        return ""
    return f"{_bound(lo)} to {_bound(hi)}"


def _bound(value: float | None) -> str:
    return "…" if value is None else f"{value:.10g}"


def _sources(quantities: Iterable[Quantity]) -> list[str]:
    """Return one line for each source, with the names that come from it."""
    names: dict[str, list[str]] = {}
    for quantity in quantities:
        if quantity.source:
            names.setdefault(quantity.source, []).append(f"`{quantity.name}`")
    return [f"- {source}: {', '.join(who)}." for source, who in names.items()]


def main() -> None:
    """Write the glossary to standard output."""
    sys.stdout.write(glossary())


if __name__ == "__main__":
    main()
