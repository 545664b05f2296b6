# SPDX-License-Identifier: Apache-2.0
"""Uploads: all or nothing, known again, durable before the answer, clear when refused."""

import hashlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from coalescope.db import tables
from coalescope.storage import object_store
from coalescope.uploads import receipt as receipt_module
from coalescope.uploads import storing
from coalescope.uploads.endpoints import clean_filename

CSV = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,10,1,986.7\n1500,10,2,986.5\n"
RUN = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11"

MakeLog = Callable[..., bytes]


def stored(client: Any) -> dict[str, int]:
    """How much is kept, in rows and files."""
    names = ("experiments", "cells", "runs", "run_measures", "summaries", "uploads", "run_history")
    with client.app.state.database.read() as connection:
        counts = {
            name: connection.execute(
                sa.select(sa.func.count()).select_from(getattr(tables, name))
            ).scalar_one()
            for name in names
        }
    counts["files"] = sum(map(len, client.app.state.object_store.contents()))
    return counts


def refusal(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code >= 400, answer.text
    error: dict[str, Any] = answer.json()["error"]
    return error


def test_a_log_is_stored_with_its_measures(client: Any, make_log: MakeLog) -> None:
    content = make_log(run_id=RUN, experiment_title="The lab")
    answer = client.upload(content, "udp 1.runlog")
    assert answer.status_code == 201
    receipt = answer.json()
    digest = hashlib.sha256(content).hexdigest()
    assert receipt["outcome"] == "stored"
    assert (receipt["sha256"], receipt["bytes"]) == (digest, len(content))
    assert (receipt["content"], receipt["run_count"]) == ("run_log", 1)
    assert receipt["experiment"] == {"slug": "lab", "title": "The lab"}
    factors = {"mtu_bytes": 1500, "delay_us": 10, "workload": "udp"}
    assert receipt["runs"] == [{"id": RUN, "factors": factors, "replicate": 1, "partial": False}]
    assert receipt["warnings"] == []
    run = client.get(f"/api/runs/{RUN}").json()
    assert run["measures"]["packets_per_interrupt"]["value"] == 4
    assert run["environment"] == {"kernel": "6.1.0"}
    assert run["header"]["run"]["id"] == RUN
    log = client.get(f"/api/runs/{RUN}/log")
    assert log.content == content
    assert log.headers["content-disposition"] == f'attachment; filename="{digest}.runlog"'


def test_the_same_bytes_again_change_nothing(client: Any, make_log: MakeLog) -> None:
    content = make_log()
    first = client.upload(content, "a.runlog")
    before = stored(client)
    second = client.upload(content, "b.runlog", experiment="elsewhere")
    assert second.status_code == 200
    assert second.json() == first.json() | {"outcome": "known"}
    assert stored(client) == before


def test_other_bytes_are_another_upload(client: Any, make_log: MakeLog) -> None:
    """Negative control of the test above."""
    client.upload(make_log())
    before = stored(client)
    assert client.upload(make_log(replicate=2)).status_code == 201
    assert stored(client) != before


@pytest.mark.folder_stack
def test_a_lost_file_comes_back_with_its_upload(client: Any, make_log: MakeLog) -> None:
    content = make_log()
    digest = client.upload(content).json()["sha256"]
    path = client.app.state.object_store.path(digest, "runlog")
    path.unlink()
    assert client.upload(content).status_code == 200
    assert path.read_bytes() == content


def flip(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]


def bad_logs(make_log: MakeLog) -> dict[str, tuple[bytes, int, str]]:
    good = make_log(experiment="bad")
    return {
        "bit flipped in a block": (flip(good, len(good) - 200), 422, "block_crc"),
        "bit flipped in the header": (flip(good, 200), 422, "header_crc"),
        "bit flipped in the magic": (flip(good, 6), 422, ""),
        "a newer version": (make_log(version=(2, 0)), 422, ""),
        "cut off in the header": (good[:100], 422, ""),
        "no experiment": (make_log(experiment=None), 422, "no_experiment"),
        "two logs joined": (good + make_log(), 422, ""),
        "empty": (b"", 422, "empty_file"),
        "unknown factor": (make_log(factors={"mtuu_bytes": 1500}), 422, "unknown_factor"),
        "impossible level": (make_log(factors={"mtu_bytes": -1}), 422, "out_of_domain"),
        "text for a number": (make_log(factors={"mtu_bytes": "big"}), 422, "wrong_type"),
        "empty level": (make_log(factors={"workload": ""}), 422, "bad_text"),
        "long level": (make_log(factors={"workload": "x" * 201}), 422, "bad_text"),
        "enormous level": (make_log(factors={"factor.x": 1e308}), 422, "not_finite"),
        "enormous replicate": (make_log(replicate=2**62), 422, "bad_replicate"),
        "one record": (make_log(rows=[(1, 1, 1, 1, 1)], window=(None, None)), 422, "empty_window"),
        "window of one record": (make_log(window=(4, 4)), 422, "empty_window"),
    }


BAD_LOGS = [
    "bit flipped in a block",
    "bit flipped in the header",
    "bit flipped in the magic",
    "a newer version",
    "cut off in the header",
    "no experiment",
    "two logs joined",
    "empty",
    "unknown factor",
    "impossible level",
    "text for a number",
    "empty level",
    "long level",
    "enormous level",
    "enormous replicate",
    "one record",
    "window of one record",
]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (CSV, "6d 74 75 5f 62 79 74 65 (mtu_byte)"),
        (b"\x1f\x8b\x08\x00packed", "1f 8b 08 00"),
        (bytes(100), "00 00 00 00"),
    ],
)
@pytest.mark.parametrize("name", ["x.runlog", "X.RUNLOG"])
def test_what_is_named_as_a_run_log_and_is_none_is_told_so(
    client: Any, content: bytes, found: str, name: str
) -> None:
    answer = client.upload(content, name, experiment="lab")
    error = refusal(answer)
    assert (answer.status_code, error["code"]) == (422, "not_a_run_log")
    assert error["message"].startswith(f"The file is not a run log: it begins with {found}")
    assert error["where"]["offset"] == 0
    assert "89 43 4f 41 4c" in error["advice"]
    assert "table" not in error["message"] + error["advice"]


