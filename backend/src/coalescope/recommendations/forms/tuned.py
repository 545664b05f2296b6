# SPDX-License-Identifier: Apache-2.0
"""A profile of tuned, beside the one that is active.

Its own option for coalescing gives one request and failed silently for years: a script does it.
"""

from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.target import Target


def tuned(target: Target) -> Form:
    """The form."""
    name = f"coalescope-{target.interface}"
    folder = f"/etc/tuned/profiles/{name}"
    profile = "\n".join(
        [
            "[main]",
            f"summary=MTU and interrupt coalescing of {target.interface}",
            "",
            "[script]",
            "script=${i:PROFILE_DIR}/set.sh",
            "",
        ]
    )
    script = "\n".join(["#!/bin/sh", "set -e", '[ "$1" = start ] || exit 0', *target.steps(), ""])
    files = [
        File(f"{folder}/tuned.conf", profile),
        File(f"{folder}/set.sh", script, executable=True),
    ]
    active = "$(tuned-adm active | sed -n 's/^Current active profile: //p')"
    notes = ["tuned before 2.23 looks for profiles in /etc/tuned itself: leave out `profiles/`."]
    return Form("tuned", "tuned", files, [f"tuned-adm profile {active} {name}"], notes)
