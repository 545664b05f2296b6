# SPDX-License-Identifier: Apache-2.0
"""Questions to a server of experiments over HTTP: sent, waited for, and answered or refused."""

import time
import weakref
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import httpx
from coalescope_host.expiry import Expiry
from coalescope_host.wrong_scheme import sent_on, wrong_scheme
from pydantic import TypeAdapter, ValidationError

from coalescope.client import answers
from coalescope.client.answers import Allowance
from coalescope.client.reaching import reaching
from coalescope.client.source import Document, as_json, closed
from coalescope.errors import CoalescopeError, Problem

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
            headers={"Accept-Encoding": answers.ENCODING}
            | ({} if token is None else {"Authorization": f"Bearer {token}"}),
            timeout=_TIMEOUT,
            # each question has a connection of its own, which ends when its time is over
            limits=httpx.Limits(max_keepalive_connections=0),
            **reaching(address),
        )
        self._end = weakref.finalize(self, self._http.close)

    def get(self, path: str, asked: Sequence[tuple[str, str]] = ()) -> Any:
        """What is there."""
        return self._answer("GET", path, self._allowance(), asked)[1]

    def all_pages(self, path: str, most: int | None = None) -> Sequence[Document]:
        """A list, page by page: all of it, or its first `most`."""
        found: list[Document] = []
        allowance = self._allowance()
        last: Any = None
        while most is None or len(found) < most:
            asked = [("offset", str(len(found)))]
            answer, page = self._answer("GET", path, allowance, asked)
            if page and page == last:
                raise _wrong_shape(self._place, answer.request, "the same page comes again")
            found += page
            last = page
            if not page or "next" not in answer.links:
                break
        return found[:most]

    def pieces(self, path: str, asked: Sequence[tuple[str, str]]) -> Iterator[str]:
        """A long answer, piece by piece; one that ends before its end is an error, too."""
        allowance = Allowance(self._place, answers.EXPORT_BYTES, answers.EXPORT_S)
        text = getincrementaldecoder("utf-8")("replace")
        with self._sent("GET", path, allowance, asked) as answer:
            if not answer.is_success:
                raise _fault(self._place, answer, _refusal_of(answer, allowance))
            for piece in answers.pieces_of(answer, allowance):
                yield text.decode(piece)
        yield text.decode(b"", final=True)

    def send(self, method: str, path: str, said: Document | None = None) -> Document:
        """Its answer to what is said."""
        return self.send_for_status(method, path, said)[1]

    def send_for_status(
        self, method: str, path: str, said: Document | None = None
    ) -> tuple[int, Document]:
        """The same, with its status."""
        answer, found = self._answer(method, path, self._allowance(), said=said)
        return answer.status_code, found

    def close(self) -> None:
        """End the connection."""
        self._end()

    def _allowance(self) -> Allowance:
        return Allowance(self._place)

    def _answer(
        self,
        method: str,
        path: str,
        allowance: Allowance,
        asked: Sequence[tuple[str, str]] = (),
        said: Document | None = None,
    ) -> tuple[httpx.Response, Any]:
        """An answer of the shape that the API says. Errors: for any other."""
        with self._sent(method, path, allowance, asked, said) as answer:
            if not answer.is_success:
                raise _fault(self._place, answer, _refusal_of(answer, allowance))
            content = b"".join(answers.pieces_of(answer, allowance))
        body = answers.json_of(content)
        if not isinstance(body, dict | list):
            raise _fault(self._place, answer, b"")
        from coalescope.client import shapes  # noqa: PLC0415  the schemas of the whole API

        fault = shapes.fault_in(method, path, content)
        if fault is not None:
            raise _wrong_shape(self._place, answer.request, fault)
        return answer, body

    @contextmanager
    def _sent(
        self,
        method: str,
        path: str,
        allowance: Allowance,
        asked: Sequence[tuple[str, str]] = (),
        said: Document | None = None,
    ) -> Iterator[httpx.Response]:
        """Its answer; where it says that too many ask, after as long as it says.

        Errors: where it cannot be reached or is not done in time, and after `close`.
        """
        if not self._end.alive:
            raise closed(self._place)
        for waits_left in reversed(range(_MOST_WAITS)):
            with self._begun(method, path, allowance, asked, said) as answer:
                wait_s = answer.headers.get("retry-after", "")
                is_to_wait = answer.status_code in (429, 503) and wait_s.isdecimal()
                if not is_to_wait or not waits_left:
                    yield answer
                    return
            time.sleep(min(float(wait_s), _LONGEST_WAIT_S, allowance.left_s))

    @contextmanager
    def _begun(
        self,
        method: str,
        path: str,
        allowance: Allowance,
        asked: Sequence[tuple[str, str]],
        said: Document | None,
    ) -> Iterator[httpx.Response]:
        content = None if said is None else as_json(said).encode()
        headers = {} if said is None else {"Content-Type": "application/json"}
        request = self._http.build_request(
            method, path, params=list(asked) or None, content=content, headers=headers
        )
        with Expiry(allowance.left_s) as expiry:
            request.extensions["trace"] = partial(_watch, expiry)
            try:
                with closing(self._http.send(request, stream=True)) as answer:
                    yield answer
            except httpx.RequestError as error:
                if expiry.has_come:
                    raise answers.too_slow(self._place) from None
                raise _unreached(self._place, error) from None


def _watch(expiry: Expiry, _: str, told: Mapping[str, Any]) -> None:
    """Have the socket of a connection that was just made end with the time for it."""
    made = told.get("return_value")
    if made is not None and hasattr(made, "get_extra_info"):
        expiry.watch(made.get_extra_info("socket"))


def _refusal_of(answer: httpx.Response, allowance: Allowance) -> bytes:
    """What is said with it. Nobody says much: what is longer is not ours."""
    content = bytearray()
    for piece in answers.pieces_of(answer, allowance):
        content += piece
        if len(content) > answers.REFUSAL_BYTES:
            return b""
    return bytes(content)


def _wrong_shape(place: str, asked: httpx.Request, fault: str) -> CoalescopeError:
    return CoalescopeError(
        "wrong_answer",
        f"{place} answered {asked.method} {asked.url.path} with what this program does not "
        f"understand ({fault}).",
        advice="Check the address, and that the server's version is that of this program "
        "(`coalescope --version`).",
        status=502,
    )


def refusal_in(content: bytes) -> dict[str, Any] | None:
    """The API's error, where an answer is a refusal of its shape."""
    said = answers.json_of(content)
    try:
        _refusal().validate_python(said)
    except ValidationError:
        return None
    found: dict[str, Any] = said["error"]
    return found


def _fault(place: str, answer: httpx.Response, content: bytes) -> CoalescopeError:
    """What a server says is wrong, or that it is no server of these."""
    try:
        said = _refusal().validate_python(answers.json_of(content)).error
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
    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
        return answers.too_slow(place)
    said = scheme_meant(place, error) or f"{place} cannot be reached: {error}"
    return CoalescopeError(
        "unreachable",
        f"{said}.",
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
