# SPDX-License-Identifier: Apache-2.0
"""Sends run logs to a store. Sending one again changes nothing there, so every failure may be tried
again."""

import http.client
import json
import os
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from coalescope_host.program_environment import TOKEN_VARIABLE

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
TIMEOUT_S = 20.0
MOST_FAULTS = 20


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
    try:
        with path.open("rb") as file:
            headers["Content-Length"] = str(os.fstat(file.fileno()).st_size)
            query = urlencode({"filename": path.name})
            connection.connect()
            # a server that refuses a file need not take all of it: its answer is there already
            with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                connection.request("POST", f"{base}/api/uploads?{query}", file, headers)
            answer = connection.getresponse()
            return answered(server, answer.status, answer.read(1 << 20))
    except FileNotFoundError:
        return Outcome("refused", f"{path} is not there any more")
    except (OSError, http.client.HTTPException) as error:
        return Outcome("failed", f"{server} cannot be reached: {error or type(error).__name__}")
    finally:
        connection.close()


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
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        return Outcome("failed", f"{server} answered {status}, but not as Coalescope does")
    if status in (200, 201) and "outcome" in answer:
        return Outcome(str(answer["outcome"]))
    reason = f"{server} answered {status}: {_said(answer) or 'without a reason'}"
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
