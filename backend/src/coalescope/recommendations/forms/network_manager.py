# SPDX-License-Identifier: Apache-2.0
"""Properties of a connection of NetworkManager (1.26 and later)."""

from coalescope.recommendations.forms.form import Form
from coalescope.recommendations.forms.unit import start, unit
from coalescope.recommendations.target import Target


def network_manager(target: Target) -> Form:
    """The form; coalescing with a service where one request cannot bring it about."""
    why = target.why_commands()
    if why is not None:
        note = f"NetworkManager {why}: a service gives the commands."
        return Form("networkmanager", "NetworkManager", [unit(target)], start(target), [note])
    words = " ".join(f"{name} {value}" for name, value in properties(target).items())
    then = [
        f"connection=$(nmcli -g GENERAL.CONNECTION device show {target.interface})",
        f'nmcli connection modify "$connection" {words}',
        f'nmcli device reapply {target.interface} || nmcli connection up "$connection"',
    ]
    return Form("networkmanager", "NetworkManager", [], then)


def properties(target: Target) -> dict[str, str]:
    """Property of a connection → value."""
    found = {}
    if target.mtu is not None:
        found["802-3-ethernet.mtu"] = str(target.mtu)
    if target.adaptive is not None:
        found["ethtool.coalesce-adaptive-rx"] = str(int(target.adaptive))
    return found | {f"ethtool.coalesce-{w}": str(v) for w, v in target.coalescing.items()}
