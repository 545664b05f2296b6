# SPDX-License-Identifier: Apache-2.0
"""Uploads over real HTTP to a real server process: memory, cut-off connections, sudden death."""

import bz2
import gzip
import lzma
import signal
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from coalescope.untrusted.bounds import ROWS
from coalescope_host.run_log import STANDARD_FIELDS, Writer, make_header, standard_field
from timeouts import TIMEOUT_S, wait_until

from ..durability.conftest import Server as ServerProcess

MakeLog = Callable[..., bytes]


class Server(ServerProcess):
    """What is seen of it beside its answers."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.address = ("127.0.0.1", int(self.url.rpartition(":")[2]))

    def own_memory(self) -> int:
        """Bytes of memory that are the process's own (not pages of files)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("RssAnon:"))
        return int(line.split()[1]) * 1024

    def files(self) -> list[str]:
        return sorted(path.name for path in (self.data / "logs").rglob("*") if path.is_file())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "none").mkdir()
    started = Server(tmp_path)
    yield started
    started.stop()


# Four rows that the first fit takes.
OF_FIRST_FIT = b"""\
mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s
1500,0,1,9000000,6000,600,0.5
1500,80,1,9000000,6000,100,0.4
9000,0,1,9000000,1000,300,0.3
9000,80,1,9000000,1000,90,0.2
"""


@pytest.fixture
def loaded(server: Server, make_log: MakeLog) -> Server:
    """A server that holds what it loads once: with the first uploads, and after it has started.

    What a fit needs, the server imports beside its first requests; a fit waits for the end of that.
    """
    assert upload(server, make_log()).status_code == 201
    assert upload(server, OF_FIRST_FIT, "loaded.csv").status_code == 201
    body = {"model": "cpu-overhead", "method": "ols", "response": "system_cpu_s"}
    answer = httpx.post(f"{server.url}/api/experiments/loaded/fits", json=body, timeout=TIMEOUT_S)
    assert answer.status_code == 200, answer.text
    return server


def in_pieces(content: bytes) -> Iterator[bytes]:
    view = memoryview(content)
    for start in range(0, len(view), 1 << 16):
        yield bytes(view[start : start + (1 << 16)])


def upload(
    server: Server, content: bytes | Iterator[bytes], filename: str = "x.runlog"
) -> httpx.Response:
    return httpx.post(
        f"{server.url}/api/uploads",
        params={"filename": filename},
        content=content,
        timeout=TIMEOUT_S,
    )


class Watch:
    """The largest memory of a server while something happens."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.before = server.own_memory()
        self.most = self.before
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._done.wait(0.002):
            self.most = max(self.most, self.server.own_memory())

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    @property
    def more(self) -> int:
        return self.most - self.before


def large_log(make_log: MakeLog, records: int) -> bytes:
    names = list(STANDARD_FIELDS)
    step = range(len(names) - 2)
    rows = [(i * 10**6, i * 10**6, *(i * (100 + k) for k in step)) for i in range(1, records + 1)]
    fields = [standard_field(name) for name in names]
    return make_log(fields=fields, rows=rows, window=(10, records - 1))


def test_a_large_log_takes_little_memory(loaded: Server, make_log: MakeLog) -> None:
    content = large_log(make_log, 200_000)
    assert len(content) > 32 * 2**20
    with Watch(loaded) as watch:
        answer = upload(loaded, in_pieces(content))
    assert answer.status_code == 201, answer.text
    assert watch.more <= 16 * 2**20
    rows = "".join(f"1500,{i},0,1,64\n" for i in range(ROWS))
    table = f"mtu_bytes,replicate,drops,rx_packets,rx_bytes\n{rows}"
    with Watch(loaded) as held:  # negative control: rows that are stored are held in memory
        hold = upload(loaded, table.encode(), "x.csv")
    assert hold.status_code == 201, hold.text
    assert held.more > 16 * 2**20


def write_log(path: Path, size: int) -> None:
    """A log of at least that many bytes, written as it is made."""
    names = list(STANDARD_FIELDS)
    header = make_header(
        run_id="00000000-0000-4000-8000-00000000001b",
        experiment="lab",
        factors={"mtu_bytes": {"requested": 1500, "read_back": 1500}},
        fields=[standard_field(name) for name in names],
        sources=[{"name": "sysfs", "atomic": False}],
    )
    with path.open("wb") as file, Writer(file, header) as log:
        i = 0
        while file.tell() < size:
            for _ in range(10_000):
                i += 1
                log.sample(i * 10**6, i * 10**6, *(i * (100 + k) for k in range(len(names) - 2)))
                if i == 10:
                    log.mark("window_start", i * 10**6, None)
        log.mark("window_end", i * 10**6, None)


@pytest.fixture
def takes_two_gibibytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a server that starts after this."""
    monkeypatch.setenv("COALESCOPE_MAX_UPLOAD_BYTES", str(2 << 30))


