# SPDX-License-Identifier: Apache-2.0
"""JSON that somebody sent. Standard library only."""

import json
from typing import Any


def parsed(text: str | bytes) -> Any:
    """What a JSON text says. Errors: ValueError, also for what is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
