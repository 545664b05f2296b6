# SPDX-License-Identifier: Apache-2.0
"""coalescope upload FILE… --server URL."""

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx

from coalescope.cli.output import print_json
from coalescope.security import is_loopback

# Sending a file again changes nothing on the server, so that every failure may be tried again.
_PAUSES_S = (0.3, 1.0, 3.0)
_PASSING = frozenset({502, 503, 504})
_CHUNK_BYTES = 1 << 18
_TIMEOUT = httpx.Timeout(60.0, connect=10.0, read=600.0)


@dataclass(frozen=True)
class Outcome:
    """What became of one file: stored, known, refused by the server, or failed on the way."""

    file: str
    outcome: str
    receipt: dict[str, Any] | None
    error: dict[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return {
            "file": self.file,
            "outcome": self.outcome,
            "receipt": self.receipt,
            "error": self.error,
        }


def run(arguments: Namespace) -> int:
    """Send files, several at once; 1 unless the server has all of them."""
    outcomes = asyncio.run(_send_all(arguments, _token(arguments.token_file)))
    if arguments.json:
        print_json([outcome.as_json() for outcome in outcomes])
    return 0 if all(outcome.receipt for outcome in outcomes) else 1


def _token(path: Path | None) -> str | None:
    if path is not None:
        return path.read_text(encoding="utf-8").strip()
    return os.environ.get("COALESCOPE_TOKEN") or None


async def _send_all(arguments: Namespace, token: str | None) -> list[Outcome]:
    headers = {} if token is None else {b"Authorization": f"Bearer {token}".encode()}
    limit = asyncio.Semaphore(max(1, arguments.parallel))
    async with httpx.AsyncClient(
        base_url=arguments.server,
        headers=headers,
        timeout=_TIMEOUT,
        # This machine is reached directly, whatever proxy the environment names.
        trust_env=not is_loopback(urlsplit(arguments.server).hostname or ""),
    ) as client:

        async def one(path: Path) -> Outcome:
            async with limit:
                outcome = await _send(client, path, arguments.experiment)
            _report(outcome, to_stdout=not arguments.json)
            return outcome

        return list(await asyncio.gather(*(one(path) for path in arguments.files)))


async def _send(client: httpx.AsyncClient, path: Path, experiment: str | None) -> Outcome:
    for pause in (*_PAUSES_S, None):
        try:
            answer = await _post(client, path, experiment)
        except OSError as error:
            return _failed(path, "unreadable", error.strerror or str(error))
        except httpx.TransportError as error:
            if pause is None:
                return _failed(path, "unreachable", f"{client.base_url} cannot be reached: {error}")
        else:
            if pause is None or answer.status_code not in _PASSING:
                return _outcome(path, answer)
        await asyncio.sleep(pause)
    raise AssertionError("the last attempt always returns")


async def _post(client: httpx.AsyncClient, path: Path, experiment: str | None) -> httpx.Response:
    query = {"filename": path.name}
    if experiment is not None:
        query["experiment"] = experiment
    async with await anyio.open_file(path, "rb") as file:
        size = os.fstat(file.wrapped.fileno()).st_size
        return await client.post(
            "/api/uploads",
            params=query,
            content=_chunks(file, size),
            headers={"Content-Length": str(size), "Content-Type": "application/octet-stream"},
        )


async def _chunks(file: anyio.AsyncFile[bytes], size: int) -> AsyncIterator[bytes]:
    """Yield exactly the announced bytes, even if the file grows meanwhile."""
    left = size
    while left > 0 and (chunk := await file.read(min(_CHUNK_BYTES, left))):
        left -= len(chunk)
        yield chunk


def _outcome(path: Path, answer: httpx.Response) -> Outcome:
    try:
        body = answer.json()
    except ValueError:
        body = None
    if answer.is_success and isinstance(body, dict) and "outcome" in body:
        return Outcome(str(path), body["outcome"], body, None)
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        return Outcome(str(path), "refused", None, body["error"])
    return _failed(
        path, "not_coalescope", f"{answer.url.copy_with(query=None)} answered {answer.status_code}"
    )


def _failed(path: Path, code: str, message: str) -> Outcome:
    return Outcome(
        str(path), "failed", None, {"code": code, "message": message, "where": {}, "advice": None}
    )


def _report(outcome: Outcome, *, to_stdout: bool) -> None:
    if outcome.error is not None:
        print(f"{outcome.outcome:8}{outcome.file}: {_reason(outcome.error)}", file=sys.stderr)
    elif to_stdout and outcome.receipt is not None:
        runs = outcome.receipt["run_count"]
        slug = outcome.receipt["experiment"]["slug"]
        text = f"{outcome.outcome:8}{outcome.file}: {slug}, {runs} run{'s' if runs != 1 else ''}"
        print(text, flush=True)


def _reason(error: dict[str, Any]) -> str:
    where = error.get("where") or {}
    place = ", ".join(f"{name} {value}" for name, value in where.items() if value is not None)
    text = f"{error.get('message', error.get('code'))}" + (f" ({place})" if place else "")
    return f"{text}\n        {error['advice']}" if error.get("advice") else text
