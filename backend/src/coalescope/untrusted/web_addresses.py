# SPDX-License-Identifier: Apache-2.0
"""What is taken as an address on the web, and as one of this machine. Standard library only."""

import ipaddress
import re
from urllib.parse import urlsplit

from coalescope.untrusted.texts import CONTROL

# urlsplit drops ends of lines, and browsers take a backslash for a slash.
_SPELLING = re.compile(r"https?://[^\x00-\x20\x7f-\xa0\\\"<>^`{|}\u2000-\u206f\ud800-\udfff]+")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?|[0-9a-f:]*:[0-9a-f:.]+(?:%\w+)?", re.ASCII)


def is_web_address(text: str) -> bool:
    """Whether it is http:// or https://, a host, and what else a URL has (RFC 3986).

    Not with a user and password in it: such an address shows another host than it leads to.
    """
    if not _SPELLING.fullmatch(text) or CONTROL.search(text):
        return False
    try:
        parts = urlsplit(text)
        return parts.port != 0 and "@" not in parts.netloc and _is_host(parts.hostname or "")
    except ValueError:  # of the port, or of an address in brackets
        return False


def is_server_address(text: str) -> bool:
    """Whether it is one that paths are put behind: with neither query nor fragment."""
    return is_web_address(text) and not {"?", "#"} & set(text)


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_host(name: str) -> bool:
    try:
        ascii_name = name.encode("idna").decode() if not name.isascii() else name
    except UnicodeError:
        return False
    return _HOST.fullmatch(ascii_name) is not None
