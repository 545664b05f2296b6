# SPDX-License-Identifier: Apache-2.0
"""What a fit refuses."""

from __future__ import annotations

from typing import Any


class FitInputError(ValueError):
    """The table or an argument does not suit the fit. `name` is the column or the argument."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.name, str(self)))
