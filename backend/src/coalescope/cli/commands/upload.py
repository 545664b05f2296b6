# SPDX-License-Identifier: Apache-2.0
"""coalescope upload FILE… --server URL."""

import asyncio
import os
from argparse import Namespace
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import anyio
import httpx

from coalescope.cli.file_outcomes import conclude, report
from coalescope.cli.mapped_tables import mapping_typed, with_what_was_seen
from coalescope.cli.output import printable
from coalescope.client.connection import address_meant, scheme_meant
from coalescope.client.files.given import GivenFile, given_files
from coalescope.client.files.outcomes import FileOutcome, failed, refused, unreadable
from coalescope.client.files.together import with_foreign_together
from coalescope.client.token import token_in
from coalescope.untrusted.web_addresses import is_loopback
from coalescope.uploads.mapping.records import TableMapping

# Sending a file again changes nothing on the server, so that every failure may be tried again.
_PAUSES_S = (0.3, 1.0, 3.0)
_PASSING = frozenset({502, 503, 504})
_MOST_WAITS, _LONGEST_WAIT_S = 30, 60.0
_CHUNK_BYTES = 1 << 18
# The server's own advice is for whoever writes requests.
_WRONG_ADDRESS = "Give --server the address of its first page, such as http://host:8000."
_ADVICE = {
    401: "Set COALESCOPE_TOKEN to the server's token, or name a file that holds it with "
    "--token-file.",
    404: _WRONG_ADDRESS,
    405: _WRONG_ADDRESS,
}
_TIMEOUT = httpx.Timeout(60.0, connect=10.0, read=600.0)
_LIMIT_TIMEOUT = httpx.Timeout(10.0)


def run(arguments: Namespace) -> int:
    """Send files, several at once; 1 unless the server has all of them."""
    token = token_in(arguments.token_file)
    mapping = mapping_typed(arguments)
    with (
        given_files(arguments.files) as given,
        TemporaryDirectory(prefix="coalescope-") as folder,
    ):
        files = with_foreign_together(given, arguments.set, Path(folder))
        outcomes = asyncio.run(_send_all(files, arguments, token, mapping))
    if not arguments.json:
        _say_where(outcomes, arguments.server)
    return conclude(outcomes, arguments)


def _say_where(outcomes: Sequence[FileOutcome], server: str) -> None:
    """Where the page shows what the server has now."""
    slugs = dict.fromkeys(
        o.receipt["experiment"]["slug"] for o in outcomes if o.receipt is not None
    )
    for slug in slugs:
        print(f"The page: {server.rstrip('/')}/explorer/{printable(slug)}")


async def _send_all(
    given: Iterable[GivenFile | FileOutcome],
    arguments: Namespace,
    token: str | None,
    mapping: TableMapping | None,
) -> list[FileOutcome]:
    headers = {} if token is None else {b"Authorization": f"Bearer {token}".encode()}
    at_once = asyncio.Semaphore(arguments.parallel)
    async with httpx.AsyncClient(
        base_url=arguments.server,
        headers=headers,
        timeout=_TIMEOUT,
        # This machine is reached directly, whatever proxy the environment names.
        trust_env=not is_loopback(urlsplit(arguments.server).hostname or ""),
    ) as client:
        most_bytes = await _most_bytes(client)

        async def one(file: GivenFile | FileOutcome) -> FileOutcome:
            if isinstance(file, FileOutcome):
                outcome = file
            else:
                async with at_once:
                    outcome = _beyond(most_bytes, file, arguments.server) or await _send(
                        client, file, _query(file, arguments, mapping)
                    )
                command = ("upload", "--server", arguments.server)
                outcome = with_what_was_seen(outcome, file, arguments, command)
            report(outcome, arguments)
            return outcome

        return list(await asyncio.gather(*(one(file) for file in given)))


