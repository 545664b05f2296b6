# SPDX-License-Identifier: Apache-2.0
"""Five hundred connections that take their time, beside somebody who only wants an answer."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx
import pytest

pytestmark = pytest.mark.soak

# Small answers: where the asker waits shows, and what it takes to compute one does not. The first
# is kept; for the second a thread of the server reads the database.
PATHS = ["/api/experiments/geist-2005-nfs", "/api/experiments/geist-2005-nfs/runs?limit=1"]
ASKED = 1000
ROUNDS = 5
BAR = 2  # p99 beside them over p99 alone, at most
SETTLED_S = 5

SERVER = ["-m", "coalescope"]
MUTANT = [str(Path(__file__).with_name("waiting_at_each_piece.py"))]


@contextmanager
def serving(program: Sequence[str], data: Path) -> Iterator[tuple[str, int]]:
    """Its address."""
    environment = os.environ | {"COALESCOPE_DATA_DIR": str(data)}
    command = [sys.executable, *program, "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://(\S+):(\d+)", process.stdout.readline())
            assert found
            yield found[1], int(found[2])
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def dawdlers(address: tuple[str, int]) -> Iterator[None]:
    """All of them, connected and at it."""
    command = [sys.executable, str(Path(__file__).with_name("dawdling.py"))]
    with subprocess.Popen([*command, address[0], str(address[1])]) as process:
        try:
            time.sleep(SETTLED_S)
            assert process.poll() is None
            yield
        finally:
            process.terminate()


def ninety_ninth_ms(client: httpx.Client, path: str, asked: int) -> float:
    took = []
    for _ in range(asked):
        start = time.perf_counter()
        assert client.get(path).status_code == 200
        took.append(time.perf_counter() - start)
    return 1000 * sorted(took)[int(0.99 * asked)]


def how_many_times_as_long(address: tuple[str, int], path: str, rounds: int, asked: int) -> float:
    """By turns without and with them, so that what else the machine does is the same for both."""
    alone, beside = [], []
    with httpx.Client(base_url=f"http://{address[0]}:{address[1]}", timeout=60) as client:
        ninety_ninth_ms(client, path, asked)  # what is loaded once is loaded
        for _ in range(rounds):
            alone.append(ninety_ninth_ms(client, path, asked))
            with dawdlers(address):
                beside.append(ninety_ninth_ms(client, path, asked))
    ratio = median(beside) / median(alone)
    print(  # noqa: T201
        f"p99 {median(alone):.1f} ms alone, {median(beside):.1f} ms beside them: {ratio:.2f};"
        f" by turns {[(round(a, 1), round(b, 1)) for a, b in zip(alone, beside, strict=True)]}"
    )
    return ratio


@pytest.mark.parametrize("path", PATHS)
def test_others_do_not_wait_for_them(tmp_path: Path, path: str) -> None:
    with serving(SERVER, tmp_path / "data") as address:
        assert how_many_times_as_long(address, path, ROUNDS, ASKED) <= BAR


@pytest.mark.parametrize("path", PATHS)
def test_a_server_that_waits_at_each_piece_is_caught(tmp_path: Path, path: str) -> None:
    """Control: few are asked, for each waits for all whose pieces are there."""
    with serving(MUTANT, tmp_path / "data") as address:
        assert how_many_times_as_long(address, path, rounds=1, asked=ASKED // 50) > BAR
