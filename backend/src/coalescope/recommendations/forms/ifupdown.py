# SPDX-License-Identifier: Apache-2.0
"""A script that ifupdown runs when the interface comes up (Debian)."""

from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.target import Target


def ifupdown(target: Target) -> Form:
    """The form."""
    # run-parts passes over names with a dot
    path = f"/etc/network/if-up.d/coalescope-{target.interface.replace('.', '-')}"
    lines = [
        "#!/bin/sh",
        "set -e",
        f'[ "$IFACE" = {target.interface} ] || exit 0',
        *target.steps(),
    ]
    script = File(path, "\n".join([*lines, ""]), executable=True)
    return Form("ifupdown", "ifupdown", [script], [f"IFACE={target.interface} {path}"])
