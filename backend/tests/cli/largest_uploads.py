# SPDX-License-Identifier: Apache-2.0
"""Uploads that hold the most that they may, and far too much, of each thing that is bounded."""

import gzip
import io
import json
import zipfile
from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from coalescope.foreign.bundle import MOST_FILES, write_bundle
from coalescope.foreign.records import Format
from coalescope.foreign.registry import FORMATS, MOST_BYTES, START_BYTES, recognise
from coalescope.settings import Settings
from coalescope.untrusted import bounds
from coalescope_host.run_log import STANDARD_FIELDS, Writer, make_header, standard_field
from coalescope_host.run_log.layout import DEFAULT_LIMITS, SAMPLES
from coalescope_host.run_log.writer import PREFERRED_PAYLOAD
from openpyxl import Workbook

CORPUS = Path(__file__).parents[1] / "foreign" / "corpus"
#: All that may be asked of other tools' files.
GIVEN = (
    "mtu_bytes=9000",
    "delay_us=unknown",
    "workload=tcp",
    "host=sink",
    "interface=eth0",
    "utc_offset=+00:00",
    "started_at=2026-11-24T18:11:26Z",
)
#: What is compared with other measures, and so costs most.
MEASURES = ("throughput_mbps", "system_cpu_percent", "elapsed_s")
WIDE = bounds.FIELDS // bounds.COLUMNS
NARROW = bounds.FIELDS // bounds.ROWS
OWN = NARROW - 1  # where rows are numbered as they are read: that is a column


class Sent(NamedTuple):
    """An upload: its bytes, the status of its answer, and what is said with it.

    Status 0: it is as large as a file may be, and may yet take more memory than there is for it.
    """

    make: Callable[[], bytes]
    status: int = 201
    words: Mapping[str, str] = {}


def table(rows: int, columns: int, level: str = "1500") -> bytes:
    """A tidy table."""
    measures = [*MEASURES, *(f"measure.m{n}" for n in range(columns))][: columns - 2]
    names = ["mtu_bytes", "replicate", *measures]
    values = ",1.5" * (columns - 2)
    lines = "".join(f"{level},{row}{values}\n" for row in range(rows))
    return f"{','.join(names)}\n{lines}".encode()


