# SPDX-License-Identifier: Apache-2.0
"""serve and upload: two processes that talk over a real socket."""

import json
import signal
import socket
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from coalescope.app import create_app
from coalescope.settings import Settings
from timeouts import TIMEOUT_S

from ..web.security.addresses import filled, server_routes
from .conftest import COMMAND, environment

Run = Callable[..., Any]
Serve = Callable[..., Any]
TABLE = "mtu_bytes,replicate,drops\n1500,1,3\n9000,1,4\n"


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"lab-{number}.csv" for number in range(6)]
    for number, path in enumerate(paths):
        path.write_text(TABLE.replace(",1,", f",{number + 1},"))
    return paths


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers=headers, timeout=TIMEOUT_S)


def test_serve_is_up_soon_and_stops_in_order(serve: Serve) -> None:
    for stop in (signal.SIGTERM, signal.SIGINT):
        with serve() as (url, server):
            assert get(f"{url}/api/health").json()["status"] == "ok"
            slugs = [e["slug"] for e in get(f"{url}/api/experiments").json()]
            assert "geist-2005-nfs" in slugs
            server.send_signal(stop)
            assert server.wait(TIMEOUT_S) == 0


def test_what_a_first_fit_imports_is_there_before_it(serve: Serve) -> None:
    with serve() as (_, server):
        memory = Path(f"/proc/{server.pid}/maps")
        given_up = time.monotonic() + TIMEOUT_S
        while "scipy/special/_ufuncs" not in memory.read_text():
            assert time.monotonic() < given_up
            time.sleep(0.1)


