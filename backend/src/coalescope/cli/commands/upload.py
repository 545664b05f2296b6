# SPDX-License-Identifier: Apache-2.0
"""coalescope upload FILE… --server URL."""

import asyncio
import os
from argparse import Namespace
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import httpx

from coalescope.cli.file_outcomes import conclude, report
from coalescope.cli.mapped_tables import mapping_typed, with_what_was_seen
from coalescope.cli.output import printable
from coalescope.client import answers
from coalescope.client.answers import Allowance
from coalescope.client.connection import address_meant, refusal_in, scheme_meant
from coalescope.client.files.given import GivenFile, given_files
from coalescope.client.files.outcomes import FileOutcome, failed, refused, unreadable
from coalescope.client.files.together import with_foreign_together
from coalescope.client.reaching import reaching
from coalescope.client.token import token_in
from coalescope.errors import CoalescopeError
from coalescope.uploads.mapping.records import TableMapping

# Sending a file again changes nothing on the server, so that every failure may be tried again.
_PAUSES_S = (0.3, 1.0, 3.0)
_PASSING = frozenset({502, 503, 504})
_MOST_WAITS, _LONGEST_WAIT_S = 30, 60.0
_PATH = "/api/uploads"
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
_LIMIT_S = 10.0
# Sending a file included: as long as an export may take to come.
_LONGEST_S = answers.EXPORT_S


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
        headers={b"Accept-Encoding": answers.ENCODING.encode()} | headers,
        timeout=_TIMEOUT,
        **reaching(arguments.server),
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
    asked = client.build_request("GET", "/api/health")
    try:
        _, content = await _answer(client, asked, _LIMIT_S)
    except (httpx.HTTPError, TimeoutError, CoalescopeError):
        return None  # what is amiss is said of the first file
    told = answers.json_of(content)
    if not isinstance(told, dict) or _fault_in("GET", "/api/health", content) is not None:
        return None
    most: int = told["max_upload_bytes"]
    return most


async def _answer(
    client: httpx.AsyncClient, asked: httpx.Request, longest_s: float
) -> tuple[httpx.Response, bytes]:
    """An answer and its content. Errors: TimeoutError; CoalescopeError for too large a one."""
    allowance = Allowance(_place(client), longest_s=longest_s)
    async with asyncio.timeout(allowance.left_s):
        answer = await client.send(asked, stream=True)
        try:
            return answer, await answers.content_of(answer, allowance)
        finally:
            await answer.aclose()


def _fault_in(method: str, path: str, content: bytes) -> str | None:
    from coalescope.client import shapes  # noqa: PLC0415  the schemas of the whole API

    return shapes.fault_in(method, path, content)


def _place(client: httpx.AsyncClient) -> str:
    return str(client.base_url).rstrip("/")


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
    server = _place(client)
    for pause in (*_PAUSES_S, None):
        try:
            answer, content = await _post_in_turn(client, file.path, query)
        except TimeoutError:
            return failed(file.shown, "unreachable", f"{server} did not answer in time")
        except CoalescopeError as error:
            return failed(file.shown, error.code, error.message, error.advice)
        except OSError as error:
            return unreadable(file.shown, error)
        except httpx.TransportError as error:
            if pause is None:
                said = await asyncio.to_thread(_unreached, server, error)
                return failed(file.shown, "unreachable", said)
        else:
            if pause is None or answer.status_code not in _PASSING:
                return await asyncio.to_thread(_outcome, file.shown, answer, content, server)
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
) -> tuple[httpx.Response, bytes]:
    """Post it, and where the server says that too many came, wait as long as it says.

    Errors: as of `_answer`.
    """
    async with asyncio.timeout(_LONGEST_S):
        for _ in range(_MOST_WAITS):
            answer, content = await _post(client, path, query)
            wait_s = answer.headers.get("retry-after", "")
            if answer.status_code != 429 or not wait_s.isdecimal():
                break
            await asyncio.sleep(min(float(wait_s), _LONGEST_WAIT_S))
    return answer, content


async def _post(
    client: httpx.AsyncClient, path: Path, query: dict[str, str]
) -> tuple[httpx.Response, bytes]:
    async with await anyio.open_file(path, "rb") as file:
        size = os.fstat(file.wrapped.fileno()).st_size
        asked = client.build_request(
            "POST",
            _PATH,
            params=query,
            content=_chunks(file, size),
            headers={"Content-Length": str(size), "Content-Type": "application/octet-stream"},
        )
        return await _answer(client, asked, _LONGEST_S)


async def _chunks(file: anyio.AsyncFile[bytes], size: int) -> AsyncIterator[bytes]:
    """Yield exactly the announced bytes, even if the file grows meanwhile."""
    left = size
    while left > 0 and (chunk := await file.read(min(_CHUNK_BYTES, left))):
        left -= len(chunk)
        yield chunk


def _outcome(shown: str, answer: httpx.Response, content: bytes, server: str) -> FileOutcome:
    refusal = None if answer.is_success else refusal_in(content)
    if refusal is not None:
        known = _ADVICE.get(answer.status_code)
        return FileOutcome(
            shown, "refused", None, refusal | ({} if known is None else {"advice": known})
        )
    plain = f"{answer.url.copy_with(query=None)} answered {answer.status_code}"
    receipt = answers.json_of(content) if answer.is_success else None
    if not isinstance(receipt, dict):
        return failed(shown, "not_coalescope", address_meant(server, answer) or plain)
    fault = _fault_in("POST", _PATH, content)
    if fault is not None:
        return failed(shown, "wrong_answer", f"{plain} with what is no receipt ({fault})")
    return FileOutcome(shown, receipt["outcome"], receipt, None)
