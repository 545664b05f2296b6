# SPDX-License-Identifier: Apache-2.0
"""The page's files over HTTP: types, caching, encodings, addresses inside the page, and escapes."""

import asyncio
import gzip
import json
import os
from pathlib import Path

import httpx
import pytest
from coalescope.page import PageFiles
from coalescope.web.error_responses import install_error_handlers
from fastapi import FastAPI

INDEX = "<!doctype html><title>Coalescope</title>"
SCRIPT = "export const answer = 42;" * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    page = tmp_path / "dist"
    (page / "assets").mkdir(parents=True)
    (page / "pyodide" / "314.0.7").mkdir(parents=True)
    (page / "index.html").write_text(INDEX)
    (page / "favicon.svg").write_text("<svg/>")
    (page / "assets" / "index-1a2b3c4d.js").write_text(SCRIPT)
    (page / "assets" / "index-1a2b3c4d.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    (page / "assets" / "index-1a2b3c4d.js.br").write_bytes(b"brotli stands here")
    (page / "pyodide" / "314.0.7" / "pyodide.asm.wasm").write_bytes(b"\0asm")
    (page / "pyodide" / "314.0.7" / "pyodide.mjs").write_text("export {};")
    (page / "pyodide" / "314.0.7" / "1a2b.memory").write_bytes(b"\x1f\x8b")
    (tmp_path / "secret.txt").write_text("secret")
    return page


def get(folder: Path | None, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    return ask(PageFiles(folder), path, method, **headers)


def ask(files: PageFiles, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    app = FastAPI(openapi_url=None)
    install_error_handlers(app)
    app.router.default = files
    wanted = {"accept-encoding": "identity"}
    wanted |= {name.replace("_", "-"): value for name, value in headers.items()}

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            # a raw target: httpx would tidy dot segments away
            url = httpx.URL("http://localhost").copy_with(raw_path=path.encode())
            return await client.request(method, url, headers=wanted)

    return asyncio.run(send())


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/favicon.svg", "image/svg+xml"),
        ("/assets/index-1a2b3c4d.js", "text/javascript; charset=utf-8"),
        ("/pyodide/314.0.7/pyodide.asm.wasm", "application/wasm"),
        ("/pyodide/314.0.7/pyodide.mjs", "text/javascript; charset=utf-8"),
        ("/pyodide/314.0.7/1a2b.memory", "application/octet-stream"),
    ],
)
def test_media_types(folder: Path, path: str, media_type: str) -> None:
    answer = get(folder, path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)


@pytest.mark.parametrize(
    ("path", "caching"),
    [
        ("/", "no-cache"),
        ("/index.html", "no-cache"),
        ("/explorer/geist-2005-nfs", "no-cache"),
        ("/favicon.svg", "no-cache"),
        ("/assets/index-1a2b3c4d.js", "public, max-age=31536000, immutable"),
        ("/pyodide/314.0.7/pyodide.mjs", "public, max-age=31536000, immutable"),
    ],
)
def test_only_names_that_change_with_their_contents_are_kept(
    folder: Path, path: str, caching: str
) -> None:
    assert get(folder, path).headers["cache-control"] == caching


@pytest.mark.parametrize(
    "path", ["/explorer/geist-2005-nfs", "/upload", "/runs/a.b", "/models/cpu-overhead", "/l/abc"]
)
def test_addresses_inside_the_page_get_the_index(folder: Path, path: str) -> None:
    answer = get(folder, path)
    assert (answer.status_code, answer.text) == (200, INDEX)


ROUTES = {"routes": ["/", "/explorer/:slug", "/upload", "/experiments/:slug/runs"]}


@pytest.mark.fault("B19")
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/explorer/a%20b?delay_us=3", 200),
        ("/Upload/", 200),
        ("/experiments/lab/runs", 200),
        ("/explorer", 404),
        ("/explorer/lab/more", 404),
        ("/nosuchpage", 404),
        ("/swagger", 404),
    ],
)
def test_where_no_route_fits_the_page_is_not_found(folder: Path, path: str, status: int) -> None:
    """The page itself says so to people, the status to programs."""
    (folder / "routes.json").write_text(json.dumps(ROUTES))
    answer = get(folder, path)
    assert (answer.status_code, answer.text) == (status, INDEX)
    assert ("etag" in answer.headers) == (status == 200)


