# SPDX-License-Identifier: Apache-2.0
"""What a server's address looks like."""

import re
from urllib.parse import urlsplit

# urlsplit drops ends of lines; what takes a backslash for a slash goes to another host.
_SPELLING = re.compile(r"https?://[!$-;=@-\[\]_a-z~]+", re.IGNORECASE)
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?|[0-9a-f:]*:[0-9a-f:.]+(?:%\w+)?", re.ASCII)
A_SERVER = "must be a URL such as http://127.0.0.1:8000, without user and password."


def is_server(url: str) -> bool:
    """Whether logs can be sent there. Its URL is written to the journal: no secret in it."""
    if not _SPELLING.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
        found = _HOST.fullmatch(parts.hostname or "")
        return found is not None and parts.port != 0 and parts.username is None
    except ValueError:  # of the port
        return False
