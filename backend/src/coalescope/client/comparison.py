# SPDX-License-Identifier: Apache-2.0
"""A comparison as a program on a person's machine has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

from coalescope.client.source import Document
from coalescope.client.tables import comparison_table
from coalescope.experiments.records import FactorValue
from coalescope.runs.selection import where_pairs

if TYPE_CHECKING:
    import pyarrow

WIDTH = 90  # of what a notebook shows


@dataclass(frozen=True, repr=False)
class Comparison:
    """Ratios of the means of a measure, B over A, with what is known of chance.

    Attributes:
        document: all of it, as `coalescope compare --json` and the API have it.
    """

    document: Document
    _factors: Sequence[Document]

    @property
    def ratio(self) -> float:
        """Over all settings that both sides have, each weighing alike."""
        found: float = self.document["overall_ratio"]
        return found

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95 % interval of the ratio; None where some setting has no replicates."""
        found = self.document["overall_ci95"]
        return None if found is None else (found[0], found[1])

    @property
    def verdict(self) -> str | None:
        """better, worse or unresolved; None where neither direction is better."""
        found: str | None = self.document["overall_verdict"]
        return found

    @property
    def message(self) -> str | None:
        """What limits the answer, and what to measure."""
        found: str | None = self.document["message"]
        return found

    @property
    def cells(self) -> "pyarrow.Table":
        """A row per setting that both sides have: means, their ratio and its intervals."""
        return comparison_table(self.document, self._factors)

    def __repr__(self) -> str:
        told = self.document
        sides = " over ".join(_side(told[side]) for side in ("b", "a"))
        interval = "" if self.ci95 is None else f" [{self.ci95[0]:.4g}, {self.ci95[1]:.4g}]"
        verdict = f", {self.verdict}" if self.verdict else ""
        line = f"{told['measure']['name']}: {self.ratio:.4g}{interval}{verdict}"
        cells = len(told["cells"])
        settings = "1 setting" if cells == 1 else f"{cells} settings"
        lines = [line, f"  {sides}, of {settings}"]
        if self.message:
            lines.append(fill(self.message, WIDTH, initial_indent="  ", subsequent_indent="  "))
        return "\n".join(lines)


def pairs_of_sides(
    where: Mapping[str, FactorValue | list[FactorValue]],
    split: Mapping[str, tuple[FactorValue, FactorValue]],
) -> list[tuple[str, str]]:
    """The levels of both sides as GET /api/comparisons takes them."""
    of_a = {f"a.{name}": levels[0] for name, levels in split.items()}
    of_b = {f"b.{name}": levels[1] for name, levels in split.items()}
    return list(where_pairs({**where, **of_a, **of_b}))


def _side(side: Document) -> str:
    levels = ", ".join(f"{name} {level}" for name, level in side["where"].items())
    return f"{side['experiment']} ({levels})" if levels else str(side["experiment"])
