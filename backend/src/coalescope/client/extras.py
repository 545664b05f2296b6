# SPDX-License-Identifier: Apache-2.0
"""Libraries that only the client uses: imported when they are needed, with a reason if absent."""

from importlib import import_module
from typing import Any

from coalescope.errors import CoalescopeError


def required(name: str, extra: str = "client") -> Any:
    """The module. Errors: CoalescopeError naming the extra that installs it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise CoalescopeError(
            "not_installed",
            f"This needs {error.name}, which is not installed.",
            advice=f"pip install 'coalescope[{extra}]'",
            status=500,
        ) from None
