# SPDX-License-Identifier: Apache-2.0
"""A module of NixOS: a service that gives the commands when the interface appears."""

from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.forms.unit import device
from coalescope.recommendations.target import Target


def nixos(target: Target) -> Form:
    """The form."""
    unit = device(target.interface).replace("\\", "\\\\")
    lines = [
        "{ pkgs, ... }:",
        "{",
        f'  systemd.services."coalescope-{target.interface}" = {{',
        f'    description = "MTU and interrupt coalescing of {target.interface}";',
        f'    bindsTo = [ "{unit}" ];',
        f'    after = [ "{unit}" ];',
        f'    wantedBy = [ "{unit}" ];',
        "    path = [ pkgs.iproute2 pkgs.ethtool ];",
        '    serviceConfig = { Type = "oneshot"; RemainAfterExit = true; };',
        "    script = ''",
        *(f"      {step}" for step in target.steps()),
        "    '';",
        "  };",
        "}",
    ]
    path = f"/etc/nixos/coalescope-{target.interface}.nix"
    return Form(
        "nixos", "NixOS", [File(path, "\n".join([*lines, ""]))], ["nixos-rebuild switch"],
        [f"Name ./coalescope-{target.interface}.nix in `imports` of configuration.nix first."],
    )  # fmt: skip
