# SPDX-License-Identifier: Apache-2.0
"""Questions to a server of experiments over HTTP: sent, waited for, and answered or refused."""

import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx
from coalescope_host.wrong_scheme import sent_on, wrong_scheme
from pydantic import TypeAdapter, ValidationError

from coalescope.client.source import Document, as_json, closed
from coalescope.errors import CoalescopeError, Problem
from coalescope.untrusted.web_addresses import is_loopback

_TIMEOUT = httpx.Timeout(60.0, connect=10.0, read=600.0)
_MOST_WAITS, _LONGEST_WAIT_S = 30, 60.0
_ADVICE = {
    401: "Give the server's token: token_file=… names a file that holds it, and COALESCOPE_TOKEN "
    "may be set to it."
}


class Connection:
    """To one server.

    Whatever asks raises CoalescopeError: as the server refuses it, where it cannot be reached, and
    after `close`.
    """

    def __init__(self, address: str, token: str | None) -> None:
        self._place = address
        self._http = httpx.Client(
            base_url=address,
            headers={} if token is None else {"Authorization": f"Bearer {token}"},
            timeout=_TIMEOUT,
            # This machine is reached directly, whatever proxy the environment names.
            trust_env=not is_loopback(urlsplit(address).hostname or ""),
        )
        self._end = weakref.finalize(self, self._http.close)

    def get(self, path: str, asked: Sequence[tuple[str, str]] = ()) -> Any:
        """What is there."""
        return self._answer("GET", path, asked)[1]

    def all_pages(self, path: str, most: int | None = None) -> Sequence[Document]:
        """A list, page by page: all of it, or its first `most`."""
        found: list[Document] = []
        more = True
        while more:
            answer, page = self._answer("GET", path, [("offset", str(len(found)))])
            found += page
            enough = most is not None and len(found) >= most
            more = "next" in answer.links and bool(page) and not enough
        return found[:most]

    def pieces(self, path: str, asked: Sequence[tuple[str, str]]) -> Iterator[str]:
        """A long answer, piece by piece; one that ends before its end is an error, too."""
        request = self._http.build_request("GET", path, params=list(asked))
        with closing(self._sent(request, stream=True)) as answer:
            try:
                if not answer.is_success:
                    answer.read()
                    raise _fault(self._place, answer)
                yield from answer.iter_text()
            except httpx.RequestError as error:
                raise _unreached(self._place, error) from None

    def send(self, method: str, path: str, said: Document | None = None) -> Document:
        """Its answer to what is said."""
        return self.send_for_status(method, path, said)[1]

    def send_for_status(
        self, method: str, path: str, said: Document | None = None
    ) -> tuple[int, Document]:
        """The same, with its status."""
        answer, found = self._answer(method, path, said=said)
        return answer.status_code, found

    def close(self) -> None:
        """End the connection."""
        self._end()

    def _answer(
        self,
        method: str,
        path: str,
        asked: Sequence[tuple[str, str]] = (),
        said: Document | None = None,
    ) -> tuple[httpx.Response, Any]:
        content = None if said is None else as_json(said).encode()
        headers = {} if said is None else {"Content-Type": "application/json"}
        answer = self._sent(
            self._http.build_request(
                method, path, params=list(asked) or None, content=content, headers=headers
            )
        )
        body = _json_of(answer)
        if answer.is_success and isinstance(body, dict | list):
            return answer, body
        raise _fault(self._place, answer)

    def _sent(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        """Its answer; where it says that too many ask, after as long as it says.

        Errors: where it cannot be reached, and after `close`.
        """
        if not self._end.alive:
            raise closed(self._place)
        for waits_left in reversed(range(_MOST_WAITS)):
            try:
                answer = self._http.send(request, stream=stream)
            except httpx.RequestError as error:
                raise _unreached(self._place, error) from None
            wait_s = answer.headers.get("retry-after", "")
            is_to_wait = answer.status_code in (429, 503) and wait_s.isdecimal()
            if not is_to_wait or not waits_left:
                break
            answer.close()
            time.sleep(min(float(wait_s), _LONGEST_WAIT_S))
        return answer


def _json_of(answer: httpx.Response) -> Any:
    """None for what is no JSON, or too deep."""
    try:
        return answer.json()
    except (ValueError, RecursionError):
        return None


def _fault(place: str, answer: httpx.Response) -> CoalescopeError:
    """What a server says is wrong, or that it is no server of these."""
    try:
        said = _refusal().validate_python(_json_of(answer)).error
    except ValidationError:
        pass  # another program's, or one that only looks like ours
    else:
        return _refused(said, answer.status_code)
    meant = address_meant(place, answer)
    asked = answer.request
    return CoalescopeError(
        "not_coalescope",
        f"{meant}."
        if meant
        else f"{place} answered {answer.status_code} to {asked.method} {asked.url.path}.",
        advice="Give the address of a Coalescope server's first page.",
        status=502,
    )


def scheme_meant(server: str, error: httpx.RequestError) -> str | None:
    """What to try instead, where the server was reached and not understood."""
    cut = isinstance(error, httpx.ReadError | httpx.WriteError | httpx.RemoteProtocolError)
    return wrong_scheme(server) if cut or "SSL" in str(error) else None


def address_meant(server: str, answer: httpx.Response) -> str | None:
    """What to try instead, where an answer that is not Coalescope's shows it."""
    if answer.is_redirect:
        return sent_on(server, answer.headers.get("location", ""))
    # a server of https answers so to http
    return wrong_scheme(server) if answer.status_code == httpx.codes.BAD_REQUEST else None


def _unreached(place: str, error: httpx.RequestError) -> CoalescopeError:
    slow = isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout)
    said = scheme_meant(place, error) or f"{place} cannot be reached: {error}"
    return CoalescopeError(
        "unreachable",
        f"{place} did not answer in time." if slow else f"{said}.",
        advice="Check the address, and that the server runs.",
        status=503,
    )


@dataclass(frozen=True)
class _Said:
    """Why a server refuses."""

    code: str
    message: str
    where: dict[str, str | int | float | None] | None = None
    advice: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class _Refusal:
    error: _Said


@cache
def _refusal() -> TypeAdapter[_Refusal]:
    return TypeAdapter(_Refusal)


def _refused(said: _Said, status: int) -> CoalescopeError:
    return CoalescopeError(
        said.code,
        said.message,
        where=said.where,
        advice=_ADVICE.get(status, said.advice),
        status=status,
        problems=said.problems,
    )
