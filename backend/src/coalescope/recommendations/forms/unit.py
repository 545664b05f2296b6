# SPDX-License-Identifier: Apache-2.0
"""A service of systemd that gives the commands in their order when the interface appears.

It is for what no declaration can say: parameters of a request that a driver ignores, because the
same request switches adaptive-rx off.
"""

import re

from coalescope.recommendations.forms.form import File
from coalescope.recommendations.target import Target


def unit(target: Target) -> File:
    """The service's file; `start` begins it."""
    appears = device(target.interface)
    lines = [
        "[Unit]",
        f"Description=MTU and interrupt coalescing of {target.interface}",
        f"BindsTo={appears}",
        f"After={appears}",
        "",
        "[Service]",
        "Type=oneshot",
        "RemainAfterExit=yes",
        *(f"ExecStart={step}" for step in target.steps()),
        "",
        "[Install]",
        f"WantedBy={appears}",
    ]
    return File(f"/etc/systemd/system/{_name(target)}", "\n".join([*lines, ""]))


def start(target: Target) -> list[str]:
    """The commands that begin it, now and at every start."""
    return ["systemctl daemon-reload", f"systemctl enable --now {_name(target)}"]


def _name(target: Target) -> str:
    return f"coalescope-{target.interface}.service"


def device(interface: str) -> str:
    """The unit of systemd that is there as long as the interface is."""
    escaped = re.sub(r"[^A-Za-z0-9:_.]", lambda match: f"\\x{ord(match[0]):02x}", interface)
    return f"sys-subsystem-net-devices-{escaped}.device"