@pytest.mark.parametrize("name", BAD_LOGS)
def test_a_refused_file_leaves_nothing(client: Any, make_log: MakeLog, name: str) -> None:
    content, status, code = bad_logs(make_log)[name]
    before = stored(client)
    answer = client.upload(content, "x.runlog")
    error = refusal(answer)
    assert answer.status_code == status
    assert error["message"]
    assert error["advice"]
    if code:
        assert error["code"] == code
    assert stored(client) == before
    # the others go in: the negative control
    assert client.upload(make_log(), "good.runlog").status_code == 201


def test_damage_is_told_with_its_place(client: Any, make_log: MakeLog) -> None:
    good = make_log()
    error = refusal(client.upload(flip(good, len(good) - 200)))
    assert isinstance(error["where"]["offset"], int)
    assert isinstance(error["where"]["block"], int)
    assert error["where"]["stored"] != error["where"]["computed"]


def test_a_log_cut_off_is_kept_as_partial(client: Any, make_log: MakeLog) -> None:
    receipt = client.upload(make_log(finish=False, window=(2, None))).json()
    assert receipt["outcome"] == "stored"
    assert receipt["runs"][0]["partial"]
    codes = {warning["code"] for warning in receipt["warnings"]}
    assert "window_not_marked" in codes
    assert len(codes) == 2
    cell = client.get("/api/experiments/lab/cells").json()["cells"][0]
    assert (cell["runs"], cell["partial_runs"]) == (1, 1)


def test_one_run_has_one_log(client: Any, make_log: MakeLog) -> None:
    client.upload(make_log(run_id=RUN))
    before = stored(client)
    answer = client.upload(make_log(run_id=RUN, replicate=5))
    assert answer.status_code == 409
    assert refusal(answer)["code"] == "run_exists"
    assert RUN in refusal(answer)["message"]
    assert stored(client) == before


