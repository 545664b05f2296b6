# SPDX-License-Identifier: Apache-2.0
"""POST one file, GET the newest receipts."""

import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State
from starlette.requests import ClientDisconnect

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import Kind
from coalescope.storage.object_store import StagedObject
from coalescope.untrusted.bounds import TABLE_BYTES
from coalescope.untrusted.confinement import Ending
from coalescope.uploads import service
from coalescope.uploads.csv_faults import SPLIT_IT
from coalescope.uploads.file_kinds import begins_as_run_log
from coalescope.uploads.mapping.records import mapping_from_text
from coalescope.uploads.mapping.schemas import LookOut, look_out
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import (
    LOOKED_AT_HERE_BYTES,
    READ_HERE_BYTES,
    Reading,
    is_large_log,
    is_read_in_a_moment,
)
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.schemas import UploadedCellOut, UploadReceipt
from coalescope.web.connections import ReadConnection
from coalescope.web.error_responses import ErrorResponse
from coalescope.web.leaving import ended_with
from coalescope.web.pages import IN_PAGES, Limit, Offset, page_of
from coalescope.web.tracing import span

T = TypeVar("T")
_START_BYTES = 8  # tell a run log
_WRITE_BYTES = 2**20
#: What to do where the most is what the server's settings say.
_OF_SETTINGS = "Record with a longer interval, or raise COALESCOPE_MAX_UPLOAD_BYTES."

router = APIRouter(prefix="/uploads", tags=["uploads"])

