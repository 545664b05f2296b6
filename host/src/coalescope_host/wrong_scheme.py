# SPDX-License-Identifier: Apache-2.0
"""A server that was asked with https and speaks http, or the other way round."""

from __future__ import annotations

import http.client
import socket
import ssl
from urllib.parse import urlsplit

from coalescope_host.expiry import Expiry

_PORTS = {"http": 80, "https": 443}
_TIMEOUT_S = 20.0


def wrong_scheme(server: str) -> str | None:
    """What to try instead, where the server's port speaks the other of http and https; else None.

    It asks the port: a handshake, and the head of a request. To be called where the address failed.
    """
    parts = urlsplit(server)
    scheme, host = parts.scheme, parts.hostname or ""
    port = parts.port or _PORTS[scheme]
    speaks = "https" if _speaks_tls(host, port) else "http"
    # what speaks TLS may also answer plain HTTP: with 400, and why
    if speaks == scheme or (speaks == "http" and not _speaks_http(host, port)):
        return None
    named = f"[{host}]" if ":" in host else host
    return f"{server} speaks {speaks}, not {scheme}: try {speaks}://{named}:{port}{parts.path}"


def sent_on(server: str, location: str) -> str | None:
    """What to try instead, where an answer's Location leads to another server; else None."""
    try:
        there, here = urlsplit(location), urlsplit(server)
    except ValueError:  # of an address in brackets
        return None
    if there.scheme not in _PORTS or (there.scheme, there.netloc) == (here.scheme, here.netloc):
        return None
    return f"{server} sends on to another address: try {there.scheme}://{there.netloc}{here.path}"


def _speaks_tls(host: str, port: int) -> bool:
    context = ssl.create_default_context()
    context.check_hostname = False  # nothing is told to it
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), timeout=_TIMEOUT_S) as connection,
            Expiry(_TIMEOUT_S) as expiry,
            context.wrap_socket(
                connection, server_hostname=host, do_handshake_on_connect=False
            ) as secured,
        ):
            expiry.watch(secured)
            secured.do_handshake()
            return True
    except OSError:
        return False


def _speaks_http(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    try:
        connection.connect()
        with Expiry(_TIMEOUT_S) as expiry:
            expiry.watch(connection.sock)
            connection.request("HEAD", "/")
            connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
