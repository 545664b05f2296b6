# SPDX-License-Identifier: Apache-2.0
"""What those who run the service see: readiness, metrics, logs."""

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.settings import Settings
from coalescope.web.logs import JsonLines
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import SQLAlchemyError

MakeClient = Callable[..., Any]
TABLE = b"mtu_bytes,replicate,drops\n1500,1,3\n9000,1,4\n"


def scraped(client: Any, **more: Any) -> dict[tuple[str, ...], float]:
    answer = client.get("/metrics", **more)
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_requests_are_counted_by_their_route(client: Any) -> None:
    assert client.upload(TABLE, "lab.csv").status_code == 201
    for name in ("a", "b", "c"):
        assert client.get(f"/api/experiments/{name}").status_code == 404
    client.get("/api/nothing/of/that/name")
    client.get("/explorer/x")
    found = scraped(client)
    # labels by name: method, route, status
    assert found["coalescope_requests_total", "GET", "/api/experiments/{slug}", "404"] == 3
    assert found["coalescope_requests_total", "POST", "/api/uploads", "201"] == 1
    assert found["coalescope_requests_total", "GET", "none", "404"] == 1
    assert found["coalescope_requests_total", "GET", "page", "503"] == 1
    assert found["coalescope_request_seconds_count", "/api/experiments/{slug}"] == 3
    assert found["coalescope_upload_bytes_total",] == len(TABLE)
    assert found["coalescope_store_up",] == 1
    assert found["coalescope_store_uploads",] == 1
    assert found["coalescope_store_upload_bytes",] == len(TABLE)
    assert found["coalescope_store_runs",] == 2
    assert found["coalescope_requests_in_progress",] == 1


def test_metrics_are_not_public(make_client: MakeClient) -> None:
    client = make_client(host="0.0.0.0", token="a secret", public_read=True)
    assert client.get("/metrics").status_code == 401
    assert scraped(client, headers={"Authorization": "Bearer a secret"})


def test_ready_says_what_is_not(make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client = make_client(host="0.0.0.0", token="a secret")
    ready = client.get("/api/ready")
    fine = {"database": "ok", "migrations": "ok", "store": "ok"}
    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})

    def full() -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(client.app.state.object_store, "stage", full)
        broken = client.get("/api/ready")
        assert broken.status_code == 503
        assert broken.json()["error"]["where"] == fine | {"store": "failed"}
    with client.app.state.database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
    older = client.get("/api/ready")
    assert older.status_code == 503
    assert older.json()["error"]["where"] == fine | {"migrations": "failed"}


def test_logs_are_objects_without_secrets(
    make_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    client = make_client(host="0.0.0.0", token="a secret")
    with caplog.at_level(logging.INFO, "coalescope"):
        client.get("/api/experiments", headers={"Authorization": "Bearer guessed-one"})
        bearer = {"Authorization": "Bearer a secret"}
        client.post("/api/uploads?filename=a.csv", content=TABLE, headers=bearer)
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    (refused,) = [line for line in lines if line["message"] == "refused"]
    assert (refused["code"], refused["path"]) == ("wrong_token", "/api/experiments")
    (change,) = [line for line in lines if line["message"] == "change"]
    assert change["who"] == "COALESCOPE_TOKEN"
    assert (change["what"], change["status"]) == ("POST /api/uploads?filename=a.csv", 201)
    requests = [line for line in lines if line["message"] == "request"]
    assert [line["status"] for line in requests] == [401, 201]
    assert all({"time", "level", "logger"} <= set(line) for line in lines)
    assert not any(word in json.dumps(lines) for word in ("guessed-one", "a secret"))


def test_an_exception_stays_on_its_line() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "m", None, sys.exc_info())
    line = JsonLines().format(record)
    assert "\n" not in line
    assert "ValueError" in json.loads(line)["exception"]


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "\x1b[2J", "\x9b2J", "a\u2028b", "\ud800"])
def test_what_a_request_names_neither_ends_a_line_nor_steers_a_terminal(text: str) -> None:
    record = logging.LogRecord("x", logging.ERROR, "", 0, "at %r", (text,), None)
    record.what = text
    line = JsonLines().format(record)
    assert line.isprintable()
    assert line.isascii()
    assert json.loads(line)["what"] == text


@pytest.mark.parametrize("path", ["/api/a%0ainjected", "/explorer/a%0d%0ainjected"])
def test_a_failure_is_told_in_one_line(
    make_client: MakeClient,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    path: str,
) -> None:
    (tmp_path / "index.html").write_text("the page")
    client = make_client(page_dir=tmp_path)

    def fail(*_: object) -> None:
        raise SQLAlchemyError("it is broken")

    monkeypatch.setattr(client.app.state.database, "read", fail)
    with caplog.at_level(logging.WARNING, "coalescope"):
        client.get(path)
        client.get("/api/experiments/a%0ainjected")
    assert caplog.records
    assert all("\n" not in record.getMessage() for record in caplog.records)


def test_every_setting_is_documented() -> None:
    told = (Path(__file__).parents[3] / "docs/operation.md").read_text(encoding="utf-8")
    for name, field in Settings.model_fields.items():
        assert f"| `COALESCOPE_{name.upper()}` |" in told
        assert str(field.description) in told
