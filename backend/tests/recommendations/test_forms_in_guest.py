# SPDX-License-Identifier: Apache-2.0
"""Forms that keep a setting, applied by Debian 13's own programs to a card in a guest, read back.

The card is QEMU's igb, as udev names it. What a form applies without a daemon of its own is here:
the file of systemd (also netplan's way), the script of ifupdown and that of tuned.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from coalescope.recommendations.forms import FORMS, File
from coalescope.recommendations.target import target_for
from guest.kernel import NEWEST, debian_kernel
from guest.machine import Guest

from .debian_tree import debian_tree

CARD = "ens4"
"""In PCI slot 4."""
TARGET = target_for({"mtu_bytes": 3000, "delay_us": 120}, CARD, "igb")
PACKAGES = (
    *("systemd", "udev", "ifupdown", "iproute2", "ethtool"),
    *("dash", "coreutils", "sed", "grep", "mawk", "debianutils", "util-linux"),
    *("libc-bin", "base-files", "base-passwd"),
)
PREPARE = f"""
for folder in proc sys dev; do mkdir -p /debian/$folder; mount --bind /$folder /debian/$folder; done
for folder in run tmp; do mkdir -p /debian/$folder; mount -t tmpfs tmpfs /debian/$folder; done
cat >/debian/tmp/look <<'END'
cat /sys/class/net/{CARD}/mtu
ethtool -c {CARD} | sed -n 's/^rx-usecs:[^0-9]*//p'
END
in_debian() {{ chroot /debian env SYSTEMD_IGNORE_CHROOT=1 PATH=/usr/sbin:/usr/bin sh "$@"; }}
look() {{ in_debian /tmp/look | xargs echo $1 >>/out/seen; }}
as_it_was() {{
    ip link set {CARD} mtu 1500
    in_debian -c "ethtool -C {CARD} rx-usecs 3"
    look was
}}
in_debian -c '/usr/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add --settle /sys/class/net/*'
ip link set {CARD} up
"""

pytestmark = [pytest.mark.guest, pytest.mark.slow]


def written(files: Sequence[File]) -> str:
    """Commands that write files."""
    lines = []
    for file in files:
        lines += [f"mkdir -p $(dirname /debian{file.path})"]
        lines += [f"cat >/debian{file.path} <<'END-OF-FILE'", f"{file.text}END-OF-FILE"]
        lines += [f"chmod {'755' if file.executable else '644'} /debian{file.path}"]
    return "\n".join(lines)


def applied(form: str, commands: Sequence[str]) -> str:
    """Commands that apply a form, look, and take its files away."""
    files = FORMS[form](TARGET).files
    return "\n".join(
        [
            "as_it_was",
            written(files),
            "in_debian -e <<'END' >>/out/said 2>&1",
            *commands,
            "END",
            f"look {form}",
            *(f"rm /debian{file.path}" for file in files),
        ]
    )


def test_forms_set_a_card_of_linux(tmp_path: Path) -> None:
    root = debian_tree("programs-of-forms", PACKAGES)
    (script,) = [file for file in FORMS["tuned"](TARGET).files if file.executable]
    ifup = [
        f"echo 'iface {CARD} inet manual' >/tmp/interfaces",
        "mkdir -p /run/network",
        f"ifup -i /tmp/interfaces {CARD}",
    ]
    guest = Guest(
        nics=("igb",),
        modules=("igb",),
        kernel=debian_kernel(NEWEST),
        files={"/debian": root},
        memory_mb=1024,
    )
    steps = [
        PREPARE,
        applied("systemd-link", FORMS["systemd-link"](TARGET).activate),
        applied("ifupdown", ifup),
        applied("tuned", [f"{script.path} start"]),
        "as_it_was",
        "in_debian -c 'udevadm trigger --action=add --settle /sys/class/net/*'",
        "look nothing",
    ]
    result = guest.run("\n".join(steps), tmp_path)
    said = (tmp_path / "said").read_text()
    seen = result.text("seen").splitlines()
    assert seen == [
        *("was 1500 3", "systemd-link 3000 120"),
        *("was 1500 3", "ifupdown 3000 120"),
        *("was 1500 3", "tuned 3000 120"),
        *("was 1500 3", "nothing 1500 3"),
    ], said
