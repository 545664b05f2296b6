# SPDX-License-Identifier: Apache-2.0
"""A server's address, token and refusals; what is no server at all."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import coalescope as cs
import pytest
from coalescope.client.connection import Connection
from coalescope.client.server import Server
from https_servers import https_server, redirecting

from .conftest import PUBLISHED, TOKEN

pytestmark = pytest.mark.folder_stack


class _Handler(http.server.BaseHTTPRequestHandler):
    """Too many ask at first; what comes then is none of ours."""

    waits = 0

    def do_GET(self) -> None:
        if type(self).waits == 0:
            type(self).waits += 1
            self.send_response(429)
            self.send_header("Retry-After", "0")
        else:
            self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<p>hello")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stranger() -> Iterator[str]:
    _Handler.waits = 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Breaking(http.server.BaseHTTPRequestHandler):
    """An export that ends before its end, as where a server is killed."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"mtu_bytes,n")
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


def test_an_export_that_breaks_off_is_no_whole_one() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Breaking) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        source = Server(f"http://127.0.0.1:{server.server_port}")
        pieces = source.export("lab", "csv", "cells", (), ())
        assert next(pieces) == "mtu_bytes,n"
        with pytest.raises(cs.CoalescopeError) as broken:
            list(pieces)
        source.close()
        server.shutdown()
        thread.join()
    assert broken.value.code == "unreachable"


def test_the_page_of_an_experiment_is_its_address(server: str) -> None:
    for page in ("explorer", "api/experiments"):
        x = cs.open(f"{server}/{page}/geist-2005-nfs?x=delay_ticks#top", token=TOKEN)
        assert (x.slug, x.source.place) == ("geist-2005-nfs", server)
    assert cs.open(server, "geist-2005-nfs", token=TOKEN).slug == "geist-2005-nfs"
    with pytest.raises(cs.CoalescopeError, match="There are 2 experiments"):
        cs.open(server, token=TOKEN)


def test_runs_that_a_page_leaves_out_do_not_count(server: str) -> None:
    page = f"{server}/explorer/geist-2005-nfs"
    first, second, third = cs.open(page, token=TOKEN).runs["run"].to_pylist()[:3]
    x = cs.open(f"{page}?x=delay_ticks&without={first},{second}#top", token=TOKEN)
    assert (x.left_out, x.runs.num_rows) == ((first, second), 25)
    assert x.without(third).runs.num_rows == 24
    with pytest.raises(cs.CoalescopeError, match="'lab' is no run's identity"):
        cs.open(f"{page}?without=lab", token=TOKEN)


def test_an_address_and_a_name_are_of_one_experiment(server: str) -> None:
    page = f"{server}/explorer/geist-2005-nfs"
    assert cs.open(page, "geist-2005-nfs", token=TOKEN).slug == "geist-2005-nfs"
    with pytest.raises(cs.CoalescopeError, match="The address is that of 'geist-2005-nfs'"):
        cs.open(page, "geist-2005-points", token=TOKEN)


def test_nothing_is_asked_after_the_end(server: str) -> None:
    with cs.open(server, "geist-2005-nfs", token=TOKEN) as x:
        fewer = x.where(mtu_bytes=1500)
    for each in (x, fewer):
        with pytest.raises(cs.CoalescopeError, match="was closed"):
            _ = each.runs


def test_a_connection_does_not_outlive_an_error(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Server] = []
    close = Server.close
    monkeypatch.setattr(Server, "close", lambda self: (ended.append(self), close(self)))
    with pytest.raises(cs.CoalescopeError, match="no experiment 'none'"):
        cs.open(server, "none", token=TOKEN)
    assert len(ended) == 1