async def _most_bytes(client: httpx.AsyncClient) -> int | None:
    """The largest file that the server takes; None where it does not say.

    It would say so while the file is still being sent, and over a slow connection nobody hears it.
    """
    try:
        answer = await client.get("/api/health", timeout=_LIMIT_TIMEOUT)
        most = answer.json().get("max_upload_bytes")
    except (httpx.HTTPError, ValueError, AttributeError):
        return None  # what is amiss is said of the first file
    return most if isinstance(most, int) else None


def _beyond(most_bytes: int | None, file: GivenFile, server: str) -> FileOutcome | None:
    """The outcome of a file that the server would not take, before a byte of it is sent."""
    try:
        size = file.path.stat().st_size
    except OSError:
        return None  # said where it is opened
    if most_bytes is None or size <= most_bytes:
        return None
    return refused(
        file.shown,
        "too_large",
        f"The file has {size:,} bytes, and {server} takes at most {most_bytes:,}; "
        "nothing was sent.",
        "Record with a longer interval, or raise COALESCOPE_MAX_UPLOAD_BYTES there.",
    )


def _query(file: GivenFile, arguments: Namespace, mapping: TableMapping | None) -> dict[str, str]:
    asked = {name: getattr(arguments, name) for name in ("experiment", "title", "kind", "citation")}
    asked["override_source"] = "true" if arguments.override_source else None
    asked["mapping"] = None if mapping is None else mapping.text()
    factors = {"choice": ",".join(arguments.choice), "no_choice": ",".join(arguments.no_choice)}
    return {"filename": file.name} | {n: given for n, given in (asked | factors).items() if given}


async def _send(client: httpx.AsyncClient, file: GivenFile, query: dict[str, str]) -> FileOutcome:
    server = str(client.base_url).rstrip("/")
    for pause in (*_PAUSES_S, None):
        try:
            answer = await _post_in_turn(client, file.path, query)
        except OSError as error:
            return unreadable(file.shown, error)
        except httpx.TransportError as error:
            if pause is None:
                said = await asyncio.to_thread(_unreached, server, error)
                return failed(file.shown, "unreachable", said)
        else:
            if pause is None or answer.status_code not in _PASSING:
                return await asyncio.to_thread(_outcome, file.shown, answer, server)
        await asyncio.sleep(pause)
    raise AssertionError("the last attempt always returns")


def _unreached(server: str, error: httpx.TransportError) -> str:
    meant = scheme_meant(server, error)
    if meant is not None:
        return meant
    match error:
        case httpx.ReadError() | httpx.WriteError() | httpx.RemoteProtocolError():
            return (
                f"{server} ended the connection while the file was sent: it stopped, or the file "
                "is larger than it accepts (COALESCOPE_MAX_UPLOAD_BYTES there)"
            )
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            return f"{server} did not answer in time"
        case _:
            return (
                f"{server} cannot be reached: {error}. Is the address right, and does a server run "
                "there (`make serve`)?"
            )


async def _post_in_turn(
    client: httpx.AsyncClient, path: Path, query: dict[str, str]
) -> httpx.Response:
    """Post it, and where the server says that too many came, wait as long as it says."""
    for _ in range(_MOST_WAITS):
        answer = await _post(client, path, query)
        wait_s = answer.headers.get("retry-after", "")
        if answer.status_code != 429 or not wait_s.isdecimal():
            break
        await asyncio.sleep(min(float(wait_s), _LONGEST_WAIT_S))
    return answer


async def _post(client: httpx.AsyncClient, path: Path, query: dict[str, str]) -> httpx.Response:
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


def _outcome(shown: str, answer: httpx.Response, server: str) -> FileOutcome:
    try:
        body = answer.json()
    except ValueError:
        body = None
    if answer.is_success and isinstance(body, dict) and "outcome" in body:
        return FileOutcome(shown, body["outcome"], body, None)
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        known = _ADVICE.get(answer.status_code)
        advice = {} if known is None else {"advice": known}
        return FileOutcome(shown, "refused", None, body["error"] | advice)
    plain = f"{answer.url.copy_with(query=None)} answered {answer.status_code}"
    return failed(shown, "not_coalescope", address_meant(server, answer) or plain)
