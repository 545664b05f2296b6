# SPDX-License-Identifier: Apache-2.0
"""Real failures of a real server: no room, a limit on file sizes, no sync, a read-only folder.

An upload is answered 5xx and leaves nothing; reading goes on; sending it again works.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest
from coalescope_host.run_log import standard_field
from timeouts import TIMEOUT_S

from .conftest import Server, look, syncs_fail

MakeLog = Callable[..., bytes]

pytestmark = [
    pytest.mark.network,  # a mount namespace of its own
    pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed"),
]


def in_own_mounts(script: str) -> Sequence[str]:
    """A prefix that runs `script` in a mount namespace of its own, then the command."""
    return ["unshare", "--mount", "--map-root-user", "sh", "-ec", f'{script}; exec "$@"', "sh"]


@pytest.fixture
def started() -> Iterator[list[Server]]:
    servers: list[Server] = []
    yield servers
    for server in servers:
        server.stop()


def large(make_log: MakeLog, records: int, replicate: int) -> bytes:
    fields = [standard_field(name) for name in ("t_monotonic_ns", "rx_bytes")]
    rows = [(i * 1_000_000, i * 1000) for i in range(1, records + 1)]
    window = (10, records - 10)
    return make_log(fields=fields, rows=rows, window=window, replicate=replicate)


def experiments(server: Server) -> list[str]:
    answer = httpx.get(f"{server.url}/api/experiments", timeout=TIMEOUT_S)
    assert answer.status_code == 200
    return [one["slug"] for one in answer.json()]


def inside(server: Server) -> Path:
    """The data folder as the server sees it."""
    return Path(f"/proc/{server.process.pid}/root{server.data}")


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "logs").rglob("*") if path.is_file())


def hearing_no_error(of: str) -> Sequence[str]:
    """A prefix that makes a mutant of the program (hearing_no_error.py)."""
    return [sys.executable, str(Path(__file__).with_name("hearing_no_error.py")), of]


def test_no_room(tmp_path: Path, make_log: MakeLog, started: list[Server]) -> None:
    fill_the_disk(tmp_path, make_log, started)


def test_a_program_that_leaves_out_what_has_no_room_is_caught(
    tmp_path: Path, make_log: MakeLog, started: list[Server]
) -> None:
    """Control: half a file is kept, whether its rows have room or not."""
    with pytest.raises(AssertionError, match=r"storage_full|runlog"):
        fill_the_disk(tmp_path, make_log, started, hearing_no_error("write"))


def fill_the_disk(
    tmp_path: Path, make_log: MakeLog, started: list[Server], mutant: Sequence[str] = ()
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    small_disk = in_own_mounts(f"mount -t tmpfs -o size=3M tmpfs {data}")
    server = Server(data, wrapped=[*small_disk, *mutant])
    started.append(server)
    small = make_log(replicate=1)
    assert server.upload(small).status_code == 201
    before = files(inside(server))
    ballast = inside(server) / "ballast"
    room = os.statvfs(inside(server))
    ballast.write_bytes(bytes(room.f_bavail * room.f_frsize - 100_000))
    content = large(make_log, 20_000, 2)
    assert len(content) > 200_000
    answer = server.upload(content)
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "storage_full")
    assert files(inside(server)) == before
    assert experiments(server) == ["lab"]
    assert server.upload(small).status_code in (200, 507), "known, or no room to receive it"
    ballast.unlink()
    assert server.upload(content).status_code == 201
    assert len(files(inside(server))) == 2


def test_no_room_is_said_over_a_connection_that_goes_on(
    tmp_path: Path, make_log: MakeLog, started: list[Server]
) -> None:
    """Who sends the next file at once meets no reset, nor does who is still sending."""
    data = tmp_path / "data"
    data.mkdir()
    server = Server(data, wrapped=in_own_mounts(f"mount -t tmpfs -o size=3M tmpfs {data}"))
    started.append(server)
    room = os.statvfs(inside(server))
    (inside(server) / "ballast").write_bytes(bytes(room.f_bavail * room.f_frsize - 100_000))
    with closing(HTTPConnection(server.url.removeprefix("http://"))) as connection:
        connection.connect()
        kept = connection.sock
        for content in (large(make_log, 20_000, 1), bytes(32 << 20), large(make_log, 20_000, 2)):
            connection.request("POST", "/api/uploads?filename=x.runlog", content)
            with connection.getresponse() as answer:
                assert answer.status == 507
                assert json.load(answer)["error"]["code"] == "storage_full"
            assert connection.sock is kept


def test_no_room_for_rows(tmp_path: Path, make_log: MakeLog, started: list[Server]) -> None:
    """Logs of a few KB until the database itself cannot grow: then nothing of the last is kept."""
    data = tmp_path / "data"
    data.mkdir()
    server = Server(data, wrapped=in_own_mounts(f"mount -t tmpfs -o size=3M tmpfs {data}"))
    started.append(server)
    ballast = inside(server) / "ballast"
    room = os.statvfs(inside(server))
    ballast.write_bytes(bytes(room.f_bavail * room.f_frsize - 250_000))
    acknowledged = 0
    for replicate in range(1, 200):
        content = make_log(replicate=replicate)
        answer = server.upload(content)
        if answer.status_code != 201:
            break
        acknowledged += 1
    assert answer.status_code >= 500
    ballast.unlink()
    assert server.upload(content).status_code == 201
    kept = httpx.get(
        f"{server.url}/api/experiments/lab/runs", params={"limit": 1}, timeout=TIMEOUT_S
    )
    assert kept.json()["total"] == acknowledged + 1
    copy = tmp_path / "copy"
    shutil.copytree(inside(server), copy)
    assert look(copy).faults == []


def test_a_limit_on_file_sizes(tmp_path: Path, make_log: MakeLog, started: list[Server]) -> None:
    limit_file_sizes(tmp_path, make_log, started)


def test_a_program_that_leaves_out_what_is_beyond_the_limit_is_caught(
    tmp_path: Path, make_log: MakeLog, started: list[Server]
) -> None:
    """Control."""
    with pytest.raises(AssertionError, match="storage_full"):
        limit_file_sizes(tmp_path, make_log, started, hearing_no_error("write"))


def limit_file_sizes(
    tmp_path: Path, make_log: MakeLog, started: list[Server], mutant: Sequence[str] = ()
) -> None:
    server = Server(tmp_path / "data", wrapped=mutant)
    started.append(server)
    assert server.upload(make_log(replicate=1)).status_code == 201
    before = files(server.data)
    content = large(make_log, 20_000, 2)
    most = 100_000
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    answer = server.upload(content)
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "storage_full")
    # the database is larger than the limit already: its log cannot be written
    assert server.upload(make_log(replicate=3)).status_code >= 500 or files(server.data) != before
    assert experiments(server) == ["lab"]
    endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, endless)
    assert server.upload(content).status_code == 201
    server.stop()
    assert look(tmp_path / "data").faults == []


def which_syncs(server: Server, of: str) -> list[str]:
    """strace's words for the syncs of the file, of its folder, or of the rows."""
    error = "inject=fsync,fdatasync:error=EIO"
    return {
        "the file": ["-e", f"{error}:when=1"],
        "its folder": ["-e", f"{error}:when=2"],
        "the rows": ["-e", error, "-P", str(server.data / "coalescope.sqlite-wal")],
    }[of]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("of", ["the file", "its folder", "the rows"])
