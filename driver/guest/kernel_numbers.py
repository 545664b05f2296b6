# SPDX-License-Identifier: Apache-2.0
"""Names and numbers of the kernel's netlink families, read from its own headers."""

import re
from pathlib import Path

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ENUM = re.compile(r"\benum\s+\w*\s*\{(.*?)\}", re.DOTALL)
_FILES = ("ethtool_netlink.h", "ethtool_netlink_generated.h", "netdev.h")


def kernel_numbers(headers: Path) -> dict[str, int]:
    """Return the constants of ethtool's and netdev's enumerations.

    `headers`: of a `guest.kernel.Kernel`.
    """
    found: dict[str, int] = {}
    common = next(headers.parent.glob("linux-headers-*-common"))
    for path in (common / "include/uapi/linux" / name for name in _FILES):
        text = _COMMENT.sub("", path.read_text()) if path.exists() else ""
        for body in _ENUM.findall(text):
            _number(body, found)
    return found


def _number(body: str, found: dict[str, int]) -> None:
    following = 0
    for entry in filter(None, map(str.strip, body.split(","))):
        name, _, given = map(str.strip, entry.partition("="))
        if given and not re.fullmatch(r"\d+", given):
            continue  # the largest of them, which nothing here needs
        following = int(given or following)
        found[name] = following
        following += 1
