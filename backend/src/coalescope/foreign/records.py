# SPDX-License-Identifier: Apache-2.0
"""What a reader finds in a file of another tool."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

from coalescope_models.vocabulary.quantity import QUANTITIES

ENVIRONMENT = "environment."
# whole: of its window as a whole; sample: a mean over its window, of which there are several;
# fact: how something was set, for as long as nothing else is said
Kind = Literal["whole", "sample", "fact"]


class Window(NamedTuple):
    """From when to when, in seconds since 1970.

    Attributes:
        late_s: how much later than `start_s` it may have begun: tools write whole seconds.
        days: not empty where the tool wrote local time without its offset from UTC. The times are
            then seconds since the local midnight of one of these days (counted from 1970): 03/04/26
            may mean two.

    """

    start_s: float
    end_s: float
    late_s: float = 0.0
    days: tuple[int, ...] = ()

    @property
    def length_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Record:
    """One value, and where it is from.

    Attributes:
        quantity: of the glossary; or measure.NAME, factor.NAME, environment.NAME.
        unit: of the value: the glossary's.
        field: where in the file it stands, with what was done to it.
        window: None where the tool does not say when.
        host: the machine that it is of; None where the tool does not say.
        interface: the network interface that it is of; None where it is of none, or not said.
        n: how many runs a mean stands for.
        file: the file's name; of those that readers return it is empty.

    """

    quantity: str
    value: Any
    unit: str
    field: str
    window: Window | None = None
    host: str | None = None
    kind: Kind = "whole"
    interface: str | None = None
    n: int = 1
    file: str = ""


class Counter(NamedTuple):
    """A running total at the moment when the file was written."""

    name: str
    value: float
    field: str
    interface: str | None = None


class ToolRun(NamedTuple):
    """What a tool says of one run that it made.

    Attributes:
        hosts: the machines that took part, as far as they are named; its own is the first.
        same_as: files with the same text here are of the same run, seen from its two ends.

    """

    records: Sequence[Record]
    hosts: tuple[str, ...] = ()
    same_as: str | None = None


@dataclass(frozen=True)
class Reading:
    """What one file says.

    Attributes:
        runs: those that the tool made itself.
        beside: what it says of a machine, whatever ran there meanwhile.
        counters: running totals; two files of them make a difference.
        notes: what people should know of the file.

    """

    runs: Sequence[ToolRun] = ()
    beside: Sequence[Record] = ()
    counters: Sequence[Counter] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Format:
    """A format that is recognised by its content.

    Attributes:
        name: what people call it; `made_by`: a command that writes it.
        begins: whether a text that begins so is of this format.
        read: the reader. Errors: Unreadable.
        gives: fields and what becomes of them, for the documents: (field, quantity, remark).
        difference: what follows from the counters of two files, the earlier first.

    """

    name: str
    made_by: str
    begins: Callable[[str], bool]
    read: Callable[[bytes], Reading]
    gives: Sequence[tuple[str, str, str]]
    difference: Callable[[Sequence[Counter], Sequence[Counter]], Sequence[Record]] | None = None


class Unreadable(Exception):  # noqa: N818  an outcome of reading
    """A file that is damaged or says nothing: what is wrong, where, and what to do."""

    def __init__(self, message: str, advice: str, **where: str | float) -> None:
        super().__init__(message)
        self.message, self.advice, self.where = message, advice, where

    def __reduce__(self) -> tuple[Any, ...]:
        made: Callable[..., Unreadable] = type(self)
        return partial(made, **self.where), (self.message, self.advice)


def measure(
    quantity: str,
    value: float,
    field: str,
    window: Window | None = None,
    host: str | None = None,
    kind: Kind = "whole",
    interface: str | None = None,
) -> Record:
    """A measure of the glossary, in its unit."""
    unit = QUANTITIES[quantity].unit
    return Record(quantity, value, unit, field, window, host, kind, interface)


def fact(
    quantity: str, value: Any, field: str, host: str | None = None, interface: str | None = None
) -> Record:
    """How something was set: a factor, in the glossary's unit, or of the environment."""
    known = QUANTITIES.get(quantity)
    unit = "" if known is None else known.unit
    return Record(quantity, value, unit, field, None, host, "fact", interface)
