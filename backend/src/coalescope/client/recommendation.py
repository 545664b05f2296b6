# SPDX-License-Identifier: Apache-2.0
"""A recommendation as a program on a person's machine has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coalescope.client.source import Document
from coalescope.client.tables import candidates_table
from coalescope.errors import CoalescopeError
from coalescope.experiments.records import FactorValue

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, repr=False)
class Recommendation:
    """The setting to choose, the others, and what is known of chance.

    Attributes:
        document: all of it, as `coalescope recommend --json` and the API have it.
    """

    document: Document
    _factors: Sequence[Document]

    @property
    def answer(self) -> Mapping[str, FactorValue] | None:
        """The levels to set; None where the data are not enough to choose one."""
        place = self.document["answer"]
        return None if place is None else self.document["candidates"][place]["factors"]

    @property
    def message(self) -> str | None:
        """What limits the answer, and what to measure."""
        found: str | None = self.document["message"]
        return found

    @property
    def candidates(self) -> "pyarrow.Table":
        """A row per setting, the best first: its means, and how far it lies below the best."""
        return candidates_table(self.document, self._factors)

    @property
    def effects(self) -> Sequence[Document]:
        """What the answer changes in each measure, against `document["reference"]`."""
        found: Sequence[Document] = self.document["effects"]
        return found

    @property
    def commands(self) -> Document | None:
        """Commands that set it, and the way back; None without an interface, or an answer."""
        found: Document | None = self.document["commands"]
        return found

    def __repr__(self) -> str:
        if self.answer is None:
            lines = ["Nothing to set."]
        else:
            levels = (f"{name} {level}" for name, level in self.answer.items())
            lines = [f"Set: {', '.join(levels)}"]
        for effect in self.effects:
            low, high = effect["ci95_percent"] or (None, None)
            interval = "" if low is None else f" ({low:+.3g} to {high:+.3g})"
            lines.append(f"  {effect['measure']} {effect['change_percent']:+.3g} %{interval}")
        return "\n".join([*lines, *([self.message] if self.message else [])])


def refuse_without_aim(aims: Sequence[Document], weights: Mapping[str, float]) -> None:
    """Errors: CoalescopeError where nothing is aimed at, or what has a weight is no aim."""
    if not aims:
        raise CoalescopeError(
            "no_aim",
            "Say what is wanted: at least one measure.",
            advice='Name it with maximise or minimise, such as maximise="throughput_mbps".',
        )
    for name in weights:
        raise CoalescopeError(
            "wrong_weight",
            f"{name} has a weight but is no aim.",
            advice="Name it with maximise or minimise.",
        )