def test_kinds_never_mix(client: Any, make_log: MakeLog) -> None:
    client.upload(make_log())
    before = stored(client)
    answer = client.upload(make_log(kind="emulated", replicate=2))
    assert (answer.status_code, refusal(answer)["code"]) == (409, "kinds_never_mix")
    answer = client.upload(make_log(replicate=2), kind="emulated", experiment="other")
    assert (answer.status_code, refusal(answer)["code"]) == (422, "kinds_never_mix")
    assert stored(client) == before
    elsewhere = client.upload(make_log(kind="emulated", replicate=2), experiment="other")
    assert elsewhere.json()["experiment"]["slug"] == "other"
    assert client.get("/api/experiments/other").json()["kind"] == "emulated"


def test_recordings_without_a_number_are_numbered(client: Any, make_log: MakeLog) -> None:
    numbers = [
        client.upload(make_log(replicate=given)).json()["runs"][0]["replicate"]
        for given in (None, 7, None)
    ]
    assert numbers == [1, 7, 8]


def test_a_number_used_twice_is_a_warning(client: Any, make_log: MakeLog) -> None:
    client.upload(make_log())
    receipt = client.upload(make_log()).json()
    assert [warning["code"] for warning in receipt["warnings"]] == ["replicate_repeated"]
    cells = client.get("/api/experiments/lab/cells").json()["cells"]
    assert [cell["runs"] for cell in cells] == [2]


def test_titles_are_one_line_of_text(client: Any, make_log: MakeLog) -> None:
    client.upload(make_log(experiment_title="x" * 4000))
    assert client.get("/api/experiments/lab").json()["title"] == "x" * 200
    client.upload(make_log(), experiment="other", title=" a b ")
    assert client.get("/api/experiments/other").json()["title"] == "a b"
    refused = client.upload(make_log(), experiment="third", title=" a\x00b\nc ")
    assert refusal(refused)["code"] == "control_characters"


def test_the_level_read_back_counts(client: Any, make_log: MakeLog) -> None:
    factors = {
        "mtu_bytes": 1500,
        "delay_us": {"requested": 50, "read_back": 64, "effective": 61.5},
        "workload": {"requested": "udp", "read_back": None},
    }
    receipt = client.upload(make_log(run_id=RUN, factors=factors)).json()
    assert receipt["runs"][0]["factors"] == {"mtu_bytes": 1500, "delay_us": 64, "workload": "udp"}
    assert [warning["code"] for warning in receipt["warnings"]] == ["not_as_requested"]
    run = client.get(f"/api/runs/{RUN}").json()
    assert run["requested"] == {"mtu_bytes": 1500, "delay_us": 50, "workload": "udp"}
    assert run["measures"]["effective_delay_us"]["value"] == 61.5


# --- tables


def test_a_table_is_stored_whole(client: Any) -> None:
    answer = client.upload(CSV, "My résumé, 2026.csv", citation="Someone 2026")
    receipt = answer.json()
    assert answer.status_code == 201
    assert (receipt["content"], receipt["run_count"]) == ("csv", 2)
    assert receipt["experiment"] == {"slug": "my-r-sum-2026", "title": "My résumé, 2026"}
    described = client.get("/api/experiments/my-r-sum-2026").json()
    assert (described["kind"], described["citation"]) == ("measured", "Someone 2026")
    assert described["replicates_label"] == "2 each"
    assert client.upload(CSV, "again.csv").json()["outcome"] == "known"
    run = receipt["runs"][0]["id"]
    assert client.get(f"/api/runs/{run}/log").content == CSV


def test_counts_of_a_run_give_its_ratios(client: Any) -> None:
    table = b"mtu_bytes,replicate,rx_packets,rx_interrupts\n1500,1,10,4\n1500,2,10,0\n"
    client.upload(table, "t.csv")
    measures = client.get("/api/experiments/t/cells").json()["cells"][0]["measures"]
    assert measures["packets_per_interrupt"] == {"n": 1, "mean": 2.5, "sd": None, "ci95": None}


