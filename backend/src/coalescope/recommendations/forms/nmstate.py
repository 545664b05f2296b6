# SPDX-License-Identifier: Apache-2.0
"""A desired state of nmstate (2.0 and later), as `nmstatectl` and OpenShift read it."""

from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.forms.unit import start, unit
from coalescope.recommendations.target import Target


def nmstate(target: Target) -> Form:
    """The form; coalescing with a service where one request cannot bring it about."""
    why = target.why_commands()
    whole = why is None
    lines = ["interfaces:", f"- name: {target.interface}", "  type: ethernet", "  state: up"]
    if target.mtu is not None:
        lines.append(f"  mtu: {target.mtu}")
    if whole and (target.coalescing or target.adaptive is not None):
        lines += ["  ethtool:", "    coalesce:"]
        if target.adaptive is not None:
            lines.append(f"      adaptive-rx: {str(target.adaptive).lower()}")
        lines += [f"      {word}: {value}" for word, value in target.coalescing.items()]
    path = f"/etc/nmstate/coalescope-{target.interface}.yml"
    state = File(path, "\n".join([*lines, ""]))
    then = [f"nmstatectl apply {path}"]
    if whole:
        return Form("nmstate", "nmstate", [state], then)
    note = f"nmstate {why}: a service gives the commands."
    return Form("nmstate", "nmstate", [state, unit(target)], [*then, *start(target)], [note])
