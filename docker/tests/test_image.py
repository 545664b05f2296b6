# SPDX-License-Identifier: Apache-2.0
"""The image is built, and the compose file comes up and keeps what it was given."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.containers

TABLE = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,0,1,990\n9000,50,1,985\n"
SURFACE = "/api/experiments/lab/surfaces/throughput_mbps"
_UP_WITHIN_S = 120.0


class Up:
    """The service of the compose file, on a port of its own."""

    def __init__(self, engine: Any) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])
        self.engine = engine
        self.url = f"http://127.0.0.1:{self.port}"

    def compose(self, *words: str) -> str:
        return str(self.engine.compose(*words, COALESCOPE_PORT=self.port))

    def begin(self) -> None:
        self.compose("up", "--detach", "--no-build")
        self.wait()

    def wait(self) -> None:
        deadline = time.monotonic() + _UP_WITHIN_S
        while True:
            try:
                assert httpx.get(f"{self.url}/api/health").status_code == 200
                return
            except httpx.TransportError:
                assert time.monotonic() < deadline, self.compose("logs")
                time.sleep(0.5)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=60)

    def container(self) -> str:
        return self.compose("ps", "--quiet").split()[-1]

    def inside(self, *words: str, check: bool = True) -> str:
        return str(self.engine.run("exec", self.container(), *words, check=check)).strip()

    def state(self) -> Any:
        return json.loads(self.engine.run("inspect", self.container()))[0]


@pytest.fixture(scope="module")
def up(engine: Any, image: str) -> Iterator[Up]:
    found = Up(engine)
    found.compose("down", "--volumes")
    found.begin()
    yield found
    found.compose("down", "--volumes")


def test_what_is_stored_outlives_the_container(up: Up) -> None:
    assert "<title>" in up.get("/").text
    sent = httpx.post(f"{up.url}/api/uploads?filename=lab.csv", content=TABLE, timeout=60)
    assert sent.status_code == 201
    surface = up.get(SURFACE).json()
    assert [cell["mean"] for cell in surface["cells"]] == [900, 990, 985]
    assert "lab" in up.inside("coalescope", "experiments")
    before = up.container()
    up.compose("restart")
    up.wait()
    assert up.get(SURFACE).json() == surface
    up.compose("down")
    up.begin()
    assert up.container() != before
    assert up.get(SURFACE).json() == surface
    again = httpx.post(f"{up.url}/api/uploads?filename=lab.csv", content=TABLE, timeout=60)
    assert again.status_code == 200, "known"
    up.compose("down", "--volumes")
    up.begin()
    assert up.get(SURFACE).status_code == 404, "control: it was the volume that kept it"


def test_it_is_nobody_and_can_write_nowhere_else(up: Up) -> None:
    assert up.inside("id", "-u") == "10001"
    for place in ("/", "/srv/coalescope", "/srv/coalescope/.venv", "/usr", "/etc"):
        assert "Read-only file system" in up.inside("touch", f"{place}/x", check=False)
    for place in ("/tmp", "/srv/coalescope/data"):
        up.inside("touch", f"{place}/x")
    held = dict(line.split(":\t", 1) for line in up.inside("cat", "/proc/1/status").splitlines())
    assert int(held["CapEff"], 16) == int(held["CapBnd"], 16) == 0
    assert held["NoNewPrivs"] == "1"


def test_no_tools_are_left_in_it(up: Up) -> None:
    path = up.inside("sh", "-c", "command -v python3 pip pip3 gcc cc node npm || true")
    assert path.split() == ["/srv/coalescope/.venv/bin/python3"]


def test_its_health_is_watched(up: Up) -> None:
    deadline = time.monotonic() + 90
    while up.state()["State"]["Health"]["Status"] == "starting":
        assert time.monotonic() < deadline
        time.sleep(2)
    assert up.state()["State"]["Health"]["Status"] == "healthy"
    check = up.state()["Config"]["Healthcheck"]["Test"][1:]
    elsewhere = ["env", "COALESCOPE_PORT=1"]
    up.inside(*check)
    failed = up.inside(*elsewhere, *check, check=False)
    assert "refused" in failed, "control: nobody listens on that port"


def test_it_ends_in_order(up: Up) -> None:
    up.compose("stop")
    assert up.state()["State"]["ExitCode"] == 0
    up.compose("start")
    up.wait()


def test_beyond_loopback_it_wants_a_token(engine: Any, image: str) -> None:
    typed = ("run", "--rm", "--network", "host", "--read-only", "--tmpfs", "/tmp")
    said = engine.run(*typed, "--env", "COALESCOPE_HOST=0.0.0.0", image, check=False)
    assert "there is no token" in said