def test_a_token_comes_from_a_file_an_argument_or_the_environment(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token.txt"
    file.write_text(f"{TOKEN}\n")
    assert len(cs.list_experiments(server, token_file=file)) == len(PUBLISHED)
    with pytest.raises(cs.CoalescopeError) as refused:
        cs.list_experiments(server)
    assert refused.value.status == 401
    assert "token_file" in refused.value.__notes__[0]
    monkeypatch.setenv("COALESCOPE_TOKEN", TOKEN)
    assert len(cs.list_experiments(server)) == len(PUBLISHED)


def test_no_token_that_no_header_carries(server: str, tmp_path: Path) -> None:
    file = tmp_path / "token.txt"
    file.write_text("")
    for given in ({"token_file": file}, {"token": "two\nlines"}):
        with pytest.raises(cs.CoalescopeError, match="holds no token") as refused:
            cs.list_experiments(server, **given)
        assert "two" not in str(refused.value)


def test_no_file_for_the_token(tmp_path: Path) -> None:
    for file in (tmp_path / "absent", tmp_path):
        with pytest.raises(cs.CoalescopeError) as refused:
            cs.open("http://127.0.0.1:9", token_file=file)
        assert refused.value.code == "unreadable"
        assert str(file) in str(refused.value)


def test_the_server_refuses_in_the_words_of_the_api(server: str) -> None:
    x = cs.open(server, "geist-2005-nfs", token=TOKEN)
    with pytest.raises(cs.CoalescopeError) as remote:
        x.fit("cpu-overhaed")
    with pytest.raises(cs.CoalescopeError) as local:
        cs.load("geist-2005-nfs").fit("cpu-overhaed")
    assert remote.value.as_json() == local.value.as_json()
    assert remote.value.code == "unknown_model"
    with pytest.raises(cs.CoalescopeError, match="no experiment 'none'"):
        cs.open(server, "none", token=TOKEN)


def test_a_server_of_http_is_no_server_of_https(server: str) -> None:
    typed = server.replace("http:", "https:")
    with pytest.raises(cs.CoalescopeError) as refused:
        cs.open(typed, token=TOKEN)
    assert str(refused.value) == f"{typed} speaks http, not https: try {server}."


@pytest.mark.parametrize("tells", [True, False])
def test_a_server_of_https_is_no_server_of_http(tmp_path: Path, tells: bool) -> None:
    with https_server(tmp_path, tells=tells) as port:
        there = f"127.0.0.1:{port}"
        with pytest.raises(cs.CoalescopeError) as refused:
            cs.open(f"http://{there}")
    assert str(refused.value) == f"http://{there} speaks https, not http: try https://{there}."


def test_a_server_that_sends_on(tmp_path: Path) -> None:
    with (
        redirecting("https://lab.example.org/api/experiments") as port,
        pytest.raises(
            cs.CoalescopeError, match=r"another address: try https://lab\.example\.org\."
        ),
    ):
        cs.open(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize(
    "address",
    [
        "http://me:secret@127.0.0.1:1",
        "http://127.0.0.1:1/upload",
        "http://127.0.0.1:1/explorer/",
        "http://",
        "http://[",
        "http://[::1",
        "http://[x]/explorer/lab",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
    ],
)
def test_what_is_no_address_of_an_experiment(address: str) -> None:
    with pytest.raises(cs.CoalescopeError, match="is not the address"):
        cs.open(address)


def test_nobody_answers(stranger: str) -> None:
    with pytest.raises(cs.CoalescopeError, match="cannot be reached") as refused:
        cs.open("http://127.0.0.1:9", "lab")
    assert refused.value.code == "unreachable"
    with pytest.raises(cs.CoalescopeError, match="answered 200") as refused:
        cs.open(stranger, "lab")
    assert refused.value.code == "not_coalescope"
    assert _Handler.waits == 1


NOT_OURS = {
    "deep": b"[" * 100_000,
    "no JSON": b'{"error": {"code"',
    "nothing said": b'{"error": {}}',
    "a code that is a list": b'{"error": {"code": [], "message": "no"}}',
    "problems of another kind": b'{"error": {"code": "a", "message": "b", "problems": [{"x": 1}]}}',
    "a place that is a list": b'{"error": {"code": "a", "message": "b", "where": [1]}}',
    "a text": b'"error"',
}


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """A server that answers all questions so."""

    class Answering(_Handler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("status", [404, 500])
@pytest.mark.parametrize("body", NOT_OURS.values(), ids=NOT_OURS)
def test_a_refusal_of_another_shape_is_told_in_a_sentence(status: int, body: bytes) -> None:
    with answering(status, body) as place, closing(Connection(place, None)) as connection:
        said = f"answered {status} to GET /api/runs/1"
        with pytest.raises(cs.CoalescopeError, match=said) as refused:
            connection.get("/api/runs/1")
    assert refused.value.code == "not_coalescope"


def test_an_answer_that_is_too_deep_is_none() -> None:
    with (
        answering(200, NOT_OURS["deep"]) as place,
        closing(Connection(place, None)) as connection,
        pytest.raises(cs.CoalescopeError, match="answered 200"),
    ):
        connection.get("/api/runs/1")
