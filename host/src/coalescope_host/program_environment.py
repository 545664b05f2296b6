# SPDX-License-Identifier: Apache-2.0
"""The environment of programs that these tools start: a list, not what the caller happens to have.

A caller's secrets are not for a workload, which may run as somebody else.
"""

from __future__ import annotations

import os
import pwd

TOKEN_VARIABLE = "COALESCOPE_TOKEN"  # noqa: S105  the name of a variable
PASSED = frozenset({"PATH", "LANG", "LANGUAGE", "TZ", "SUDO_USER"})
PASSED_PREFIX = "LC_"


def program_environment(user: str | None = None) -> dict[str, str]:
    """PATH, language, time zone and who it is: `user`, where this is root, else the caller."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED or name.startswith(PASSED_PREFIX)
    }
    return {"PATH": os.defpath, **passed, **_identity(user if os.geteuid() == 0 else None)}


def caller_environment() -> dict[str, str]:
    """What the caller has, but for the server's token: for ssh, which acts for the caller."""
    return {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}


def _identity(user: str | None) -> dict[str, str]:
    try:
        entry = pwd.getpwuid(os.geteuid()) if user is None else pwd.getpwnam(user)
    except KeyError:  # without an entry, as in some containers
        return {"HOME": "/"}
    return {"HOME": entry.pw_dir, "USER": entry.pw_name, "LOGNAME": entry.pw_name}