def test_a_disk_that_cannot_sync(
    tmp_path: Path, make_log: MakeLog, started: list[Server], of: str
) -> None:
    fail_to_sync(tmp_path, make_log, started, of)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_program_that_does_not_hear_it_is_caught(
    tmp_path: Path, make_log: MakeLog, started: list[Server]
) -> None:
    """Control."""
    with pytest.raises(AssertionError, match="acknowledged"):
        fail_to_sync(tmp_path, make_log, started, "the file", hearing_no_error("sync"))


def fail_to_sync(
    tmp_path: Path, make_log: MakeLog, started: list[Server], of: str, mutant: Sequence[str] = ()
) -> None:
    server = Server(tmp_path / "data", wrapped=mutant)
    started.append(server)
    assert server.upload(make_log(replicate=1)).status_code == 201
    content = make_log(replicate=2)
    with syncs_fail(server.process.pid, *which_syncs(server, of)):
        assert server.upload(content).status_code == 500, "acknowledged, and not on disk"
        assert experiments(server) == ["lab"]
    runs = f"{server.url}/api/experiments/lab/runs"
    assert httpx.get(runs, timeout=TIMEOUT_S).json()["total"] == 1
    if of == "the file":
        assert len(files(server.data)) == 1
    assert server.upload(content).status_code == 201
    server.stop()
    report = look(tmp_path / "data")
    assert (report.files, report.faults) == (2, [])


def test_a_folder_that_cannot_be_written(
    tmp_path: Path, make_log: MakeLog, started: list[Server]
) -> None:
    """It is refused with the reason, and served with --read-only."""
    freeze(tmp_path, make_log, started)


def test_a_program_that_starts_anywhere_is_caught(
    tmp_path: Path, make_log: MakeLog, started: list[Server]
) -> None:
    """Control."""
    with pytest.raises(AssertionError, match="Nothing can be stored"):
        freeze(tmp_path, make_log, started, hearing_no_error("start"))


def frozen_for_one(data: Path) -> Sequence[str]:
    """What follows cannot write there; others can."""
    return in_own_mounts(f"mount --bind {data} {data}; mount -o remount,bind,ro {data}")


def test_a_server_that_cannot_write_shows_what_another_wrote(
    tmp_path: Path, make_log: MakeLog, started: list[Server]
) -> None:
    data = tmp_path / "data"
    writer = Server(data)
    assert writer.upload(make_log(experiment="one")).status_code == 201
    writer.stop()
    reader = Server(data, "--read-only", wrapped=frozen_for_one(data))
    started.append(reader)
    assert experiments(reader) == ["one"]
    writer = Server(data)
    started.append(writer)
    assert writer.upload(make_log(experiment="two")).status_code == 201
    assert sorted(experiments(reader)) == ["one", "two"]
    writer.stop()
    assert sorted(experiments(reader)) == ["one", "two"]


def freeze(
    tmp_path: Path, make_log: MakeLog, started: list[Server], mutant: Sequence[str] = ()
) -> None:
    data = tmp_path / "data"
    writer = Server(data)
    sent = make_log()
    assert writer.upload(sent).status_code == 201
    writer.stop()
    frozen = frozen_for_one(data)
    environment = os.environ | {"COALESCOPE_DATA_DIR": str(data)}
    command = [*frozen, *mutant, sys.executable, "-m", "coalescope", "serve", "--port", "0"]
    refused = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert refused.returncode == 1
    assert "Nothing can be stored" in refused.stderr
    assert "--read-only" in refused.stderr

    server = Server(data, "--read-only", wrapped=frozen)
    started.append(server)
    assert experiments(server) == ["lab"]
    answer = server.upload(sent)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "read_only")
    link = httpx.post(f"{server.url}/api/links", json={"path": "/explore/lab"}, timeout=TIMEOUT_S)
    assert (link.status_code, link.json()["error"]["code"]) == (503, "read_only")
