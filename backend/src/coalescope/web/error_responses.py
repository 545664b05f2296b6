# SPDX-License-Identifier: Apache-2.0
"""How every failure becomes the one JSON shape.

{"error": {"code", "message", "where", "advice", "problems"}}: `where` says the place in the input
(file, offset, block, row, column, field …), `advice` what to do about it, and `problems` lists
every fault found when one file has several (the first 20; the outer fields repeat the first).
"""

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.routing import Match

from coalescope.errors import CoalescopeError, Problem, refused
from coalescope.web.storage_failures import reason_of, storage_failure

_LOG = logging.getLogger("coalescope")


class ErrorBody(BaseModel):
    """What went wrong; `problems` lists all faults of a file that has several."""

    code: str
    message: str
    where: dict[str, str | int | float | None]
    advice: str | None
    problems: list[Problem]


class ErrorResponse(BaseModel):
    """The body of every answer that is not a success."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "error": {
                        "code": "wrong_unit",
                        "message": "Column 'delay_ms': delays are in microseconds here.",
                        "where": {"row": 1, "column": "delay_ms"},
                        "advice": "Multiply by 1000 and name the column delay_us.",
                        "problems": [],
                    }
                }
            ]
        }
    )

    error: ErrorBody


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorResponse, "description": "No such thing"},
    422: {"model": ErrorResponse, "description": "The input is wrong; nothing was changed"},
}

_HTTP_CODES = {
    400: ("bad_request", "The request cannot be understood."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not answer to that method."),
    408: ("too_slow", "The request body came too slowly; nothing was kept."),
    413: ("too_large", "The request body is too large."),
    422: ("too_deep", "The request body is nested too deeply."),
}


def answer_of(error: CoalescopeError, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The error in the one shape, with its status."""
    wait_s = error.where.get("retry_after_s")
    retry = {} if wait_s is None else {"Retry-After": str(wait_s)}
    return JSONResponse(
        error.as_json(), status_code=error.status, headers={**retry, **(headers or {})}
    )


def _own(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, CoalescopeError)
    return answer_of(error)


def _validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    problems = [_validation_problem(detail) for detail in error.errors()[:20]]
    return answer_of(refused(problems))


def _validation_problem(detail: Mapping[str, Any]) -> Problem:
    place, *path = [str(part) for part in detail["loc"]]
    field = ".".join(path) or place
    return Problem(
        code="invalid_request",
        message=f"{field}: {detail['msg']}",
        where={"in": place, "field": field},
        advice="See /api/docs for what this address takes.",
    )


def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StarletteHTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405 and (methods := _methods_at(request)):
        headers["Allow"] = ", ".join(methods)
    code, message = _HTTP_CODES.get(error.status_code, ("http_error", str(error.detail)))
    shaped = CoalescopeError(
        code,
        message,
        where={"method": request.method, "path": request.url.path},
        advice="See /api/docs for the addresses there are." if error.status_code < 500 else None,
        status=error.status_code,
    )
    return answer_of(shaped, headers)


def _methods_at(request: Request) -> list[str]:
    """All that the address answers to; each route by itself knows its own."""

    def answered(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)

    found = [method for method in ("GET", "POST", "PUT", "PATCH", "DELETE") if answered(method)]
    return ["GET", "HEAD", *found[1:]] if "GET" in found else found


def _not_storable(request: Request, error: Exception) -> JSONResponse:
    """PostgreSQL keeps no text with a NUL and no number of more than 64 bits."""
    assert isinstance(error, DataError)
    shaped = CoalescopeError(
        "not_storable",
        "A text has a NUL character, or a number is too large, for anything that is kept here.",
        where={"method": request.method, "path": request.url.path},
        advice="Correct it.",
    )
    return answer_of(shaped)


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    method, path = request.method, request.url.path
    known = storage_failure(request, error)
    if known is not None:  # the reason is all there is to know: where it was met says nothing more
        _LOG.error("%s at %s %r: %s", known.code, method, path, reason_of(request, error))
        return answer_of(known)
    _LOG.error("unexpected failure at %s %r", method, path, exc_info=error)
    shaped = CoalescopeError(
        "internal",
        "Something failed inside the server; the request changed nothing.",
        where={"method": method, "path": path},
        advice="Try again. If it stays, the server's log has the details.",
        status=500,
    )
    return answer_of(shaped, {"Connection": "close"})


def install_error_handlers(app: FastAPI) -> None:
    """Make every failure of `app` answer in the one shape."""
    app.add_exception_handler(CoalescopeError, _own)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(StarletteHTTPException, _http)
    app.add_exception_handler(DataError, _not_storable)
    # of the disk and the database: answered as any refusal is, and the connection goes on; after
    # what nobody knows the server closes it, in the midst of a body too
    app.add_exception_handler(OSError, _unexpected)
    app.add_exception_handler(SQLAlchemyError, _unexpected)
    app.add_exception_handler(Exception, _unexpected)
