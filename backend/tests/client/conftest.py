# SPDX-License-Identifier: Apache-2.0
"""One store with published and emulated data, as a folder, behind a server and for commands."""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import coalescope as cs
import pytest
from coalescope.cli import main
from coalescope.settings import Settings
from coalescope.store import open_store
from timeouts import TIMEOUT_S

TOKEN = "a token for these tests"
PUBLISHED = ("geist-2005-nfs", "geist-2005-points")
EMULATED = "virtual-testbed"


def environment(folder: Path) -> dict[str, str]:
    own = {name: text for name, text in os.environ.items() if not name.startswith("COALESCOPE_")}
    return own | {"COALESCOPE_DATA_DIR": str(folder), "COALESCOPE_DATASETS_DIR": ""}


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server that reads the store, in a process of its own; what it says of its address."""
    command = [sys.executable, "-W", "error", "-m", "coalescope", "serve", "--port", "0"]
    server = subprocess.Popen(
        [*command, "--read-only"],
        env=environment(folder) | {"COALESCOPE_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        said = server.stdout.readline()
        found = re.search(r"http://[\w.:]+", said)
        assert found, said
        yield found[0]
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.communicate(timeout=TIMEOUT_S)
        finally:
            server.kill()


def store_of(folder: Path, datasets: Path, names: tuple[str, ...]) -> Path:
    """A store with these data sets."""
    chosen = folder / "datasets"
    for name in names:
        shutil.copytree(datasets / name, chosen / name)
    data = folder / "data"
    open_store(Settings(data_dir=data, datasets_dir=chosen)).close()
    return data


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory, datasets: Path) -> Path:
    return store_of(tmp_path_factory.mktemp("published"), datasets, PUBLISHED)


@pytest.fixture(scope="session")
def all_data(tmp_path_factory: pytest.TempPathFactory, datasets: Path) -> Path:
    return store_of(tmp_path_factory.mktemp("all"), datasets, (*PUBLISHED, EMULATED))


@pytest.fixture(scope="session")
def server(published: Path) -> Iterator[str]:
    with served(published) as address:
        yield address


@pytest.fixture(scope="session")
def server_of_all(all_data: Path) -> Iterator[str]:
    with served(all_data) as address:
        yield address


@pytest.fixture
def command(all_data: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """What a command prints with --json."""
    for name in [name for name in os.environ if name.startswith("COALESCOPE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COALESCOPE_DATA_DIR", str(all_data))

    def run(*typed: object) -> Any:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            main([str(word) for word in typed])
        return json.loads(out.getvalue())

    return run


@pytest.fixture
def everywhere(all_data: Path, server_of_all: str) -> Callable[[str], list[cs.Experiment]]:
    """The same experiment of the folder, and of the server."""

    def of(slug: str) -> list[cs.Experiment]:
        address = f"{server_of_all}/explorer/{slug}"
        return [cs.open(all_data, slug), cs.open(address, token=TOKEN)]

    return of