@pytest.mark.soak
@pytest.mark.usefixtures("takes_two_gibibytes")
def test_a_gibibyte_takes_little_memory(
    loaded: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("large") / "large.runlog"
    write_log(path, 1 << 30)

    def pieces() -> Iterator[bytes]:
        with path.open("rb") as file:
            while piece := file.read(1 << 16):
                yield piece

    with Watch(loaded) as watch:
        answer = httpx.post(
            f"{loaded.url}/api/uploads", params={"filename": "x"}, content=pieces(), timeout=600
        )
    assert answer.status_code == 201, answer.text
    print(f"{path.stat().st_size:,} bytes, {watch.more:,} bytes of memory")  # noqa: T201
    assert watch.more <= 16 * 2**20


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zlib.compress])
def test_what_is_packed_is_not_unpacked(loaded: Server, pack: Callable[[bytes], bytes]) -> None:
    """A bomb would be a hundred megabytes; it is refused as what it is."""
    bomb = pack(b"mtu_bytes,replicate,drops\n" + b"0" * (100 * 2**20))
    names = {"gzip": "gzip", "zlib": "deflate"}
    encoding = names.get(pack.__module__, "identity")
    there = loaded.files()
    with Watch(loaded) as watch:
        plain = upload(loaded, bomb, "x.csv")
        declared = httpx.post(
            f"{loaded.url}/api/uploads",
            params={"filename": "x.csv"},
            content=bomb,
            headers={"Content-Encoding": encoding},
            timeout=TIMEOUT_S,
        )
    for answer in (plain, declared):
        assert answer.status_code in (415, 422), answer.text
        assert answer.json()["error"]["advice"]
    assert watch.more <= 16 * 2**20
    assert loaded.files() == there


def test_a_large_body_elsewhere_is_refused_before_it_is_held(loaded: Server) -> None:
    large = b" " * (40 * 2**20)
    with Watch(loaded) as watch:
        declared = httpx.post(f"{loaded.url}/api/links", content=large, timeout=TIMEOUT_S)
        chunked = httpx.post(f"{loaded.url}/api/links", content=in_pieces(large), timeout=TIMEOUT_S)
    for answer in (declared, chunked):
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert watch.more <= 16 * 2**20


@contextmanager
def sending_half(server: Server, content: bytes) -> Iterator[None]:
    """A connection over which half of a log has come."""
    head = (
        f"POST /api/uploads?filename=x HTTP/1.1\r\nHost: {server.url.removeprefix('http://')}\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    with socket.create_connection(server.address) as connection:
        there = len(server.files())
        connection.sendall(head.encode() + content[: len(content) // 2])
        wait_until(lambda: len(server.files()) > there, "nothing is received")
        yield


def test_a_connection_that_breaks_leaves_nothing(server: Server, make_log: MakeLog) -> None:
    content = large_log(make_log, 20_000)
    with sending_half(server, content):
        pass
    wait_until(lambda: not server.files(), "half of it is left")
    assert upload(server, content).status_code == 201
    assert len(server.files()) == 1


def test_what_was_acknowledged_survives_sudden_death(tmp_path: Path, make_log: MakeLog) -> None:
    (tmp_path / "none").mkdir()
    server = Server(tmp_path)
    content = make_log()
    receipt = upload(server, content).json()
    with sending_half(server, large_log(make_log, 20_000)):
        server.stop(signal.SIGKILL)
    assert len(server.files()) == 2  # one object, one left half
    again = Server(tmp_path)
    try:
        assert again.files() == [f"{receipt['sha256']}.runlog"]
        repeated = upload(again, content)
        assert (repeated.status_code, repeated.json()["runs"]) == (200, receipt["runs"])
    finally:
        again.stop()


def test_two_servers_share_a_store(server: Server, make_log: MakeLog) -> None:
    other = Server(server.data)
    logs = [make_log(replicate=i) for i in range(8)]
    answers: list[httpx.Response] = []

    def send(to: Server, order: int) -> None:
        answers.extend(upload(to, log) for log in logs[::order])

    try:
        threads = [
            threading.Thread(target=send, args=(to, order))
            for to in (server, other)
            for order in (1, -1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        other.stop()
    assert sorted(answer.status_code for answer in answers) == [200] * 24 + [201] * 8
    cell = httpx.get(f"{server.url}/api/experiments/lab/cells", timeout=TIMEOUT_S).json()["cells"][
        0
    ]
    assert (cell["runs"], cell["measures"]["rx_bytes"]["n"]) == (8, 8)
    assert len(server.files()) == 8


def test_too_much_is_refused_while_it_comes(server: Server, make_log: MakeLog) -> None:
    """A declared length beyond the limit is refused by its header alone."""
    head = (
        f"POST /api/uploads?filename=x HTTP/1.1\r\nHost: {server.url.removeprefix('http://')}\r\n"
        f"Content-Length: {2**40}\r\n\r\n"
    )
    with socket.create_connection(server.address, timeout=TIMEOUT_S) as connection:
        connection.sendall(head.encode())
        assert b" 413 " in connection.recv(4096).split(b"\r\n")[0]
    assert server.files() == []
