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
        files += [link_file(target)] if target.why_commands() is None else beside.files
        notes = ["Netplan has no coalescing: a file of systemd beside it sets that.", *beside.notes]
    activate: list[str] = []
    if target.mtu is not None:  # netplan warns of files that others can read
        activate = [f"chmod 600 {files[0].path}", "netplan apply"]
    if coalesces:
        activate += beside.activate
    return Form("netplan", "netplan", files, activate, notes)


def _yaml(target: Target) -> File:
    text = (
        f"network:\n  version: 2\n  ethernets:\n    {target.interface}:\n      mtu: {target.mtu}\n"
    )
    return File(f"/etc/netplan/90-coalescope-{target.interface}.yaml", text)
