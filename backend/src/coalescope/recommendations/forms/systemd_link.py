# SPDX-License-Identifier: Apache-2.0
"""A .link file, which udev applies when the interface appears (systemd 250 and later)."""

from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.forms.unit import start, unit
from coalescope.recommendations.target import Target

# what udev knows of an interface before it is renamed: predictable names say where it sits
_PROPERTIES = {
    "eno": "ID_NET_NAME_ONBOARD",
    "ens": "ID_NET_NAME_SLOT",
    "enp": "ID_NET_NAME_PATH",
    "enP": "ID_NET_NAME_PATH",
    "enx": "ID_NET_NAME_MAC",
}
_WORDS = {"rx-frames": "RxMaxCoalescedFrames", "tx-frames": "TxMaxCoalescedFrames"}


def systemd_link(target: Target) -> Form:
    """The form; with a service where one request cannot bring it about."""
    why = target.why_commands()
    if why is not None:
        note = f"A .link file {why}. A service gives the commands one after the other."
        return Form("systemd-link", "systemd", [unit(target)], start(target), [note])
    notes = [
        "Of several .link files that match, the first by name holds alone: merge it with one that "
        "you have."
    ]
    if _property(target.interface) is None:
        notes.append(
            f"{target.interface} must be the name that the kernel gave. If it was renamed, write "
            "PermanentMACAddress= with its address in place of OriginalName=."
        )
    then = [
        "udevadm control --reload",
        f"udevadm trigger --action=add --settle /sys/class/net/{target.interface}",
    ]
    return Form("systemd-link", "systemd", [link_file(target)], then, notes)


def link_file(target: Target) -> File:
    """The .link file of a target that one request brings about."""
    lines = ["[Match]", *match_lines(target.interface), "", "[Link]"]
    lines += ["NamePolicy=keep kernel database onboard slot path"]
    lines += [f"{key}={value}" for key, value in link_options(target).items()]
    return File(
        f"/etc/systemd/network/10-coalescope-{target.interface}.link", "\n".join([*lines, ""])
    )


def match_lines(interface: str) -> list[str]:
    """What tells the interface from others, when udev reads the file."""
    known = _property(interface)
    return [f"OriginalName={interface}" if known is None else f"Property={known}={interface}"]


def link_options(target: Target) -> dict[str, str]:
    """The section [Link]: option → value."""
    found = {}
    if target.mtu is not None:
        found["MTUBytes"] = str(target.mtu)
    if target.adaptive is not None:
        found["UseAdaptiveRxCoalesce"] = "yes" if target.adaptive else "no"
    for word, value in target.coalescing.items():
        if word == "rx-usecs":
            found["RxCoalesceSec"] = f"{value}us"
        else:
            found[_WORDS[word]] = str(value)
    return found


def _property(interface: str) -> str | None:
    return _PROPERTIES.get(interface[:3])
