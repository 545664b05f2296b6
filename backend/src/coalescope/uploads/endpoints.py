# SPDX-License-Identifier: Apache-2.0
"""POST one file, GET the newest receipts."""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from coalescope.connections import ReadConnection
from coalescope.error_responses import ErrorResponse
from coalescope.errors import CoalescopeError
from coalescope.experiments.records import Kind
from coalescope.object_store import StagedObject
from coalescope.runs.factors import CONTROL
from coalescope.tracing import span
from coalescope.uploads import service
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.schemas import UploadReceipt

router = APIRouter(prefix="/uploads", tags=["uploads"])

_WRITE_BYTES = 2**20

_BODY = {
    "requestBody": {
        "required": True,
        "description": "One run log or one tidy CSV, byte for byte.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": UploadReceipt,
        "description": "These bytes, or the log that they are the start of, were stored before",
    },
    409: {"model": ErrorResponse, "description": "It contradicts what is stored; nothing was kept"},
    413: {"model": ErrorResponse, "description": "Too large; nothing was kept"},
}


@router.post(
    "",
    status_code=201,
    response_model=UploadReceipt,
    responses=_RESPONSES,
    openapi_extra=_BODY,
)
async def upload_file(
    request: Request,
    filename: Annotated[str, Query(min_length=1, max_length=1000)],
    experiment: Annotated[
        str | None, Query(max_length=80, description="Instead of the one the file names")
    ] = None,
    title: Annotated[str | None, Query(max_length=200)] = None,
    kind: Annotated[Kind | None, Query()] = None,
    citation: Annotated[str | None, Query(max_length=2000)] = None,
    override_source: Annotated[
        bool,
        Query(description="Kind and citation asked for stand, whatever a table says of its own"),
    ] = False,
    choice: Annotated[
        str, Query(max_length=4000, description="Factors of a table that can be chosen: NAME,NAME")
    ] = "",
    no_choice: Annotated[
        str, Query(max_length=4000, description="Factors that nobody chooses: NAME,NAME")
    ] = "",
) -> Response:
    """Store one run log or one tidy CSV: all of it, or nothing.

    A table that says its kind and source (`kind`, `source.*`, as exports do) keeps them; where the
    request says otherwise, it is refused unless `override_source` confirms it, which is noted.
    A 2xx means that bytes and rows are on disk. Sending the same bytes again changes nothing. The
    whole log of a run takes the place of a copy of it that was cut off.
    """
    asked = UploadRequest(
        clean_filename(filename),
        experiment or None,
        _clean(title),
        kind,
        _clean(citation),
        override_source=override_source,
        choice=_names(choice),
        no_choice=_names(no_choice),
    )
    state = request.app.state
    with state.object_store.stage() as staged:
        with span("upload receive"):
            rest = await _receive(request, staged, state.settings.max_upload_bytes)

        def accept() -> Receipt:
            staged.write(rest)
            return service.accept(
                state.database, state.object_store, staged, asked, state.log_keeper
            )

        receipt = await run_in_threadpool(accept)
    status = 201 if receipt.outcome == "stored" else 200
    body = receipt_out(receipt).model_dump_json()
    return Response(body, status_code=status, media_type="application/json")


@router.get("")
def list_uploads(
    connection: ReadConnection, limit: Annotated[int, Query(ge=1, le=500)] = 20
) -> list[UploadReceipt]:
    """Receipts of the newest uploads, newest first."""
    return [receipt_out(receipt) for receipt in service.recent(connection, limit)]


async def _receive(request: Request, staged: StagedObject, most: int) -> bytearray:
    """Stream the body into the staged file; memory stays at one buffer whatever its size.

    The end of it, less than a buffer, is returned and not yet written.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise _too_large(most)
    buffer = bytearray()
    try:
        async for chunk in request.stream():
            buffer += chunk
            if staged.size + len(buffer) > most:
                raise _too_large(most)
            if len(buffer) >= _WRITE_BYTES:
                await run_in_threadpool(staged.write, buffer)
                buffer = bytearray()
    except ClientDisconnect:
        raise CoalescopeError(
            "cut_off", "The upload was cut off; nothing was kept.", status=400
        ) from None
    return buffer


def _too_large(most: int) -> CoalescopeError:
    return CoalescopeError(
        "too_large",
        f"The file is larger than the {most:,} bytes this server accepts; nothing was kept.",
        where={"limit": most},
        advice="Record with a longer interval, or raise COALESCOPE_MAX_UPLOAD_BYTES.",
        status=413,
    )


def clean_filename(name: str) -> str:
    """The name without folders and control characters, at most 255 characters."""
    last = re.split(r"[/\\]", name)[-1]
    return CONTROL.sub("", last).strip()[-255:] or "unnamed"


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _clean(text: str | None) -> str | None:
    return CONTROL.sub("", text or "").strip() or None


def receipt_out(receipt: Receipt) -> UploadReceipt:
    """That receipt as the API shows it."""
    upload = receipt.upload
    return UploadReceipt.model_validate(
        {
            "outcome": receipt.outcome,
            "sha256": upload.sha256,
            "bytes": upload.bytes,
            "filename": upload.filename,
            "content": upload.content,
            "experiment": {"slug": upload.slug, "title": upload.title},
            "runs": [
                {
                    "id": run.uid,
                    "factors": run.factors,
                    "replicate": run.replicate,
                    "partial": run.partial,
                }
                for run in receipt.runs
            ],
            "run_count": upload.run_count,
            "warnings": upload.warnings,
            "created_at": upload.created_at,
        }
    )