def long_texts(rows: int) -> bytes:
    """A tidy table that has about as many bytes as one may have."""
    note = "x" * (bounds.TABLE_BYTES // rows - 40)
    lines = "".join(f'1500,{row},1.5,"[""{note}""]"\n' for row in range(rows))
    return f"mtu_bytes,replicate,drops,source.notes\n{lines}".encode()


def lab_names(columns: int) -> list[str]:
    """The columns of a table that was not made for us."""
    return ["MTU", *(f"x{n}" for n in range(columns - 1))]


def lab(rows: int, columns: int) -> bytes:
    """The table as text."""
    row = "1500" + ";1,5" * (columns - 1) + "\n"
    return f"{';'.join(lab_names(columns))}\n{row * rows}".encode()


def lab_book(rows: int, columns: int) -> bytes:
    """The table as a workbook."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(lab_names(columns))
    for _ in range(rows):
        sheet.append([1500, *[1.5] * (columns - 1)])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def meant(columns: int, decimal: str = ",") -> Mapping[str, str]:
    """What its columns mean."""
    of = [("MTU", "mtu_bytes"), *((name, f"measure.{name}") for name in lab_names(columns)[1:])]
    said = [{"column": name, "quantity": means, "decimal": decimal} for name, means in of]
    if columns > NARROW:
        said = said[:600]  # of a wide table: an address has an end
    return {"mapping": json.dumps({"columns": said}, separators=(",", ":"))}


def packed(content: bytes, times: int = 1) -> bytes:
    """The same so many times over, as gzip."""
    return gzip.compress(content, 1) * times


def book_of(members: int) -> bytes:
    """A workbook of so many members, each as large as a workbook may be."""
    file = io.BytesIO(lab_book(1, NARROW))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(members):
            archive.writestr(f"xl/media/{number}", bytes(bounds.WORKBOOK_BYTES))
    return file.getvalue()


def export(runs: int) -> bytes:
    """A JSON export."""
    said = {"title": "x", "subtitle": "", "kind": "measured", "source": {}}
    one = {
        "factors": {"mtu_bytes": 1500},
        "measures": {"drops": {"value": 1.5, "sd": None, "n": 1}},
    }
    entries = [{**one, "replicate": number} for number in range(runs)]
    return json.dumps({"format": 1, "experiment": said, "runs": entries}).encode()


def log(samples: int) -> bytes:
    """A run log."""
    file, written = writer_of(list(STANDARD_FIELDS))
    with written:
        written.mark("window_start", 0, 0)
        for number in range(samples):
            at = number * 1_000_000
            written.sample(at, at, *[number * 1000] * (len(STANDARD_FIELDS) - 2))
        written.mark("window_end", at, at)
    return file.getvalue()


def writer_of(names: list[str]) -> tuple[io.BytesIO, Writer]:
    """What writes a run log with those fields, and where to."""
    header = make_header(
        run_id=str(uuid4()),
        experiment="large",
        factors={"mtu_bytes": {"requested": 1500, "read_back": 1500}},
        fields=[standard_field(name) for name in names],
        sources=[{"name": "sysfs", "atomic": False}],
    )
    file = io.BytesIO()
    return file, Writer(file, header)


#: What a server takes unless it is set otherwise.
LOG_BYTES = Settings().max_upload_bytes


def long_log(fields: int, records: int = 0, blocks: int = bounds.LOG_BLOCKS) -> bytes:
    """A run log of as many blocks of so many records, or of 64 KiB each, as there may be."""
    names = list(STANDARD_FIELDS)[:fields]
    records = records or PREFERRED_PAYLOAD // (8 * fields)
    file, written = writer_of(names)
    written.mark("window_start", 0, 0)
    count = 0
    room = LOG_BYTES - 8 * fields * records - 1024  # for the last marks and the footer
    while file.tell() < room and written._sequence < blocks - 3:
        clock = array("Q", range(1000 * count, 1000 * (count + records), 1000))
        block = array("Q", bytes(8 * fields * records))
        for field in range(fields):
            block[field::fields] = clock
        written._block(SAMPLES, block.tobytes(), 0, records)
        count += records
    last = 1000 * (count - 1)
    written._records[0], written._first[0], written._last[0] = count, 0, last
    written.mark("window_end", last, last)
    written.finish()
    return file.getvalue()


def with_results(*bodies: bytes) -> bytes:
    """A run log with what a workload and the interface said."""
    names = ("workload", "ethtool_statistics_start", "ethtool_statistics_end")
    file, written = writer_of(list(STANDARD_FIELDS))
    with written:
        for at in (0, 1000):
            written.sample(*[at] * len(STANDARD_FIELDS))
        for number, body in enumerate(bodies):
            written.result(body, name=[*names, "other"][min(number, 3)])
    return file.getvalue()


def object_of(values: int) -> bytes:
    """A JSON object of so many numbers."""
    return json.dumps({str(number): number for number in range(values)}).encode()


def bundle(*contents: bytes) -> bytes:
    """Other tools' files with all that may be asked of them."""
    return write_bundle(GIVEN, {f"{n}.txt": content for n, content in enumerate(contents)})


def of_format(form: Format) -> Iterator[tuple[str, bytes]]:
    """The largest file of the corpus as text, and as JSON, that is of that format."""
    files = [path for path in CORPUS.glob("*/*") if path.suffix != ".md"]
    found: dict[bool, tuple[str, bytes]] = {}
    for path in sorted(files, key=lambda path: path.stat().st_size):
        content = path.read_bytes()
        if recognise(content[:START_BYTES]) is form:
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            found[content.lstrip()[:1] in b"[{"] = path.name, content
    yield from found.values()


def over_and_over(content: bytes, size: int) -> bytes:
    """A file's content as often as there is room."""
    return content * (size // len(content))


def with_longest_list(content: bytes, size: int) -> bytes:
    """A JSON document, the longest list of it as long as there is room."""
    document, _ = json.JSONDecoder().raw_decode(content.decode().lstrip())
    lists = sorted(_lists(document), key=lambda found: len(json.dumps(found)))
    longest = lists[-1]
    left = size - len(json.dumps(document))
    longest *= 1 + left // len(json.dumps(longest))
    return json.dumps(document).encode()


def _lists(tree: Any) -> Iterator[list[Any]]:
    if isinstance(tree, list) and tree:
        yield tree
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _lists(part)


def of_tools() -> Iterator[tuple[str, Sent]]:
    """Each format that is read, as large as its files may be; running totals twice."""
    for form in FORMATS:
        files = 2 if form.difference else 1
        size = (MOST_BYTES - 2**20) // files
        for name, content in of_format(form):
            for how in (over_and_over, with_longest_list)[: 1 + has_list(content)]:
                make = partial(how, content, size)
                yield f"{form.name}: {name} {how.__name__}", Sent(partial(bundled, make, files), 0)


def bundled(make: Callable[[], bytes], files: int) -> bytes:
    """So many files of that content."""
    return bundle(*[make()] * files)


def has_list(content: bytes) -> bool:
    """Whether it is JSON that has a list in it."""
    try:
        return any(_lists(json.JSONDecoder().raw_decode(content.decode().lstrip())[0]))
    except ValueError:
        return False


def small_result() -> bytes:
    """The smallest file of the corpus that is of another tool."""
    files = (path.read_bytes() for path in CORPUS.glob("*/*") if path.suffix != ".md")
    return min((found for found in files if recognise(found[:START_BYTES])), key=len)


def with_long_name(times: int) -> bytes:
    """An archive of other tools' files with a file's name so many times as long as it may be."""
    name = "x" * (times * bounds.ARCHIVE_HEADER_BYTES)
    return write_bundle(GIVEN, {name: small_result()})


#: By the store's kinds of content: the most that is legal, and a hundred times too much of it.
KINDS: Mapping[str, Mapping[str, Sent]] = {
    "csv": {
        "rows": Sent(lambda: table(bounds.ROWS, NARROW)),
        "columns": Sent(lambda: table(WIDE, bounds.COLUMNS)),
        "bytes": Sent(lambda: long_texts(bounds.ROWS)),
        "a JSON export": Sent(lambda: export(bounds.ROWS)),
        "rows, 100 ×": Sent(lambda: table(bounds.ROWS, 2) * 20, 422),
        "blank rows": Sent(lambda: b"mtu_bytes,drops\n1500,1\n" + b"\n" * 30_000_000, 422),
        "columns, 100 ×": Sent(lambda: table(1, 100 * bounds.COLUMNS), 422),
        "empty fields": Sent(lambda: b"mtu_bytes,drops\n" + (b"," * 250_000 + b"\n") * 130, 422),
        "factors, 100 ×": Sent(
            lambda: (
                (",".join(f"factor.c{n}" for n in range(6400)) + ",drops\n").encode()
                + b"1," * 6400
                + b"1\n"
            ),
            422,
        ),
        "levels, 100 ×": Sent(
            lambda: b"delay_us,drops\n" + b"".join(b"%d,1\n" % n for n in range(100_000)), 422
        ),
        "a cell, 100 ×": Sent(lambda: b'mtu_bytes,drops\n"' + b"x" * 13_000_000, 422),
        "a JSON export, bytes": Sent(lambda: export(bounds.EXPORT_BYTES // 110), 422),
        "a JSON export, 100 ×": Sent(lambda: export(bounds.TABLE_BYTES // 120), 422),
        "brackets": Sent(lambda: b'{"format": 1, "experiment": ' + b"[" * 5_000_000, 422),
        "bytes, too many": Sent(lambda: b"x" * (bounds.TABLE_BYTES + 1), 413),
    },
    "csv, mapped": {
        "rows": Sent(lambda: lab(bounds.ROWS, OWN), 201, meant(OWN)),
        "columns": Sent(lambda: lab(WIDE, bounds.COLUMNS), 201, meant(bounds.COLUMNS)),
        "packed": Sent(lambda: packed(lab(bounds.ROWS, OWN)), 201, meant(OWN)),
        "a workbook": Sent(
            lambda: lab_book(bounds.WORKBOOK_CELLS // OWN - 1, OWN), 201, meant(OWN, ".")
        ),
        "a packed workbook": Sent(
            lambda: packed(lab_book(bounds.WORKBOOK_CELLS // OWN - 1, OWN)), 201, meant(OWN, ".")
        ),
        "rows, 100 ×": Sent(lambda: lab(100 * bounds.ROWS, 2), 422, meant(2)),
        "blank rows": Sent(lambda: lab(1, 3) + b"\n" * 30_000_000, 422, meant(3)),
        "empty fields": Sent(lambda: lab(1, 3) + (b";" * 250_000 + b"\n") * 130, 422, meant(3)),
        "packed, 100 ×": Sent(lambda: packed(lab(2_500_000, 3), 100), 413, meant(3)),
        "a workbook, cells": Sent(lambda: lab_book(50_000, 4), 413, meant(4, ".")),
        "a workbook, 100 ×": Sent(lambda: book_of(100), 413, meant(NARROW, ".")),
        "a packed workbook, 100 ×": Sent(lambda: packed(book_of(100)), 413, meant(NARROW, ".")),
    },
    "foreign": {
        **dict(of_tools()),
        "files": Sent(lambda: bundle(*[small_result()] * (MOST_FILES - 1)), 422),
        "files, 10 ×": Sent(lambda: bundle(*[b""] * 10 * MOST_FILES), 422),
        "packed, 100 ×": Sent(lambda: bundle(*[packed(bytes(MOST_BYTES))] * 100), 422),
        "a header, 100 ×": Sent(lambda: with_long_name(100), 422),
        "settings": Sent(lambda: b"Coalesce parameters for eth0:\n" + b"a: 1\n" * 6_000_000, 422),
        "brackets": Sent(
            lambda: b'{"start": {"version": "iperf 3.12"}, "x": ' + b"[" * 5_000_000, 422
        ),
    },
    "run_log": {
        "records": Sent(lambda: log(50_000)),
        "bytes": Sent(lambda: long_log(len(STANDARD_FIELDS))),
        "bytes, one field": Sent(lambda: long_log(1)),
        "blocks": Sent(lambda: long_log(1, 56)),
        "blocks, too many": Sent(lambda: long_log(1, 26, DEFAULT_LIMITS.blocks), 422),
        "values of results": Sent(
            lambda: with_results(object_of(499_000), *[object_of(199_000)] * 2)
        ),
        "values of results, 100 ×": Sent(
            lambda: with_results(*[b"[" + b"[]," * 5_500_000 + b"1]"] * 15)
        ),
        "bytes, too many": Sent(lambda: bytes(LOG_BYTES + 1), 413),
        "noise": Sent(lambda: log(10_000)[:200_000] + b"\xff" * 30_000_000, 422),
    },
}
