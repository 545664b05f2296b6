# SPDX-License-Identifier: Apache-2.0
"""Netplan, which knows the MTU; coalescing goes to udev or a service beside it."""

from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.forms.systemd_link import link_file, systemd_link
from coalescope.recommendations.target import Target


def netplan(target: Target) -> Form:
    """The form."""
    beside = systemd_link(target)
    files = [] if target.mtu is None else [_yaml(target)]
    coalesces = bool(target.coalescing) or target.adaptive is not None
    notes = []
    if coalesces:
        files += [link_file(target)] if target.in_one_request() else beside.files
        notes = ["Netplan has no coalescing: a file of systemd beside it sets that.", *beside.notes]
    then = ["netplan apply"] if target.mtu is not None else []
    return Form(
        "netplan", "netplan", files, [*then, *(beside.activate if coalesces else [])], notes
    )


def _yaml(target: Target) -> File:
    text = (
        f"network:\n  version: 2\n  ethernets:\n    {target.interface}:\n      mtu: {target.mtu}\n"
    )
    return File(f"/etc/netplan/90-coalescope-{target.interface}.yaml", text)
