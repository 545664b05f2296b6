# SPDX-License-Identifier: Apache-2.0
"""What a server's address looks like."""

from urllib.parse import urlsplit

A_SERVER = "must be a URL such as http://127.0.0.1:8000, without user and password."


def is_server(url: str) -> bool:
    """Whether logs can be sent there. Its URL is written to the journal: no secret in it."""
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and parts.username is None
        )
    except ValueError:  # of the port
        return False
