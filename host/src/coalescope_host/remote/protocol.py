# SPDX-License-Identifier: Apache-2.0
"""What the two ends of a connection have in common."""

import json
import os
from typing import Any

PROTOCOL = 1
"""Both ends must speak the same."""
SILENCE_S = 30.0
"""The agent takes the sweep for lost when it hears nothing for so long."""
FEED_S = 3.0
"""How often it hears something."""


def line_of(message: dict[str, Any]) -> bytes:
    """One message as a line."""
    return json.dumps(message).encode() + b"\n"


def answer(file: int, number: int, **content: Any) -> None:
    """Answer the request of that number, with `value` or `error`."""
    line = line_of({"id": number, **content})
    while line:
        line = line[os.write(file, line) :]
