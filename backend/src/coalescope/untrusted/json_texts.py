# SPDX-License-Identifier: Apache-2.0
"""JSON that somebody sent."""

import json
from typing import Any

from coalescope_host.run_log import values_in

from coalescope.untrusted.bounds import JSON_VALUES, most


def parsed(text: str | bytes) -> Any:
    """What a JSON text says.

    Errors: ValueError, also for what is nested too deeply or holds more than `JSON_VALUES` values.
    """
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if values_in(content, most(JSON_VALUES)) > most(JSON_VALUES):
        raise ValueError(f"it holds more than {JSON_VALUES:,} values")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
