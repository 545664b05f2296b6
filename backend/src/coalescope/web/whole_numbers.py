# SPDX-License-Identifier: Apache-2.0
"""Integers as JSON has them: 3 and 3.0 are the same number, true and "3" are none."""

from pydantic import BeforeValidator


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


JSON_INTEGER = BeforeValidator(_whole)
"""Beside `int` in models with strict=True, which take no float for it."""
