# SPDX-License-Identifier: Apache-2.0
"""Schemathesis asks every operation of a real server what its description allows, and what not.

All of its checks are on; what it is told stands in schemathesis.toml.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from timeouts import TIMEOUT_S

HERE = Path(__file__).resolve().parent
TOKEN = {"Authorization": "Bearer of-the-whole-api"}
RUN = "00000000-0000-4000-8000-00000000000a"
TABLE = b"mtu_bytes,delay_us,workload,replicate,throughput_mbps\n" + b"".join(
    f"{mtu},{delay},tcp,{k},{900 + k + delay / 7 + mtu / 90}\n".encode()
    for mtu in (1500, 9000)
    for delay in (0, 40, 80)
    for k in (1, 2, 3)
)

pytestmark = pytest.mark.folder_stack


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that asks for a token, with an experiment in it."""
    folder = tmp_path_factory.mktemp("whole-api")
    (folder / "none").mkdir()
    environment = os.environ | {
        "COALESCOPE_DATA_DIR": str(folder / "data"),
        "COALESCOPE_DATASETS_DIR": str(folder / "none"),
        "COALESCOPE_PAGE_DIR": str(folder / "none"),
        "COALESCOPE_TOKEN": TOKEN["Authorization"].removeprefix("Bearer "),
    }
    command = [sys.executable, "-m", "coalescope", "serve", "--port", "0"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found
    # made when it is first asked for; Schemathesis waits ten seconds for it, busy machine or not
    httpx.get(f"{found[0]}/api/openapi.json", headers=TOKEN, timeout=TIMEOUT_S).raise_for_status()
    yield found[0]
    process.terminate()
    process.wait(TIMEOUT_S)
    process.stdout.close()


@pytest.fixture
def filled(url: str, make_log: Callable[..., bytes]) -> str:
    """The same, with an experiment in it."""
    log = make_log(run_id=RUN, factors={"mtu_bytes": 1500, "delay_us": 0, "workload": "tcp"})
    for name, slug, content in (
        ("lab.csv", "lab", TABLE),
        ("lab.runlog", "lab", log),
        ("lab.csv", "thrown-away", TABLE),
    ):
        answer = httpx.post(
            f"{url}/api/uploads",
            params={"filename": name, "experiment": slug},
            content=content,
            headers=TOKEN,
            timeout=TIMEOUT_S,
        )
        assert answer.status_code in (200, 201), answer.text
    return url


def ask(url: str, described: str | Path, folder: Path, *options: str) -> str:
    """What Schemathesis says."""
    command = [str(Path(sys.executable).with_name("schemathesis"))]
    command += ["--config-file", str(HERE / "schemathesis.toml"), "run", str(described)]
    command += ["--url", url, "--header", f"Authorization: {TOKEN['Authorization']}"]
    command += ["--suppress-health-check", "all", *options]
    hooks = {"SCHEMATHESIS_HOOKS": str(HERE / "described_shape.py")}
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=os.environ | hooks
    )
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr
    return ended.stdout


def test_every_operation_does_what_it_says(filled: str, tmp_path: Path) -> None:
    options = ["--phases", "examples,fuzzing", "--max-examples", "3", "--seed", "1"]
    said = ask(filled, f"{filled}/api/openapi.json", tmp_path, *options)
    assert "Failures:" not in said, said
    assert re.search(r"(\d\d+) generated, \1 passed", said), said


@pytest.mark.parametrize("head", [b"\x16\x03\x01 hello\r\n\r\n", b"GET /" + b"a" * 70_000])
def test_what_is_no_http_is_refused_in_the_one_shape(url: str, head: bytes) -> None:
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=TIMEOUT_S) as connection:
        connection.sendall(head)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    first, _, body = answer.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 400 ")
    assert b"nosniff" in first
    assert json.loads(body)["error"]["code"] == "not_http"


@pytest.mark.soak
def test_every_operation_does_what_it_says_for_long(filled: str, tmp_path: Path) -> None:
    seconds = os.environ.get("FUZZ_SECONDS", "900")
    options = ["--max-examples", "200", "--max-time", seconds]
    said = ask(filled, f"{filled}/api/openapi.json", tmp_path, *options)
    print(said[-1500:])  # noqa: T201
    assert "Failures:" not in said, said


def changed(url: str, change: Callable[[dict[str, Any]], object], folder: Path) -> Path:
    described = httpx.get(f"{url}/api/openapi.json", headers=TOKEN, timeout=TIMEOUT_S).json()
    change(described)
    path = folder / "openapi.json"
    path.write_text(json.dumps(described))
    return path


def _more_promised(described: dict[str, Any]) -> None:
    described["components"]["schemas"]["QuantityOut"]["required"].append("never_there")


def _more_allowed(described: dict[str, Any]) -> None:
    parameters = described["paths"]["/api/jobs"]["get"]["parameters"]
    next(each for each in parameters if each["name"] == "limit")["schema"]["maximum"] = 10**6


def _less_allowed(described: dict[str, Any]) -> None:
    parameters = described["paths"]["/api/jobs"]["get"]["parameters"]
    next(each for each in parameters if each["name"] == "limit")["schema"]["maximum"] = 3


def _closed(described: dict[str, Any]) -> None:
    described["paths"]["/api/health"]["get"]["security"] = [{"token": []}]


@pytest.mark.parametrize(
    ("operation", "change", "found"),
    [
        ("list_quantities", _more_promised, "Response violates schema"),
        ("list_jobs", _more_allowed, "described_shape_is_taken"),
        ("list_jobs", _less_allowed, "Schema-violating request accepted"),
        ("get_health", _closed, "accepts requests without authentication"),
    ],
)
def test_a_description_that_is_wrong_is_caught(
    url: str,
    operation: str,
    change: Callable[[dict[str, Any]], object],
    found: str,
    tmp_path: Path,
) -> None:
    """Control: the same checks find what the server does otherwise."""
    options = ["--include-operation-id", operation, "--phases", "examples,coverage"]
    said = ask(url, changed(url, change, tmp_path), tmp_path, *options)
    assert "Failures:" in said, said
    assert found in said, said