@pytest.mark.parametrize("after", [0.0, 0.3, 0.8, 1.2])
def test_a_signal_at_any_moment_stops_it(tmp_path: Path, after: float) -> None:
    at = COMMAND.index("-m")
    # what is interrupted as it connects to PostgreSQL, or as Python reads a module, is not the
    # program's to close
    unclosed = ["-W", "ignore::ResourceWarning"]
    command = subprocess.Popen(
        [*COMMAND[:at], *unclosed, *COMMAND[at:], "serve", "--port", "0"],
        env=environment(tmp_path / "data"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(after)
    command.send_signal(signal.SIGTERM)
    try:
        _, complaints = command.communicate(timeout=TIMEOUT_S)
    finally:
        command.kill()
    assert command.returncode in (0, 130, -signal.SIGTERM)
    assert "Traceback" not in complaints


def test_every_address_is_every_one_of_both_families(serve: Serve) -> None:
    with serve("--host", "::", COALESCOPE_TOKEN="a secret") as (url, _):
        port = httpx.URL(url).port
        for host in ("127.0.0.1", "[::1]"):
            assert get(f"http://{host}:{port}/api/health").status_code == 200, host


def test_clients_of_the_older_family_are_not_one_client(serve: Serve) -> None:
    """Of a socket for both families: who guesses tokens keeps nobody else out."""
    with serve("--host", "::", COALESCOPE_TOKEN="a secret") as (url, _):
        here = f"http://127.0.0.1:{httpx.URL(url).port}/api/experiments"

        def asked(token: str, address: str) -> int:
            shown = {"Authorization": f"Bearer {token}"}
            transport = httpx.HTTPTransport(local_address=address)
            with httpx.Client(transport=transport, timeout=TIMEOUT_S) as client:
                return client.get(here, headers=shown).status_code

        guessed = [asked(f"guess {number}", "127.0.0.2") for number in range(40)]
        assert {401, 429} == set(guessed)
        assert asked("a secret", "127.0.0.77") == 200


@pytest.mark.parametrize("token", ["", "a secret"], ids=["open", "with a token"])
def test_a_body_of_single_bytes_ends(serve: Serve, tmp_path: Path, token: str) -> None:
    """Of every route, whether it is read or answered before: a chunk takes as long as some KiB."""
    app = create_app(Settings(data_dir=tmp_path / "none"))
    routes = sorted((m, filled(p, "one")) for ms, p in server_routes(app) for m in ms)
    assert ("POST", "/api/uploads") in routes
    secret = {"COALESCOPE_TOKEN": token} if token else {}
    with serve(**secret) as (url, _):
        address = ("127.0.0.1", httpx.URL(url).port or 0)
        for method, path in routes:
            assert ends_on_single_bytes(address, method, path), (method, path)


def ends_on_single_bytes(address: tuple[str, int], method: str, path: str) -> bool:
    """Whether the server ends a connection whose body is 20,000 chunks of a byte, and more."""
    head = f"{method} {path}?filename=x.csv HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n"
    with socket.create_connection(address, TIMEOUT_S) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        try:
            for _ in range(20):
                connection.sendall(b"1\r\n1\r\n" * 1000)
            connection.settimeout(5)
            while connection.recv(2**16):
                pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True


def test_one_address_of_the_newer_family_is_that_alone(serve: Serve) -> None:
    with serve("--host", "::1") as (url, _):
        assert get(f"{url}/api/health").status_code == 200
        with pytest.raises(httpx.ConnectError):
            get(f"http://127.0.0.1:{httpx.URL(url).port}/api/health")


@pytest.mark.parametrize("pause_s", [0, 0.05])
def test_64_kib_of_a_head_are_64_kib(serve: Serve, pause_s: float) -> None:
    """To the byte, at once or in pieces, the first of a connection or a later one."""
    with serve() as (url, _):
        port = httpx.URL(url).port or 0
        begin, end = f"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: ", "\r\n\r\n"
        for before in (0, 2):
            for more, status in ((0, b" 200 "), (1, b" 400 "), (200_000, b" 400 ")):
                fill = "x" * (2**16 - len(begin) - len(end) + more)
                with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as connection:
                    for _ in range(before):
                        connection.sendall((begin + end).encode())
                        assert b" 200 " in connection.recv(4096).partition(b"\r\n")[0]
                        connection.settimeout(0.2)
                        with suppress(TimeoutError):
                            connection.recv(4096)
                        connection.settimeout(TIMEOUT_S)
                    head = (begin + fill + end).encode()
                    with suppress(ConnectionError):
                        connection.sendall(head[:40_000])
                        time.sleep(pause_s)
                        connection.sendall(head[40_000:])
                    assert status in connection.recv(4096).partition(b"\r\n")[0], (before, more)


def test_a_signal_once_the_address_is_known_is_an_orderly_stop(serve: Serve) -> None:
    for _ in range(3):
        with serve() as (_, server):
            server.send_signal(signal.SIGTERM)
            assert server.wait(TIMEOUT_S) == 0


def test_the_body_of_an_answer_does_not_wait_until_its_head_is_confirmed(serve: Serve) -> None:
    """Over a kept connection that wait would be 40 ms for each answer, the fastest too."""
    with serve() as (url, _), closing(HTTPConnection(url.removeprefix("http://"))) as connection:
        seconds = []
        # a new connection is confirmed faster; and the machine may be slower, but not each time
        while len(seconds) < 30 or (min(seconds[20:]) >= 0.035 and len(seconds) < 500):
            start = time.perf_counter()
            connection.request("GET", "/api/health")
            assert json.loads(connection.getresponse().read())["status"] == "ok"
            seconds.append(time.perf_counter() - start)
    assert min(seconds[20:]) < 0.035


def test_the_guard_is_on(serve: Serve) -> None:
    with serve() as (url, _):
        foreign = get(f"{url}/api/health", host="evil.example")
        assert foreign.status_code == 421
        for origin, status in (("http://evil.example", 403), (url, 201)):
            posted = httpx.post(
                f"{url}/api/links",
                json={"path": "/"},
                headers={"origin": origin},
                timeout=TIMEOUT_S,
            )
            assert posted.status_code == status


def test_a_port_in_use(run: Run, serve: Serve) -> None:
    with serve() as (url, _):
        done = run("serve", "--port", url.rpartition(":")[2])
        assert done.returncode == 1
        assert "in use" in done.stderr
        assert "--port" in done.stderr


def test_what_sigterm_does_is_as_before_once_it_has_ended(run: Run) -> None:
    before = signal.getsignal(signal.SIGTERM)
    run("serve", "--host", "192.0.2.1", "--port", "0", COALESCOPE_TOKEN="secret")
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_no_setting_is_told_from_one(run: Run) -> None:
    """A limit that is mistyped would not hold, and nobody would know."""
    mistyped = {"COALESCOPE_MAX_UPLOAD_BYTE": "1000", "coalescope_nonsense": "1"}
    done = run("serve", "--host", "0.0.0.0", "--port", "0", **mistyped, coalescope_fits_at_once="2")
    assert "there is no setting COALESCOPE_MAX_UPLOAD_BYTE: it has no effect." in done.stderr
    assert "Did you mean COALESCOPE_MAX_UPLOAD_BYTES" in done.stderr
    assert (
        "there is no setting coalescope_nonsense: it has no effect.\n"
        "  docs/operation.md lists the settings."
    ) in done.stderr, "it looks like none, for all that the prefix is theirs"
    assert done.stderr.count("there is no setting") == 2


def test_other_machines_need_a_token(run: Run) -> None:
    for host in ("0.0.0.0", "::"):
        done = run("serve", "--host", host, "--port", "0")
        assert (done.returncode, done.stdout) == (1, "")
        assert "COALESCOPE_TOKEN" in done.stderr
    done = run("serve", "--host", "192.0.2.1", "--port", "0", COALESCOPE_TOKEN="secret")
    assert done.returncode == 1
    assert "Cannot listen on 192.0.2.1" in done.stderr


@pytest.mark.folder_stack  # whether there are tokens, a database server is asked
def test_what_is_refused_leaves_no_folder(run: Run, tmp_path: Path) -> None:
    mistyped = tmp_path / "mistyped"
    for workers in ("1", "2"):
        done = run(
            "serve", "--host", "0.0.0.0", "--port", "0", "--data", mistyped, "--workers", workers
        )
        assert done.returncode == 1
        assert not mistyped.exists(), "nothing is made for a server that does not come up"


@pytest.mark.folder_stack  # each names a server of its own
@pytest.mark.parametrize(
    "elsewhere",
    [
        {"COALESCOPE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"},
        {
            "COALESCOPE_OBJECT_STORE_URL": "s3://none",
            "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing",
        },
    ],
)
def test_where_a_server_of_the_store_is_not_there_no_folder_is_left(
    run: Run, tmp_path: Path, elsewhere: dict[str, str]
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "notes").touch()
    for folder in ("mistyped", "there/mistyped/twice"):
        done = run("serve", "--port", "0", "--data", tmp_path / folder, **elsewhere)
        assert done.returncode == 1
        assert "127.0.0.1" in done.stderr
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["notes", "there"]


def test_uploads_with_a_token(run: Run, serve: Serve, tables: list[Path], tmp_path: Path) -> None:
    with serve("--host", "0.0.0.0", COALESCOPE_TOKEN="a secret") as (url, _):
        here = url.replace("0.0.0.0", "127.0.0.1")
        bare = run("upload", tables[0], "--server", here)
        assert bare.returncode == 1
        assert f"refused {tables[0]}: This server asks for a token." in bare.stderr
        wrong = run("upload", tables[0], "--server", here, COALESCOPE_TOKEN="a guess")
        assert "The token is not known here" in wrong.stderr
        for refused in (bare, wrong):
            assert "COALESCOPE_TOKEN" in refused.stderr
            assert "--token-file" in refused.stderr
        right = run("upload", tables[0], "--server", here, COALESCOPE_TOKEN="a secret")
        assert (right.returncode, right.stderr) == (0, "")
        (tmp_path / "token").write_text("a secret\n")
        again = run("upload", tables[0], "--server", here, "--token-file", tmp_path / "token")
        page = f"The page: {here}/explorer/lab-0\n"
        assert again.stdout == f"known   {tables[0]}: lab-0, 2 runs\n{page}"
        missing = run("upload", tables[0], "--server", here, "--token-file", "nowhere")
        assert missing.returncode == 1
        assert "nowhere" in missing.stderr


@pytest.mark.parametrize("held", [b"", b"a secret\nand more\n", b"\xff\xfe\x00"])
def test_what_is_no_token_is_not_sent_and_not_shown(
    run: Run, tables: list[Path], tmp_path: Path, held: bytes
) -> None:
    (tmp_path / "token").write_bytes(held)
    where = ("upload", tables[0], "--server", "http://127.0.0.1:1")
    done = run(*where, "--token-file", tmp_path / "token")
    assert done.returncode == 1
    assert f"{tmp_path / 'token'} holds no token" in done.stderr
    typed = run(*where, COALESCOPE_TOKEN="a secret\nand more")
    assert "COALESCOPE_TOKEN holds no token" in typed.stderr
    assert "secret" not in done.stderr + typed.stderr


@pytest.mark.fault("B2")
def test_upload_what_a_folder_and_an_archive_hold(
    run: Run, serve: Serve, tables: list[Path], tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / tables[0].name).write_bytes(tables[0].read_bytes())
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        archive.write(tables[1], tables[1].name)
    with serve() as (url, _):
        done = run("upload", folder, tmp_path / "one.zip", "--server", url)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"stored  {folder}/{tables[0].name}: lab-0, 2 runs" in done.stdout
    assert f"stored  {tmp_path}/one.zip/{tables[1].name}: lab-1, 2 runs" in done.stdout


def test_upload_several_and_say_what_became_of_each(
    run: Run, serve: Serve, tables: list[Path], tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("mtu,replicate,drops\n1500,1,3\n")
    with serve() as (url, _):
        done = run(
            "upload", *tables, wrong, "missing.csv", "--server", url, "--experiment", "bench",
            "--kind", "emulated",
        )  # fmt: skip
        assert done.returncode == 1
        assert done.stdout.count("stored  ") == len(tables)
        assert done.stdout.splitlines()[-1] == f"The page: {url}/explorer/bench"
        assert f"refused {wrong}: Column 'mtu'" in done.stderr
        assert "failed  missing.csv: No such file" in done.stderr
        found = get(f"{url}/api/experiments/bench").json()
        assert (found["runs"], found["kind"]) == (2 * len(tables), "emulated")
        deeper = run("upload", tables[0], "--server", f"{url}/explorer")
        assert deeper.returncode == 1
        assert "Give --server the address of its first page" in deeper.stderr
        again = run("upload", *tables, "--server", url, "--experiment", "bench", "--json")
        assert again.returncode == 0
        outcomes = json.loads(again.stdout)
        assert [outcome["file"] for outcome in outcomes] == [str(path) for path in tables]
        assert {outcome["outcome"] for outcome in outcomes} == {"known"}


RECEIPT = {
    "id": "1",
    "outcome": "stored",
    "sha256": "0" * 64,
    "bytes": 1,
    "filename": "table.csv",
    "content": "csv",
    "experiment": {"slug": "lab", "title": "lab"},
    "runs": [],
    "run_count": 2,
    "warnings": [],
    "mapping": None,
    "created_at": "2026-01-31T12:00:00.000Z",
}


class _Stub(BaseHTTPRequestHandler):
    """Answers as told; `None` hangs up without a word."""

    answers: list[int | None]
    seen: list[bytes]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.append(body)
        answer = self.answers.pop(0)
        if answer is None:
            self.close_connection = True
            return
        text = json.dumps(RECEIPT).encode() if answer == 201 else b"<html>"
        self.send_response(answer)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stub() -> Iterator[tuple[str, type[_Stub]]]:
    handler = type("Stub", (_Stub,), {"answers": [], "seen": []})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", handler
        server.shutdown()
        thread.join()


def test_failures_on_the_way_are_tried_again(
    run: Run, stub: tuple[str, type[_Stub]], tables: list[Path]
) -> None:
    url, handler = stub
    handler.answers[:] = [None, 503, 201]
    done = run("upload", tables[0], "--server", url)
    assert (done.returncode, done.stderr) == (0, "")
    assert handler.seen == [tables[0].read_bytes()] * 3


def test_what_is_not_coalescope_is_not_asked_again(
    run: Run, stub: tuple[str, type[_Stub]], tables: list[Path]
) -> None:
    url, handler = stub
    handler.answers[:] = [404]
    done = run("upload", tables[0], "--server", url)
    assert done.returncode == 1
    assert f"failed  {tables[0]}: {url}/api/uploads answered 404" in done.stderr
    assert len(handler.seen) == 1


def test_nobody_there(run: Run, tables: list[Path]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        done = run("upload", tables[0], "--server", url)
    assert done.returncode == 1
    assert f"{url} cannot be reached" in done.stderr


def test_a_file_beyond_the_server_s_limit_is_refused_before_it_is_sent(
    run: Run, serve: Serve, tables: list[Path], tmp_path: Path
) -> None:
    most = tables[0].stat().st_size
    larger = tmp_path / "larger.csv"
    larger.write_bytes(tables[0].read_bytes() + b"\n")
    with serve(COALESCOPE_MAX_UPLOAD_BYTES=str(most)) as (url, _):
        done = run("upload", larger, tables[0], "--server", url, "--json")
        received = get(f"{url}/metrics").text
    assert done.returncode == 1
    assert f"The file has {most + 1} bytes, and {url} takes at most {most};" in done.stderr
    refused, stored = json.loads(done.stdout)
    assert (refused["outcome"], refused["error"]["code"]) == ("refused", "too_large")
    assert stored["outcome"] == "stored"
    assert f"coalescope_upload_bytes_total {float(most)}\n" in received


def test_interrupting_is_quiet(tables: list[Path], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        command = subprocess.Popen(
            # a shell that runs these tests in the background has SIGINT ignored, for children too
            ["env", "--default-signal=INT", *COMMAND, "upload", str(tables[0]), "--server",
             f"http://127.0.0.1:{silent.getsockname()[1]}"],
            env=environment(tmp_path / "data"),
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        connection, _ = silent.accept()
        with connection:
            command.send_signal(signal.SIGINT)
            _, complaints = command.communicate(timeout=TIMEOUT_S)
    assert (command.returncode, complaints) == (130, "")


def test_a_connection_that_rests_is_not_closed_under_its_next_request(serve: Serve) -> None:
    """Node's, Python's and the proxies' clients keep theirs between 5 s and 120 s."""
    with serve() as (url, _), closing(HTTPConnection(url.removeprefix("http://"))) as client:
        client.connect()
        connection = client.sock
        for rest_s in (6, 0):
            client.request("GET", "/api/health")
            with client.getresponse() as answer:
                assert (answer.status, client.sock) == (200, connection)
                answer.read()
            time.sleep(rest_s)