def test_means_of_cells_give_no_ratios(client: Any) -> None:
    table = b"mtu_bytes,n,rx_packets,rx_packets_sd,rx_interrupts\n1500,5,10,2,4\n"
    client.upload(table, "t.csv", kind="published")
    measures = client.get("/api/experiments/t/cells").json()["cells"][0]["measures"]
    assert set(measures) == {"rx_packets", "rx_interrupts"}
    assert measures["rx_interrupts"] == {"n": 5, "mean": 4, "sd": None, "ci95": None}
    low, high = measures["rx_packets"].pop("ci95")
    assert measures["rx_packets"] == {"n": 5, "mean": 10, "sd": 2}
    assert (low, high) == pytest.approx((10 - 2.776445 * 2 / 5**0.5, 10 + 2.776445 * 2 / 5**0.5))


def test_a_bad_table_is_refused_whole(client: Any) -> None:
    before = stored(client)
    error = refusal(client.upload(CSV.replace(b"986.5", b"fast"), "t.csv"))
    assert error["code"] == "not_a_number"
    assert error["where"] == {"row": 3, "column": "throughput_mbps", "value": "fast"}
    assert stored(client) == before
    assert client.upload(CSV, "t.csv").status_code == 201


def test_rows_that_are_stored_are_not_stored_twice(client: Any) -> None:
    client.upload(CSV, "t.csv")
    before = stored(client)
    answer = client.upload(CSV + b"9000,10,1,990\n", "t.csv")
    assert answer.status_code == 409
    error = refusal(answer)
    assert [problem["where"]["row"] for problem in error["problems"]] == [2, 3]
    assert error["code"] == "replicate_exists"
    assert stored(client) == before
    more = CSV.splitlines(keepends=True)[0] + b"1500,10,3,986\n"
    assert client.upload(more, "t.csv").status_code == 201


def test_a_cell_has_one_mean(client: Any) -> None:
    table = b"mtu_bytes,n,drops\n1500,5,10\n"
    client.upload(table, "t.csv")
    answer = client.upload(table.replace(b"10", b"11"), "t.csv")
    assert (answer.status_code, refusal(answer)["code"]) == (409, "cell_exists")


def test_a_large_table_is_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coalescope.uploads.tidy_csv.TABLE_BYTES", len(CSV) - 1)
    answer = client.upload(CSV)
    assert (answer.status_code, refusal(answer)["code"]) == (413, "too_large")
    monkeypatch.setattr("coalescope.uploads.tidy_csv.TABLE_BYTES", len(CSV))
    assert client.upload(CSV).status_code == 201


@pytest.mark.parametrize("slug", ["Lab", "a--b", "-a", "a b", "../x", "a" * 80 + "b"])
def test_an_experiment_needs_a_proper_name(client: Any, slug: str) -> None:
    before = stored(client)
    assert refusal(client.upload(CSV, "t.csv", experiment=slug))["code"] in (
        "bad_slug",
        "invalid_request",
    )
    assert stored(client) == before


def test_file_names_are_only_names() -> None:
    assert clean_filename("../../etc/passwd") == "passwd"
    assert clean_filename("C:\\logs\\a.runlog") == "a.runlog"
    assert clean_filename("/") == "unnamed"
    assert len(clean_filename("x" * 999)) == 255


# --- size


def chunks(content: bytes, size: int, sent: list[int]) -> Iterator[bytes]:
    for start in range(0, len(content), size):
        sent.append(start)
        yield content[start : start + size]


class _Stream(httpx.AsyncByteStream):
    def __init__(self, content: bytes, size: int) -> None:
        self.sent: list[int] = []
        self._chunks = chunks(content, size, self.sent)

    async def __aiter__(self) -> Any:
        for chunk in self._chunks:
            yield chunk


