# SPDX-License-Identifier: Apache-2.0
"""No control character and no format character comes in, whatever takes the text."""

import asyncio
import copy
import io
import json
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import sqlalchemy as sa
from coalescope.db.tables import METADATA
from coalescope.errors import CoalescopeError
from coalescope.foreign.bundle import write_bundle
from coalescope.storage.object_store import SUFFIXES
from coalescope.untrusted.texts import CONTROL, CONTROL_IN_LINES, lines, one_line, refuse_control
from coalescope.uploads.csv_source import _FORMS
from coalescope.web.security.scopes import needed_scope
from fastapi import FastAPI
from openpyxl import Workbook

from .asking import Operation, ask, operations

MakeClient = Callable[..., Any]
MakeLog = Callable[..., bytes]
STEERING = (
    "\x1b[31m",
    "\0",
    "\x9b2J",
    "\u202e",
    "\u2066",
    "\u2028",
    "\ufeff",
    "\u200d",
    "\U000e0041",
)
PLAIN = "plainly"
ILLEGAL_IN_XML = ("\x1b[31m", "\0")
NUMBERS = count(1)
CORPUS = Path(__file__).parents[2] / "foreign" / "corpus"
IPERF = next(
    path.read_bytes()
    for path in sorted(CORPUS.glob("*/*"))
    if path.suffix in (".json", ".txt") and b'"iperf 3' in path.read_bytes()[:600]
)
#: What is not said in it.
SAID = ("mtu_bytes=9000", "delay_us=unknown", "interface=eth0")
#: By the names of the columns source.*, what each may say.
SOURCES: Mapping[str, Any] = {
    "title": "words",
    "subtitle": "words",
    "citation": "words",
    "url": "https://lab.example/",
    "notes": ["words", "more words"],
    "cautions": ["words"],
    "default_setting": {"delay_us": 10},
    "licence": "words",
    "how_made": "words",
    "source_note": "words",
    "environment": {"kernel": "words", "ring": {"rx": "words"}},
    "fixed": {"CPU": "words"},
    "default_view": {"measure": "drops", "where": {"workload": "words"}},
    "default_fit": {"model": "words", "method": "words", "where": {"workload": "words"}},
    "measures": {"drops": {"label": "words"}},
    "factors": {"mtu_bytes": {"choice": True}},
    "anything": "words",
}


def table(workload: str = "tcp") -> bytes:
    """One that was never sent before."""
    return f"mtu_bytes,workload,replicate,drops\n1500,{workload},{next(NUMBERS)},3\n".encode()


@pytest.fixture
def app(make_client: MakeClient) -> FastAPI:
    client = make_client()
    client.app.state.listeners.closing = True
    assert client.upload(table(), "x.csv", experiment="lab").status_code == 201
    app: FastAPI = client.app
    return app


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from texts(key)
            yield from texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)


def kept(app: FastAPI) -> set[str]:
    """All texts of the store."""
    with app.state.database.read() as connection:
        return {
            text
            for table in METADATA.sorted_tables
            for row in connection.execute(sa.select(table))
            for text in texts(tuple(row))
        }


def with_more(document: Any, more: str) -> Iterator[Any]:
    """The document with `more` in one of its texts or names, for each that it holds."""
    if isinstance(document, str):
        yield document + more
    elif isinstance(document, dict):
        for key, value in document.items():
            yield {**{k: v for k, v in document.items() if k != key}, key + more: value}
            for changed in with_more(value, more):
                yield {**document, key: changed}
    elif isinstance(document, list):
        for index, value in enumerate(document):
            for changed in with_more(value, more):
                yield [*document[:index], changed, *document[index + 1 :]]


