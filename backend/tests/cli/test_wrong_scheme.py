# SPDX-License-Identifier: Apache-2.0
"""upload to https where http is spoken, and the other way round."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from https_servers import https_server, redirecting

Run = Callable[..., Any]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "lab.csv"
    path.write_text("mtu_bytes,replicate,drops\n1500,1,3\n")
    return path


def test_https_to_a_server_of_http(run: Run, serve: Callable[..., Any], table: Path) -> None:
    with serve() as (url, _):
        typed = url.replace("http:", "https:")
        done = run("upload", table, "--server", typed)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"failed  {table}: {typed} speaks http, not https: try {url}\n"


@pytest.mark.parametrize("tells", [True, False])
def test_http_to_a_server_of_https(run: Run, table: Path, tmp_path: Path, tells: bool) -> None:
    with https_server(tmp_path, tells=tells) as port:
        done = run("upload", table, "--server", f"http://127.0.0.1:{port}")
    there = f"127.0.0.1:{port}"
    assert f"http://{there} speaks https, not http: try https://{there}\n" in done.stderr
    assert done.returncode == 1


def test_a_server_that_sends_on(run: Run, table: Path) -> None:
    with redirecting("https://lab.example.org/api/uploads") as port:
        done = run("upload", table, "--server", f"http://127.0.0.1:{port}")
    assert "sends on to another address: try https://lab.example.org\n" in done.stderr
    assert done.returncode == 1
