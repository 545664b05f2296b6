# SPDX-License-Identifier: Apache-2.0
"""A way to keep a setting after a restart, as text."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A file to write.

    Attributes:
        path: where, absolute; or a name, where the place is the reader's choice.
        text: all of it.
        executable: whether it is a program.

    """

    path: str
    text: str
    executable: bool = False


@dataclass(frozen=True)
class Form:
    """What keeps a setting on one kind of system.

    Attributes:
        name: of the form, in an address and on the command line.
        title: of the system.
        files: to write.
        activate: commands that make it hold at once, as root.
        notes: what to know first.

    """

    name: str
    title: str
    files: Sequence[File]
    activate: Sequence[str]
    notes: Sequence[str] = ()