def filled(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    """Something of each field that a body may have."""
    if "$ref" in schema:
        return filled(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return filled(schema["anyOf"][0], schemas)
    match schema.get("type"):
        case "object":
            parts = schema.get("properties", {})
            return {name: filled(part, schemas) for name, part in parts.items()}
        case "array":
            return [filled(schema["items"], schemas)]
        case "string":
            address = schema.get("pattern", "").startswith("^https")
            return schema.get("enum", ["https://lab.example/" if address else "words"])[0]
        case _:
            return 1


def bodies(app: FastAPI, operation: Operation) -> Iterator[Any]:
    """The example, and one with every field that has no example."""
    yield operation.example
    document = app.openapi()
    described = document["paths"][operation.path][operation.method.lower()]
    content = described["requestBody"]["content"]["application/json"]
    schemas = document["components"]["schemas"]
    schema = schemas[content["schema"]["$ref"].rpartition("/")[2]]
    own = {name: part for name, part in schema["properties"].items() if "$ref" in str(part)}
    for name in own.keys() - operation.example.keys():
        yield {**operation.example, name: filled(own[name], schemas)}


def changing(app: FastAPI) -> list[Operation]:
    found = [op for op in operations(app) if needed_scope(op.method, op.at()) != "read"]
    return [op for op in found if op.method != "GET"]


async def send_everywhere(app: FastAPI, more: str) -> set[int]:
    """Every body and query of what changes or works something out, with that in each text.

    Nothing is answered with it: what is not kept is refused, too.
    """
    listed = await ask(app, "GET", "/api/experiments/lab/runs")
    run = listed.body.decode().split('"id":"')[1].split('"')[0]
    answers = []
    for operation in changing(app):
        at = operation.at("lab", id=run, sweep_id="0b5f0f2e-3d5e-4c3f-9d1a-6a2d3b0c9e11")
        method = operation.method
        if operation.example is None:
            for name in operation.queries:
                query = {"filename": "x.csv", "experiment": "lab4", name: f"words{more}"}
                asked = "&".join(f"{key}={quote(text)}" for key, text in query.items())
                answers.append(await ask(app, method, f"{at}?{asked}", table()))
            continue
        for body in bodies(app, operation):
            for changed in with_more(copy.deepcopy(body), more):
                if "slug" in changed:  # else the first is in the way of the others
                    changed["slug"] += str(next(NUMBERS))
                answers.append(await ask(app, method, at, changed))
    told = [json.loads(answer.body) for answer in answers if answer.status < 300 and answer.body]
    assert more == PLAIN or [text for text in texts(told) if more in text] == []
    return {answer.status for answer in answers}


@pytest.mark.parametrize("more", STEERING, ids=ascii)
def test_none_is_kept_whatever_is_sent(app: FastAPI, more: str) -> None:
    statuses = asyncio.run(send_everywhere(app, more))
    assert max(statuses) < 500
    assert [text for text in kept(app) if CONTROL_IN_LINES.search(text)] == []


def test_plain_words_are_kept(app: FastAPI) -> None:
    """Control: of the same requests."""
    asyncio.run(send_everywhere(app, PLAIN))
    found = [text for text in kept(app) if PLAIN in text]
    assert len(found) > 12, found
    for field in ("e1000e in the lab", "82574L", "words", "https://lab.example/", "The MTU"):
        assert any(text.startswith(field) for text in found), field


@pytest.mark.parametrize("more", [*STEERING, "\n"], ids=ascii)
def test_none_comes_with_a_file(app: FastAPI, make_log: MakeLog, more: str) -> None:
    at = "/api/uploads?filename=x&experiment=lab5"
    plain = {"mtu_bytes": 1500, "workload": "tcp"}
    if more != "\0":  # a log that holds NUL, its writer refuses to write
        log = make_log(factors={**plain, "workload": f"udp{more}"})
        assert asyncio.run(ask(app, "POST", at, log)).status == 422
    cell = f'"{more}"'
    for text in (
        f'mtu_bytes,workload,drops,n\n1500,"u{more}dp",3,1\n',
        f'mtu_bytes,"factor.a{more}b",drops,n\n1500,2,3,1\n',
        f'mtu_bytes,"measure.a{more}b [s]",n\n1500,2,1\n',
        f'mtu_bytes,"measure.a [s{more}]",n\n1500,2,1\n',
        f"mtu_bytes,drops,n,source.title\n1500,3,1,a{cell}b\n",
        f'mtu_bytes,drops,n,source.title\n1500,3,1,"a{more}b"\n',
        f'mtu_bytes,drops,n,source.citation\n1500,3,1,"a{more}b"\n',
        f'mtu_bytes,drops,n,source.url\n1500,3,1,"https://a{more}b"\n',
    ):
        answer = asyncio.run(ask(app, "POST", at, text.encode()))
        assert answer.status == 422, text
    plain_table = b'mtu_bytes,workload,drops,n,source.title\n1500,"udp",3,1,"ab"\n'
    assert asyncio.run(ask(app, "POST", at, plain_table)).status == 201, "control"


def workbook(level: str) -> bytes:
    """A table that was not made for us."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (["MTU", "how", "lost"], [1500, level, next(NUMBERS)]):
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


MEANT = [
    {"column": "MTU", "quantity": "mtu_bytes"},
    {"column": "how", "quantity": "workload"},
    {"column": "lost", "quantity": "drops"},
]
#: By the store's kinds of content: files with that in each of their texts.
FILES: Mapping[str, Callable[[MakeLog, str], Iterator[bytes]]] = {
    "run_log": lambda make_log, more: iter(
        [make_log(factors={"mtu_bytes": 1500, "workload": f"u{more}dp"})]
    ),
    "csv": lambda _, more: iter([table(f'"u{more}dp"')]),
    "csv, mapped": lambda _, more: iter(
        [f'MTU;how;lost\n1500;"u{more}dp";{next(NUMBERS)}\n'.encode(), workbook(f"u{more}dp")]
    ),
    "foreign": lambda _, more: iter(
        [
            write_bundle([*SAID, f"{name}=a{more}b"], {f"a{number}.txt": IPERF})
            for number, name in enumerate(("factor.cable", "workload"))
        ]
        + [write_bundle([*SAID, f"factor.a{more}b=1"], {"a.txt": IPERF})]
    ),
}


def test_all_kinds_of_files_are_here() -> None:
    assert {kind.partition(",")[0] for kind in FILES} == set(SUFFIXES)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("more", [*STEERING, PLAIN], ids=ascii)
def test_none_is_kept_of_any_kind_of_file(
    make_client: MakeClient, make_log: MakeLog, tmp_path: Path, kind: str, more: str
) -> None:
    if more == "\0" and kind == "run_log":
        pytest.skip("a log that holds NUL, its writer refuses to write")
    if more in ILLEGAL_IN_XML and kind == "csv, mapped":
        pytest.skip("a workbook cannot hold it")
    said = {"mapping": json.dumps({"columns": MEANT})} if "mapped" in kind else {}
    for number, content in enumerate(FILES[kind](make_log, more)):
        client = make_client(data_dir=tmp_path / f"store-{number}")
        answer = client.upload(content, "x", experiment="lab", **said)
        assert answer.status_code == (201 if more == PLAIN else 422), answer.text
        assert [text for text in kept(client.app) if CONTROL_IN_LINES.search(text)] == []


def test_every_column_of_the_source_is_here() -> None:
    assert SOURCES.keys() - {"anything"} == set(_FORMS)


@pytest.mark.parametrize("name", SOURCES)
def test_none_comes_with_what_a_table_says_of_its_source(app: FastAPI, name: str) -> None:
    def sent(value: Any) -> int:
        said = json.dumps(value, ensure_ascii=False).replace('"', '""')
        content = f'mtu_bytes,drops,n,source.{name}\n1500,{next(NUMBERS)},1,"{said}"\n'
        at = f"/api/uploads?filename=x&experiment=lab-{next(NUMBERS)}"
        return asyncio.run(ask(app, "POST", at, content.encode())).status

    assert sent(SOURCES[name]) == 201, "control"
    for more in ("\ufeff", "\u202e"):
        assert {sent(changed) for changed in with_more(SOURCES[name], more)} == {422}


@pytest.mark.parametrize("more", [each for each in STEERING if each != "\0"], ids=ascii)
def test_a_recorded_log_is_not_refused_for_its_title(
    app: FastAPI, make_log: MakeLog, more: str
) -> None:
    log = make_log(experiment_title=f"a{more}b")
    address = "/api/uploads?filename=x&experiment=lab6"
    answer = asyncio.run(ask(app, "POST", address, log))
    assert answer.status == 201
    assert [text for text in kept(app) if CONTROL_IN_LINES.search(text)] == []
    assert any(text.startswith("a") and text.endswith("b") for text in kept(app) if len(text) < 9)


def test_a_refusal_shows_what_it_refuses(app: FastAPI) -> None:
    name = quote("a\u202egnp.csv")
    at = f"/api/uploads?filename={name}&experiment=lab"
    answer = asyncio.run(ask(app, "POST", at, table()))
    assert (answer.status, answer.code) == (422, "control_characters")
    assert rb"'a\\u202egnp.csv'" in answer.body
    with pytest.raises(CoalescopeError, match=r"The filename has .*, U\+001B, .* 2: 'a\\x1b'"):
        refuse_control("filename", "a\x1b")


def test_all_that_unicode_calls_control_or_format_is_refused() -> None:
    """Also what is not assigned yet, within the ranges of what is."""
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    refused = set(CONTROL.findall(every))
    kinds = {unicodedata.category(each) for each in refused}
    assert kinds <= {"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"}
    left = set(every) - refused
    assert {unicodedata.category(each) for each in left} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
    assert refused - set(CONTROL_IN_LINES.findall(every)) == {"\n", "\t"}


def test_ends_of_lines_stand_where_there_may_be_lines() -> None:
    assert lines("one\n\ttwo") == "one\n\ttwo"
    assert one_line("Grüße, 数据, עברית, 🙂") == "Grüße, 数据, עברית, 🙂"
    for text in ("one\ntwo", "one\ttwo", "\r"):
        with pytest.raises(ValueError, match="control"):
            one_line(text)
    with pytest.raises(ValueError, match="control"):
        lines("one\rtwo")