@pytest.mark.parametrize("declared", [True, False])
def test_too_much_is_refused_before_it_is_stored(
    make_client: Any, make_log: MakeLog, declared: bool
) -> None:
    content = make_log()
    client = make_client(max_upload_bytes=len(content) - 1)
    body = content if declared else _Stream(content, 64)
    answer = client.upload(body)
    assert answer.status_code == 413
    assert refusal(answer)["where"] == {"limit": len(content) - 1}
    assert "COALESCOPE_MAX_UPLOAD_BYTES" in refusal(answer)["advice"]
    assert stored(client)["files"] == 0


def test_what_just_fits_is_stored(make_client: Any, make_log: MakeLog) -> None:
    """Negative control."""
    content = make_log()
    client = make_client(max_upload_bytes=len(content))
    assert client.upload(_Stream(content, 64)).status_code == 201


# --- concurrency


def upload_at_once(client: Any, contents: list[bytes]) -> list[httpx.Response]:
    answers: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda c=content: answers.append(client.upload(c)))
        for content in contents
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_the_same_bytes_at_once_are_one_upload(client: Any, make_log: MakeLog) -> None:
    content = make_log()
    answers = upload_at_once(client, [content] * 8)
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.json()["runs"][0]["id"] for answer in answers}) == 1
    counts = stored(client)
    assert (counts["uploads"], counts["runs"], counts["files"]) == (1, 1, 1)


def test_different_logs_at_once_all_count(client: Any, make_log: MakeLog) -> None:
    answers = upload_at_once(client, [make_log(replicate=i) for i in range(12)])
    assert [answer.status_code for answer in answers] == [201] * 12
    cell = client.get("/api/experiments/lab/cells").json()["cells"][0]
    assert cell["runs"] == 12
    assert cell["measures"]["rx_bytes"]["n"] == 12
    assert client.get("/api/experiments/lab").json()["data_version"] == 12


# --- durability: the order of events


