# SPDX-License-Identifier: Apache-2.0
"""Ways to keep a recommended setting after a restart, one file each. Pure: nothing is written."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from coalescope.recommendations.forms.ansible import ansible
from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.forms.ifupdown import ifupdown
from coalescope.recommendations.forms.netplan import netplan
from coalescope.recommendations.forms.network_manager import network_manager
from coalescope.recommendations.forms.nixos import nixos
from coalescope.recommendations.forms.nmstate import nmstate
from coalescope.recommendations.forms.systemd_link import systemd_link
from coalescope.recommendations.forms.tuned import tuned
from coalescope.recommendations.target import Target

__all__ = ["FORMS", "File", "Form", "forms_of"]

FORMS: Mapping[str, Callable[[Target], Form]] = MappingProxyType(
    {
        "systemd-link": systemd_link,
        "networkmanager": network_manager,
        "netplan": netplan,
        "nmstate": nmstate,
        "ifupdown": ifupdown,
        "tuned": tuned,
        "ansible": ansible,
        "nixos": nixos,
    }
)
"""Name of a form → what writes it."""


def forms_of(target: Target) -> list[Form]:
    """Every form of a target; none where coalescing is set and nothing is known of the driver.

    A device without adaptive-rx refuses to have it switched off, and nobody reads back at a start.
    """
    coalesces = bool(target.coalescing) or target.adaptive is not None
    if coalesces and target.driver is None:
        return []
    return [_with_module(write(target), target) for write in FORMS.values()]


def _with_module(form: Form, target: Target) -> Form:
    """The form, and the file that keeps the parameters of a module."""
    if target.module is None:
        return form
    assert target.driver is not None
    name = target.driver.name
    options = File(f"/etc/modprobe.d/coalescope-{name}.conf", f"options {name} {target.module}\n")
    note = f"The parameters of {name} hold from the next time that it is loaded."
    if not target.steps():
        return replace(form, files=[options], activate=[], notes=[note])
    return replace(form, files=[options, *form.files], notes=[*form.notes, note])