_BODY = {
    "requestBody": {
        "required": True,
        "description": "A run log, a tidy CSV or a file of another tool, byte for byte.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_TABLE = {
    "requestBody": {
        "required": True,
        "description": "One table, byte for byte.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
MappingText = Annotated[
    str | None,
    Query(
        max_length=60_000,
        description="What the columns of a table mean, as JSON: "
        '{"columns": [{"column": "Gbps", "quantity": "throughput_mbps", "unit": "Gb/s"}]}',
    ),
]
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
    mapping: MappingText = None,
    given: Annotated[
        str,
        Query(
            alias="set",
            max_length=4000,
            description="Of the runs in a file of another tool: NAME=VALUE,NAME=VALUE",
        ),
    ] = "",
) -> Response:
    """Store one run log, one table or files of other tools: all of it, or nothing.

    Columns of a table carry the glossary's names, or `mapping` says what they mean; it is kept with
    the file. POST /api/uploads/look proposes one. A file of another tool (iperf3, sar, ethtool …)
    is recognised by its content; what it does not say of its runs is asked for, and given with
    `set`, such as `set=mtu_bytes=9000,delay_us=50`.

    A table that says its kind and source (`kind`, `source.*`, as exports do) keeps them; where the
    request says otherwise, it is refused unless `override_source` confirms it, which is noted.
    A 2xx means that bytes and rows are on disk. Sending the same bytes again changes nothing; of a
    table, to the same experiment with the same mapping. The whole log of a run takes the place of a
    copy of it that was cut off.
    """
    asked = UploadRequest(
        clean_filename(filename),
        experiment or None,
        _stripped(title),
        kind,
        _stripped(citation),
        override_source=override_source,
        choice=_names(choice),
        no_choice=_names(no_choice),
        mapping=mapping_from_text(mapping) if mapping else None,
        given=_names(given),
    )
    state = request.app.state
    with state.object_store.stage() as staged:
        with span("upload receive"):
            rest = await _receive(request, staged, state.settings.max_upload_bytes)

        def accept(reading: Reading) -> Receipt:
            staged.write(rest)
            return service.accept(state.database, state.object_store, staged, asked, reading)

        receipt = await _read(request, staged, rest, accept, READ_HERE_BYTES)
    status = 201 if receipt.outcome == "stored" else 200
    body = receipt_out(receipt).model_dump_json()
    return Response(body, status_code=status, media_type="application/json")


@router.post("/look", responses={413: _RESPONSES[413]}, openapi_extra=_TABLE)
async def look_at_table(
    request: Request,
    filename: Annotated[str, Query(min_length=1, max_length=1000)],
    mapping: MappingText = None,
) -> LookOut:
    """Say what a table holds and what its columns probably mean. Nothing is stored.

    CSV, also with semicolons, tabs or spaces and decimal commas, xlsx, and both packed with gzip.
    What is not certain is marked, and asks to be confirmed: send the mapping with the upload. With
    `mapping`, the same as it says.
    """
    said = mapping_from_text(mapping) if mapping else None
    with request.app.state.object_store.stage() as staged:
        rest = await _receive(request, staged, TABLE_BYTES, SPLIT_IT)

        def seen(reading: Reading) -> LookOut:
            staged.write(rest)
            return look_out(reading.look(staged, clean_filename(filename), said))

        return await _read(request, staged, rest, seen, LOOKED_AT_HERE_BYTES)


@router.get("/{identity}/cells", responses={404: {"model": ErrorResponse}})
def list_cells_of_upload(
    connection: ReadConnection,
    identity: Annotated[str, Path(max_length=100, description="The `id` of a receipt")],
) -> list[UploadedCellOut]:
    """How many runs of each cell came with an upload, by the `id` of its receipt."""
    return [
        UploadedCellOut(factors=dict(factors), runs=count)
        for factors, count in service.runs_of_cells(connection, identity)
    ]


@router.get("", responses=IN_PAGES)
def list_uploads(
    request: Request,
    response: Response,
    connection: ReadConnection,
    limit: Limit = 20,
    offset: Offset = 0,
) -> list[UploadReceipt]:
    """Receipts of the newest uploads, newest first, with the first runs of each.

    `Link` names the next page.
    """
    found = service.recent(connection, limit + 1, offset)
    return [receipt_out(receipt) for receipt in page_of(request, response, found, limit, offset)]


async def _receive(
    request: Request, staged: StagedObject, most: int, advice: str = _OF_SETTINGS
) -> bytearray:
    """Stream the body into the staged file; memory stays at one buffer whatever its size.

    The end of it, less than a buffer, is returned and not yet written.
    Errors: CoalescopeError 413 for more than `most` bytes, 400 where it was cut off.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise _too_large(most, advice)
    buffer = bytearray()
    try:
        async for chunk in request.stream():
            buffer += chunk
            if staged.size + len(buffer) > most:
                raise _too_large(most, advice)
            if len(buffer) >= _WRITE_BYTES:
                await run_in_threadpool(staged.write, buffer)
                buffer = bytearray()
    except ClientDisconnect:
        raise CoalescopeError(
            "cut_off", "The upload was cut off; nothing was kept.", status=400
        ) from None
    return buffer


def _too_large(most: int, advice: str) -> CoalescopeError:
    return CoalescopeError(
        "too_large",
        f"The file is larger than the {most:,} bytes this server accepts; nothing was kept.",
        where={"limit": most},
        advice=advice,
        status=413,
    )


async def _read(
    request: Request,
    staged: StagedObject,
    rest: bytearray,
    read: Callable[[Reading], T],
    most: int,
) -> T:
    """Have a file read, of which `rest` is not yet written.

    What is not read in a moment, as a small table of at most so many bytes is, takes its turn,
    while its sender is there.
    """
    state = request.app.state
    ending = Ending()
    reading = Reading.within(state.settings, ending)
    if not staged.size and is_read_in_a_moment(rest, most):
        return await run_in_threadpool(read, reading)
    async with ended_with(request, ending):
        start = staged.start or bytes(rest[:_START_BYTES])
        turns = _turns(start, staged.size + len(rest), state)
        return await to_thread.run_sync(read, reading, limiter=turns)


def _turns(start: bytes, size: int, state: State) -> CapacityLimiter | None:
    """Tables and large logs take their turns, so that others find a thread and a processor.

    Other logs go on at once.
    """
    if not begins_as_run_log(start):
        turns: CapacityLimiter = state.tables_at_once
        return turns
    return state.large_logs_at_once if is_large_log(size) else None


def clean_filename(name: str) -> str:
    """The name without folders, at most 255 characters."""
    return re.split(r"[/\\]", name)[-1].strip(" ")[-255:] or "unnamed"


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _stripped(text: str | None) -> str | None:
    return (text or "").strip(" ") or None


def receipt_out(receipt: Receipt) -> UploadReceipt:
    """That receipt as the API shows it."""
    upload = receipt.upload
    return UploadReceipt.model_validate(
        {
            "id": upload.identity,
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
            "mapping": upload.mapping,
            "created_at": upload.created_at,
        }
    )
