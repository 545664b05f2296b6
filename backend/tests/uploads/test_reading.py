# SPDX-License-Identifier: Apache-2.0
"""Files of each kind are read within bounds, at first and when what is stored is read again."""

import asyncio
import gc
import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli import main
from coalescope.errors import CoalescopeError
from coalescope.runs import recording
from coalescope.runs.records import MeasuredValue, NewRun
from coalescope.settings import Settings
from coalescope.storage.object_store import SUFFIXES
from coalescope.untrusted.confinement import Ending
from coalescope.uploads.reading import READ_HERE_BYTES, Reading, _pieces
from coalescope.verification.service import verify

MakeClient = Callable[..., Any]
MakeLog = Callable[..., bytes]
NO_MEMORY = {"reading_mib": 1, "datasets_dir": None}
CORPUS = Path(__file__).parents[1] / "foreign" / "corpus"
SET = {"set": "mtu_bytes=9000,delay_us=unknown"}
BLANKS = b" " * 2**22


def flent() -> bytes:
    return gzip.decompress((CORPUS / "flent/2.1.1-tcp_upload.flent.gz").read_bytes())


def table(mtu_bytes: int = 1500) -> bytes:
    rows = "".join(f"{mtu_bytes},{row},1.5\n" for row in range(3000))
    return f"mtu_bytes,replicate,drops\n{rows}".encode()


# what takes more than a MiB to read, by the store's kind of content; and the words it needs
LARGE: Mapping[str, tuple[bytes, str, Mapping[str, str]]] = {
    "csv": (table(), "csv", {}),
    "foreign": ((CORPUS / "iperf3/joined-client.json").read_bytes() + BLANKS, "foreign", SET),
    "foreign, packed": (gzip.compress(flent() + BLANKS), "foreign", SET),
}
KINDS = pytest.mark.parametrize("kind", LARGE)


def send(client: Any, kind: str) -> Any:
    content, _, words = LARGE[kind]
    return client.upload(content, "large", experiment="lab", **words)


def test_every_kind_is_here_or_a_log() -> None:
    assert {content for _, content, _ in LARGE.values()} | {"run_log"} == set(SUFFIXES)
    assert len(LARGE["foreign, packed"][0]) < READ_HERE_BYTES


@KINDS
def test_an_upload_that_takes_more_memory_is_refused(make_client: MakeClient, kind: str) -> None:
    answer = send(make_client(**NO_MEMORY), kind)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "took_too_much_memory"


@KINDS
def test_what_is_stored_is_read_again_within_the_same_bounds(client: Any, kind: str) -> None:
    assert send(client, kind).status_code == 201
    state = client.app.state
    assert verify(state.database, state.object_store, Reading()).sound
    (fault,) = verify(state.database, state.object_store, Reading(mib=1)).faults
    assert fault.code == "not_compared"
    assert fault.where["limit_mib"] == 1


