# SPDX-License-Identifier: Apache-2.0
"""What a converter makes of a file."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Converted:
    """A table, and what is not in it.

    Attributes:
        table: tidy CSV, UTF-8 (docs/tidy-csv.md).
        rows: of the table, without its header.
        passed_over: how many rows of the file are not in it, by the reason.
    """

    table: bytes
    rows: int
    passed_over: Mapping[str, int]
