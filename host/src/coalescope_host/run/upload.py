# SPDX-License-Identifier: Apache-2.0
"""Sends run logs to a store. Sending one again changes nothing there, so every failure may be tried
again."""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode, urlsplit

from coalescope_host.expiry import Expiry
from coalescope_host.plain_files import NotPlainError, plain
from coalescope_host.program_environment import TOKEN_VARIABLE
from coalescope_host.terminal import in_words
from coalescope_host.wrong_scheme import sent_on, wrong_scheme

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
TIMEOUT_S = 20.0
# From the question until all of the answer is there, and more for each byte that is sent.
LONGEST_S = 60.0
_LEAST_BYTES_PER_S = 50_000
MOST_FAULTS = 20
MOST_CHARACTERS = 20_000
# Over TLS or not: what a server causes that speaks the other of the two.
_MISUNDERSTOOD: Mapping[bool, tuple[type[Exception], ...]] = {
    True: (ssl.SSLError,),
    False: (http.client.HTTPException, ConnectionResetError),
}
_REDIRECTS = frozenset({301, 302, 307, 308})


@dataclass(frozen=True)
class Outcome:
    """What became of a file.

    Attributes:
        outcome: stored, known (the store had it), refused (the file is the reason), or failed
            (something else is, so that it is worth another try).
        reason: why not; empty where the store has it.
    """

    outcome: str
    reason: str = ""

    @property
    def arrived(self) -> bool:
        """Whether the store has it."""
        return self.outcome in ("stored", "known")


def token(token_file: Path | None) -> str | None:
    """The server's token: the file's content, else COALESCOPE_TOKEN, else none.

    Raises:
        OSError: if the file cannot be read, or what it holds is no token.
    """
    if token_file is None:
        return _header_text(os.environ.get(TOKEN_VARIABLE, ""), TOKEN_VARIABLE) or None
    return _header_text(token_file.read_bytes().decode(errors="replace"), str(token_file))


def _header_text(text: str, source: str) -> str:
    """The token, fit for a header: what goes wrong later would be told with the token in it."""
    secret = text.strip()
    if not secret.isascii() or (secret and not secret.isprintable()):
        raise OSError(f"{source} holds no token: it must be one line of plain characters")
    return secret


def put_json(server: str, path: str, document: object, secret: str | None) -> bool:
    """Put a document under a path of the store; whether it took it."""
    headers = {"Content-Type": "application/json"}
    if secret:
        headers["Authorization"] = f"Bearer {secret}"
    connection = _connection(server)
    try:
        target = urlsplit(server).path.rstrip("/") + path
        connection.connect()
        with Expiry(LONGEST_S) as expiry:
            expiry.watch(connection.sock)
            connection.request("PUT", target, json.dumps(document).encode(), headers)
            return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def send(server: str, path: Path, secret: str | None) -> Outcome:
    """Send one file."""
    headers = {"Content-Type": "application/octet-stream"}
    if secret:
        headers["Authorization"] = f"Bearer {secret}"
    connection = _connection(server)
    base = urlsplit(server).path.rstrip("/")
    target = f"{base}/api/uploads?{urlencode({'filename': path.name})}"
    try:
        with open(path, "rb", opener=plain) as file:
            size = os.fstat(file.fileno()).st_size
            headers["Content-Length"] = str(size)
            connection.connect()
            with Expiry(LONGEST_S + size / _LEAST_BYTES_PER_S) as expiry:
                expiry.watch(connection.sock)
                return _exchanged(connection, server, target, file, headers, expiry)
    except FileNotFoundError:
        return Outcome("refused", f"{path} is not there any more")
    except NotPlainError as error:
        return Outcome("refused", f"{in_words(error)}; name the file itself")
    except (OSError, http.client.HTTPException) as error:
        over_tls = isinstance(connection, http.client.HTTPSConnection)
        meant = wrong_scheme(server) if isinstance(error, _MISUNDERSTOOD[over_tls]) else None
        said = f"{server} cannot be reached: {in_words(error)}"
        return Outcome("failed", meant or said)
    finally:
        connection.close()


def _exchanged(
    connection: http.client.HTTPConnection,
    server: str,
    target: str,
    file: BinaryIO,
    headers: Mapping[str, str],
    expiry: Expiry,
) -> Outcome:
    """What the store answers to the file. Raises: as http.client, unless its time was over."""
    try:
        # a server that refuses a file need not take all of it: its answer is there already
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            connection.request("POST", target, file, headers)
        answer = connection.getresponse()
        outcome = answered(server, answer.status, answer.read(1 << 20))
    except (OSError, http.client.HTTPException):
        if expiry.has_come:
            return Outcome("failed", f"{server} did not answer in time")
        raise
    meant = _address_meant(server, answer) if outcome.outcome == "failed" else None
    return outcome if meant is None else Outcome("failed", meant)


def _address_meant(server: str, answer: http.client.HTTPResponse) -> str | None:
    """The address to give instead, where an answer that is not the store's shows it."""
    if answer.status in _REDIRECTS:
        return sent_on(server, answer.getheader("Location", ""))
    # a server of https answers so to http
    return wrong_scheme(server) if answer.status == http.client.BAD_REQUEST else None


def _connection(server: str) -> http.client.HTTPConnection:
    parts = urlsplit(server)
    host = parts.hostname or ""
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, parts.port, timeout=TIMEOUT_S, context=context)
    return http.client.HTTPConnection(host, parts.port, timeout=TIMEOUT_S)


def answered(server: str, status: int, body: bytes) -> Outcome:
    """What a store's answer says of a file."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        return Outcome("failed", f"{server} answered {status}, but not as Coalescope does")
    if status in (200, 201):
        if answer.get("outcome") in ("stored", "known"):
            return Outcome(answer["outcome"])
        return Outcome("failed", f"{server} answered {status} without saying what became of it")
    said = _said(answer)[:MOST_CHARACTERS]
    reason = f"{server} answered {status}: {said or 'without a reason'}"
    if status == 401:
        reason += f" Set {TOKEN_VARIABLE}, or name a file that holds the token."
    # another token can mend 401 and 403: what waits is sent again
    return Outcome("failed" if status in (*PASSING, 401, 403) else "refused", reason)


def _said(answer: Mapping[str, Any]) -> str:
    """The sentences of a refusal: what is wrong and what to do, of all its faults."""
    error = answer.get("error")
    faults = [error, *_listed(error.get("problems"))] if isinstance(error, dict) else []
    texts = [fault.get(part) for fault in faults for part in ("message", "advice")]
    return " ".join(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def _listed(problems: object) -> list[dict[str, Any]]:
    listed = problems if isinstance(problems, list) else []
    return [fault for fault in listed if isinstance(fault, dict)][:MOST_FAULTS]