@pytest.mark.parametrize("path", ["/assets/gone-1a2b.js", "/assets/x", "/logo.png", "/a/b.wasm"])
def test_missing_files_are_missing_and_not_the_index(folder: Path, path: str) -> None:
    answer = get(folder, path)
    assert answer.status_code == 404
    assert "immutable" not in answer.headers["cache-control"]


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nothing", "/api/nothing.js"])
def test_unknown_api_addresses_are_json_errors(folder: Path, path: str) -> None:
    answer = get(folder, path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("accepts", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br;q=1.0", "br"),
        ("identity", None),
        ("", None),
        ("gzip;q=0", None),
    ],
)
def test_precompressed_files_go_to_those_who_take_them(
    folder: Path, accepts: str, encoding: str | None
) -> None:
    path = "/assets/index-1a2b3c4d.js"
    head = get(folder, path, "HEAD", accept_encoding=accepts)
    assert head.headers.get("content-encoding") == encoding
    assert head.headers["vary"] == "Accept-Encoding"
    assert head.headers["content-type"] == "text/javascript; charset=utf-8"
    if encoding != "br":  # the stand-in is no brotli stream
        assert get(folder, path, accept_encoding=accepts).text == SCRIPT


def test_a_precompressed_file_of_an_earlier_build_is_left_alone(folder: Path) -> None:
    packed = folder / "assets" / "index-1a2b3c4d.js.gz"
    path = "/assets/index-1a2b3c4d.js"
    assert get(folder, path, accept_encoding="gzip").headers["content-encoding"] == "gzip"
    os.utime(packed, (1, 1))
    assert "content-encoding" not in get(folder, path, accept_encoding="gzip").headers


def test_what_never_changes_is_read_once(folder: Path) -> None:
    files = PageFiles(folder)
    script = folder / "assets" / "index-1a2b3c4d.js"
    first = ask(files, "/assets/index-1a2b3c4d.js")
    script.unlink()
    again = ask(files, "/assets/index-1a2b3c4d.js")
    assert (again.content, again.headers) == (first.content, first.headers)
    (folder / "favicon.svg").write_text("<svg>new</svg>")
    assert ask(files, "/favicon.svg").text == "<svg>new</svg>"


@pytest.mark.parametrize("size", [2**19, 2**19 + 1])
def test_a_file_that_is_sent_piece_by_piece_is_the_same(folder: Path, size: int) -> None:
    content = os.urandom(size)
    (folder / "assets" / "large-1a2b3c4d.wasm").write_bytes(content)
    answer = get(folder, "/assets/large-1a2b3c4d.wasm")
    assert (answer.status_code, answer.content == content) == (200, True)
    headers = ("content-length", "content-type", "cache-control", "vary")
    assert [answer.headers[name] for name in headers] == [
        str(size),
        "application/wasm",
        "public, max-age=31536000, immutable",
        "Accept-Encoding",
    ]
    again = get(folder, "/assets/large-1a2b3c4d.wasm", if_none_match=answer.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")


def test_unchanged_files_are_not_sent_again(folder: Path) -> None:
    etag = get(folder, "/").headers["etag"]
    again = get(folder, "/", if_none_match=etag)
    assert (again.status_code, again.content) == (304, b"")
    (folder / "index.html").write_text(INDEX + "<p>new")
    assert get(folder, "/", if_none_match=etag).status_code == 200


ESCAPES = [
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "//secret.txt",
    "/link/secret.txt",
    "/%00.txt",
    f"/{'x' * 5000}.txt",
]


@pytest.mark.parametrize("path", ESCAPES)
def test_nothing_outside_the_folder_is_served(folder: Path, path: str) -> None:
    (folder / "link").symlink_to(folder.parent)
    answer = get(folder, path)
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_the_same_file_inside_the_folder_is_served(folder: Path) -> None:
    (folder / "secret.txt").write_text("control")
    for path in ("/secret.txt", "/assets/../secret.txt", "/assets/%2e%2e/secret.txt"):
        assert get(folder, path).text == "control"


def test_the_page_takes_no_other_methods(folder: Path) -> None:
    answer = get(folder, "/upload", "POST")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_page_that_is_not_built_says_how(tmp_path: Path) -> None:
    for missing in (None, tmp_path / "nowhere", tmp_path):
        answer = get(missing, "/")
        assert answer.status_code == 503
        assert "make page" in answer.text
        assert answer.headers["cache-control"] == "no-store"
        assert get(missing, "/api/nothing").status_code == 404
