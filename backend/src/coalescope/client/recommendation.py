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

_UNSEEN_COST = (
    "Nothing to set yet: no latency is known of these data, and a longer wait costs what was not",
    "measured. Limit the wait, or ask with guarded=False:",
)


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
        """The levels to set; None where the data cannot choose one: see `message` and `ask`."""
        place = self.document["answer"]
        return None if place is None else self.document["candidates"][place]["factors"]

    @property
    def message(self) -> str | None:
        """What limits the answer, and what to measure."""
        found: str | None = self.document["message"]
        return found

    @property
    def ask(self) -> Sequence[Document]:
        """How far a delay may go, and what would be set then.

        Where no latency was measured, a longer delay would win at a cost that nobody sees: nothing
        is set until the delay has a limit, or `guarded` is False.
        """
        found: Sequence[Document] = self.document["ask"]
        return found

    @property
    def cautions(self) -> Sequence[str]:
        """What the data set says of itself that a recommendation from it does not see."""
        found: Sequence[str] = self.document["cautions"]
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
        if self.answer is not None:
            lines = [f"Set: {_levels(self.answer)}"]
            lines += [
                f"It costs: {effect['measure']} {effect['reference']:g} → {effect['answer']:g}"
                for effect in self.effects
                if effect["measure"] in self.document["costs"]
            ]
            lines += [_as_good(each, self.document) for each in self.document["equals"]]
            if self.document["model"] is None:
                lines.append("It is of the runs of each setting; no model is in it.")
        elif self.ask:
            lines = [*_UNSEEN_COST, *(_would_be_set(each) for each in self.ask)]
        else:
            lines = ["Nothing to set."]
        for effect in self.effects:
            low, high = effect["ci95_percent"] or (None, None)
            interval = "" if low is None else f" ({low:+.3g} to {high:+.3g})"
            lines.append(f"  {effect['measure']} {_change(effect)}{interval}")
        lines += [f"Caution: {caution}" for caution in self.cautions]
        return "\n".join([*lines, *([self.message] if self.message else [])])


def _change(effect: Document) -> str:
    percent = effect["change_percent"]
    if percent is None:  # of nothing there is no percentage
        return f"{effect['reference']:g} → {effect['answer']:g}"
    return f"{percent:+.3g} %"


def _as_good(each: Document, document: Document) -> str:
    better = ", ".join(f"{effect['measure']} {_change(effect)}" for effect in each["effects"])
    return f"As good, with {better}: {_levels(document['candidates'][each['place']]['factors'])}"


def _would_be_set(each: Document) -> str:
    setting = "no setting" if each["factors"] is None else _levels(each["factors"])
    return f"  at_most={{{each['factor']!r}: {each['at_most']:g}}}: {setting}"


def _levels(setting: Mapping[str, FactorValue]) -> str:
    return ", ".join(f"{name} {level}" for name, level in setting.items())


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