class Events:
    """What happened to disk and database, in order."""

    def __init__(self, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[str] = []
        for name in ("sync_file", "sync_directory"):
            self._spy(monkeypatch, name)
        engine = client.app.state.database.engine
        sa.event.listen(engine, "commit", self._commit)

    def _spy(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        real = getattr(object_store, name)

        def spy(argument: Any) -> None:
            self.seen.append(name)
            real(argument)

        monkeypatch.setattr(object_store, name, spy)

    def _commit(self, connection: sa.Connection) -> None:
        if connection.get_execution_options().get("coalescope_writes"):
            self.seen.append("commit")


def check_order(seen: list[str]) -> None:
    """File, then directory, then rows; the answer came after all of them."""
    assert "commit" in seen
    commit = seen.index("commit")
    assert "sync_file" in seen[:commit]
    assert "sync_directory" in seen[seen.index("sync_file") : commit]


@pytest.mark.folder_stack
def test_the_log_is_durable_before_its_rows(
    client: Any, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = Events(client, monkeypatch)
    assert client.upload(make_log()).status_code == 201
    check_order(events.seen)


@pytest.mark.folder_stack
def test_rows_before_the_log_would_be_caught(
    client: Any, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: a store that puts the file in place without waiting."""
    events = Events(client, monkeypatch)

    store = client.app.state.object_store

    def rename_only(staged: list[Any], suffix: str) -> None:
        for one in staged:
            target = store.target(one.sha256, suffix)
            target.parent.mkdir(parents=True, exist_ok=True)
            one.path.rename(target)

    monkeypatch.setattr(store, "commit_all", rename_only)
    assert client.upload(make_log()).status_code == 201
    with pytest.raises(AssertionError):
        check_order(events.seen)


def lines_for_the_operator(caplog: pytest.LogCaptureFixture) -> str:
    """What one failure has written to the server's log, tracebacks and all."""
    return "\n".join(
        line
        for record in caplog.records
        if record.name == "coalescope"
        for line in logging.Formatter().format(record).splitlines()
    )


@pytest.mark.folder_stack
def test_a_disk_that_fails_acknowledges_nothing(
    client: Any,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: Any) -> None:
        raise OSError(28, "No space left on device")

    before = stored(client)
    content = make_log()
    with monkeypatch.context() as patch:
        patch.setattr(object_store, "sync_file", fail)
        answer = client.upload(content)
    assert (answer.status_code, refusal(answer)["code"]) == (507, "storage_full")
    said = lines_for_the_operator(caplog)
    assert "storage_full at POST '/api/uploads': [Errno 28] No space left on device" in said
    assert f"({client.app.state.settings.data_dir.resolve()}: " in said
    assert "bytes are free)" in said
    assert len(said.splitlines()) == 1
    assert stored(client) == before
    assert client.upload(content).status_code == 201


def test_a_commit_that_fails_acknowledges_nothing(client: Any, make_log: MakeLog) -> None:
    def fail(connection: sa.Connection) -> None:
        if connection.get_execution_options().get("coalescope_writes"):
            raise OSError(28, "No space left on device")

    content = make_log()
    engine = client.app.state.database.engine
    sa.event.listen(engine, "commit", fail)
    assert client.upload(content).status_code >= 500
    sa.event.remove(engine, "commit", fail)
    assert stored(client)["runs"] == 0
    assert client.upload(content).status_code == 201
    assert client.upload(content).status_code == 200


@pytest.mark.parametrize(
    ("reason", "status", "code"),
    [
        ("database is locked", 503, "busy"),
        ("database or disk is full", 507, "storage_full"),
        ("attempt to write a readonly database", 503, "not_writable"),
        ("near SELECT: syntax error", 500, "internal"),
    ],
)
def test_a_database_that_fails_says_why(
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    reason: str,
    status: int,
    code: str,
) -> None:
    def fail(*_: Any) -> None:
        raise sa.exc.OperationalError("INSERT", {}, Exception(reason))

    monkeypatch.setattr(storing, "check_source", fail)
    answer = client.upload(CSV)
    assert (answer.status_code, refusal(answer)["code"]) == (status, code)
    said = lines_for_the_operator(caplog)
    assert reason in said
    known = code != "internal"
    assert len(said.splitlines()) == 1 if known else "Traceback" in said
    assert stored(client)["files"] == 0


def test_receipts_are_listed_newest_first(client: Any, make_log: MakeLog) -> None:
    client.upload(make_log(), "one.runlog")
    client.upload(CSV, "two.csv")
    listed = client.get("/api/uploads", params={"limit": 10}).json()
    assert [receipt["filename"] for receipt in listed] == ["two.csv", "one.runlog"]
    assert len(client.get("/api/uploads", params={"limit": 1}).json()) == 1


@pytest.mark.fault("C14")
def test_receipts_come_in_pages(client: Any, make_log: MakeLog) -> None:
    client.upload(make_log(), "one.runlog")
    client.upload(CSV, "two.csv")
    first = client.get("/api/uploads", params={"limit": 1})
    second = client.get("/api/uploads", params={"limit": 1, "offset": 1})
    assert first.links["next"]["url"] == "?limit=1&offset=1"
    assert "next" not in second.links
    listed = [*first.json(), *second.json()]
    assert [receipt["filename"] for receipt in listed] == ["two.csv", "one.runlog"]


def test_only_the_first_runs_are_shown(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (receipt_module, storing):
        monkeypatch.setattr(module, "RUNS_SHOWN", 1)
    receipt = client.upload(CSV).json()
    assert (len(receipt["runs"]), receipt["run_count"]) == (1, 2)


def test_samples_of_one_run_are_doubted_as_replicates(client: Any) -> None:
    def codes(moments: list[str]) -> list[str]:
        rows = [f"1500,{k},{m},{k}" for k, m in enumerate(moments, start=1)]
        table = "\n".join(["mtu_bytes,replicate,recorded_at,drops", *rows])
        name = f"{len(moments)}-{moments[-1][8:10]}.csv"
        warnings = client.upload(table.encode(), name).json()["warnings"]
        return [warning["code"] for warning in warnings]

    assert codes(["2026-01-31T12:00:00Z"] * 3) == ["same_moment"] * 2
    assert codes(["2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z"]) == []
    assert codes(["2026-01-30T00:00:00Z"] * 2) == []