@pytest.mark.folder_stack
def test_the_command_line_knows_the_same_bounds(
    client: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert send(client, "csv").status_code == 201
    client.app.state.database.close()
    data = tmp_path / "data"
    (tmp_path / "lab.csv").write_bytes(table(9000))
    monkeypatch.setenv("COALESCOPE_DATASETS_DIR", "")
    monkeypatch.setenv("COALESCOPE_READING_MIB", "1")
    assert main(["verify", "--deep", "--data", str(data)]) == 1
    assert "limit_mib 1" in capsys.readouterr().err
    assert main(["import", "--data", str(data), str(tmp_path / "lab.csv")]) == 1
    assert "more than the 1 MiB" in capsys.readouterr().err
    monkeypatch.delenv("COALESCOPE_READING_MIB")
    assert main(["verify", "--deep", "--data", str(data)]) == 0
    assert main(["import", "--data", str(data), str(tmp_path / "lab.csv")]) == 0


def test_a_log_of_old_measures_is_read_again_within_the_server_s_bounds(
    make_client: MakeClient, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client()
    assert client.upload(make_log()).status_code == 201
    with client.app.state.database.write() as connection:
        connection.exec_driver_sql("UPDATE uploads SET measured_as = 0")
    read = []
    read_log = Reading.log

    def noted(reading: Reading, *given: Any) -> Any:
        read.append(reading.mib)
        return read_log(reading, *given)

    monkeypatch.setattr(Reading, "log", noted)
    make_client(reading_mib=77)
    assert read == [77]


def runs_in_memory() -> int:
    gc.collect()
    return sum(type(one) is NewRun for one in gc.get_objects())


def test_the_runs_of_a_large_table_are_never_all_in_memory(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever asks a server meanwhile waits while garbage is looked for among them."""
    record_batch = recording._record_batch
    there = []

    def noted(*given: Any) -> Any:
        there.append(runs_in_memory())
        return record_batch(*given)

    monkeypatch.setattr(recording, "_record_batch", noted)
    monkeypatch.setattr(recording, "_BATCH", 100)
    assert send(client, "csv").json()["run_count"] == 3000
    assert len(there) == 30
    assert max(there) < 1000, "beside those being stored, some as they came"


def test_a_piece_of_a_wide_table_is_few_runs() -> None:
    def sizes(values: int, count: int) -> list[int]:
        measures = {str(n): MeasuredValue(1.0, None) for n in range(values)}
        one = NewRun("uid", {}, None, "csv", measures)
        return [len(piece) for piece in _pieces([one] * count)]

    assert sizes(1000, 5) == [2, 2, 1]
    assert sizes(3, 1000) == [500, 500]
    assert sizes(0, 3) == [3]
    assert sizes(3, 0) == []


def test_a_table_is_stored_no_further_once_its_sender_has_left(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_batch = recording._record_batch
    endings = []
    within = Reading.within.__func__  # type: ignore[attr-defined]

    def with_ending(cls: type[Reading], settings: Settings, ending: Ending) -> Reading:
        endings.append(ending)
        found: Reading = within(cls, settings, ending)
        return found

    def left(*given: Any) -> Any:
        endings[-1].come()
        return record_batch(*given)

    monkeypatch.setattr(Reading, "within", classmethod(with_ending))
    monkeypatch.setattr(recording, "_record_batch", left)
    answer = send(client, "csv")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "ended")
    assert client.get("/api/experiments").json() == []


# --- what is read again for somebody who asks

#: A process is not up within so short a time.
HURRIED = {"reading_seconds": 0.001}
RUN = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11"
CONTENTS = f"/api/runs/{RUN}/contents"
MAPPING = json.dumps(
    {
        "columns": [
            {"column": "mtu_bytes", "quantity": "mtu_bytes"},
            {"column": "replicate", "quantity": "replicate"},
            {"column": "drops", "quantity": "drops"},
        ]
    }
)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture
def large_from(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have logs of more bytes taken for large ones."""

    def from_here(size: int) -> None:
        monkeypatch.setattr("coalescope.uploads.reading.LARGEST_BYTES", size)
        for module in ("uploads.reading", "runs.endpoints"):
            monkeypatch.setattr(f"coalescope.{module}.SHOWN_HERE_BYTES", size)

    return from_here


def test_a_mapped_table_that_is_sent_again_is_read_within_bounds(make_client: MakeClient) -> None:
    def sent(client: Any) -> Any:
        return client.upload(table(), "lab.csv", experiment="lab", mapping=MAPPING)

    client = make_client()
    assert [sent(client).status_code for _ in range(2)] == [201, 200]
    assert code(sent(make_client(**HURRIED))) == (422, "took_too_long")


def test_a_log_that_contradicts_another_is_compared_within_bounds(
    make_client: MakeClient, make_log: MakeLog, large_from: Callable[[int], None]
) -> None:
    rows = [(i * 10**9, i * 10**9, i * 10**6, i * 1000, i * 100) for i in range(1, 601)]
    whole = make_log(run_id=RUN, rows=rows, window=(0, 599))
    large_from(len(whole))  # each of them is none, both together are
    client = make_client()
    assert client.upload(whole).status_code == 201
    cut = whole[: len(whole) * 3 // 4]
    assert code(make_client(**HURRIED).upload(cut)) == (422, "took_too_long")
    answer = client.upload(cut)
    assert (answer.status_code, answer.json()["outcome"]) == (200, "known")


def test_a_run_is_shown_within_bounds(
    make_client: MakeClient, make_log: MakeLog, large_from: Callable[[int], None]
) -> None:
    client = make_client()
    assert client.upload(make_log(run_id=RUN)).status_code == 201
    here = client.get(CONTENTS).json()
    large_from(0)
    assert client.get(CONTENTS).json() == here
    assert code(make_client(**HURRIED).get(CONTENTS)) == (422, "took_too_long")


def test_a_run_is_read_no_further_once_nobody_waits_for_it(
    client: Any, make_log: MakeLog, large_from: Callable[[int], None]
) -> None:
    assert client.upload(make_log(run_id=RUN)).status_code == 201
    large_from(0)
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])
    statuses = []

    async def receive() -> Any:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": CONTENTS,
        "raw_path": CONTENTS.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:8000")],
        "client": ("127.0.0.1", 4000),
        "server": ("127.0.0.1", 8000),
    }
    asyncio.run(client.app(scope, receive, send))
    assert statuses[0] == 503


class NoTurn:
    """Whoever waits for this turn is told so."""

    async def __aenter__(self) -> None:
        raise CoalescopeError("waits", "It waits for its turn.")

    async def __aexit__(self, *_: object) -> None: ...


def long_log(make_log: MakeLog, seconds: int) -> bytes:
    rows = [(i * 10**9, i * 10**9, i * 10**6, i * 1000, i * 100) for i in range(1, seconds)]
    return make_log(rows=rows, window=(0, seconds - 2))


@pytest.mark.parametrize("seconds", [2_000, 50_000])
def test_logs_do_not_wait_for_tables(client: Any, make_log: MakeLog, seconds: int) -> None:
    log = long_log(make_log, seconds)
    assert READ_HERE_BYTES < len(log) < 2**22
    client.app.state.tables_at_once = client.app.state.large_logs_at_once = NoTurn()
    assert client.upload(log).status_code == 201
    assert code(client.upload(table(), "large.csv", experiment="lab")) == (422, "waits")


def test_large_logs_take_turns(
    client: Any, make_log: MakeLog, large_from: Callable[[int], None]
) -> None:
    large_from(READ_HERE_BYTES)
    client.app.state.large_logs_at_once = NoTurn()
    assert code(client.upload(long_log(make_log, 2_000))) == (422, "waits")
