# SPDX-License-Identifier: Apache-2.0
"""The profile `scale`: PostgreSQL, a bucket, Dask, and three web servers behind a proxy.

Debian's PostgreSQL and Caddy stand in for images that cannot be pulled everywhere, and for the
bucket this machine's versitygw, where it has none an S3 server for tests, which forgets all when it
ends: POSTGRES_IMAGE, PROXY_IMAGE and S3_IMAGE name others.
"""

import os
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from manuals import fence

pytestmark = pytest.mark.containers

STANDINS = Path(__file__).parent / "standins"
TABLE = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,0,1,990\n9000,50,1,985\n"
SURFACE = "/api/experiments/lab/surfaces/throughput_mbps"
EXPORTS, COMPOSE, UP = fence("docs/docker.md", "--profile scale").partition("docker compose")
DRAWN = ("COALESCOPE_TOKEN", "COALESCOPE_STORE_PASSWORD")
_UP_WITHIN_S = 240.0
_COUNT = """
import re, urllib.request
asked = urllib.request.Request("http://127.0.0.1:8000/metrics")
asked.add_header("Authorization", "Bearer %s")
text = urllib.request.urlopen(asked).read().decode()
print(sum(float(n) for n in re.findall(r"requests_total{.*surfaces.*} (.*)", text)))
"""
# Of the volume, the bucket, and all that is in it, what has no FS_SYNC_FL by FS_IOC_GETFLAGS.
# Beside the bucket are versitygw's locks, which are no loss: nothing else may be there.
_NOT_SYNCHRONOUS = """
import fcntl, os, pathlib
root = pathlib.Path("/srv/buckets")
bucket, locks = root / "coalescope", root / ".vgwlocks"
for path in root.rglob("*"):
    if not path.is_relative_to(bucket) and path.is_file() and path.stat().st_size:
        print("bytes beside the bucket:", path)
assert set(root.iterdir()) <= {bucket, locks}
for path in [root, bucket, *bucket.rglob("*")]:
    flags = fcntl.ioctl(os.open(path, os.O_RDONLY), 0x80086601, bytes(4))
    if not int.from_bytes(flags, "little") & 0x8:
        print(path)
"""


class Scale:
    """The services of the profile, at the proxy's port."""

    def __init__(self, engine: Any, images: dict[str, str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        self.engine = engine
        drawn = engine.type(EXPORTS + "\n".join(f"echo ${name}" for name in DRAWN)).split()
        self.token = drawn[0]
        self._settings = {
            "COALESCOPE_PORT": port,
            **dict(zip(DRAWN, drawn, strict=True)),
            **images,
        }
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=60,
        )

    def compose(self, *words: str) -> str:
        return str(self.engine.compose("--profile", "scale", *words, **self._settings))

    def come_up(self) -> None:
        try:
            self.engine.type(COMPOSE + UP, **self._settings)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.compose('logs', '--tail', '40')}") from error

    def wait(self) -> None:
        deadline = time.monotonic() + _UP_WITHIN_S
        while True:
            try:
                if self.client.get("/api/ready").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            assert time.monotonic() < deadline, self.compose("logs", "--tail", "40")
            time.sleep(1)

    def sent_again(self, address: str, body: bytes) -> httpx.Response:
        """As a sender does: the proxy may choose a server that is not up again yet."""
        deadline = time.monotonic() + _UP_WITHIN_S
        while (answer := self.client.post(address, content=body)).status_code == 502:
            assert time.monotonic() < deadline, self.compose("logs", "--tail", "40")
            time.sleep(1)
        return answer

    def containers(self, service: str) -> list[str]:
        return self.compose("ps", "--quiet", service).split()


@pytest.fixture(scope="module")
def scale(
    engine: Any, base_images: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scale]:
    arguments = {**base_images, "PACKAGES": "requirements-scale.lock"}
    words = [word for pair in arguments.items() for word in ("--build-arg", "=".join(pair))]
    engine.run("build", "--network", "host", *words, "--tag", "coalescope-scale", ".")
    images = {}
    for name, standin in (("POSTGRES", "postgres"), ("PROXY", "caddy"), ("S3", "bucket")):
        given = os.environ.get(f"{name}_IMAGE")
        images[f"{name}_IMAGE"] = given or f"coalescope-tests/{standin}"
        if not given:
            base = ("--network", "host", "--build-arg", f"BASE={base_images['PYTHON_IMAGE']}")
            folder = shutil.copytree(STANDINS, tmp_path_factory.mktemp(standin) / "files")
            if standin == "bucket" and (gateway := shutil.which("versitygw")):
                shutil.copy(gateway, folder / "versitygw")
                file = folder / "versitygw.Dockerfile"
            else:
                file = folder / f"{standin}.Dockerfile"
            engine.run("build", *base, "--file", file, "--tag", images[f"{name}_IMAGE"], folder)
    found = Scale(engine, images)
    found.compose("down", "--volumes")
    found.come_up()
    found.wait()
    yield found
    found.client.close()
    found.compose("down", "--volumes")


def test_three_servers_are_one(scale: Scale) -> None:
    """What one of them stored, all of them show."""
    sent = scale.client.post("/api/uploads?filename=lab.csv", content=TABLE)
    assert sent.status_code == 201, sent.text
    answers = [scale.client.get(SURFACE) for _ in range(60)]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert [cell["mean"] for cell in answers[0].json()["cells"]] == [900, 990, 985]
    servers = scale.containers("web")
    assert len(servers) == 3
    counted = [
        float(scale.engine.run("exec", one, "python3", "-c", _COUNT % scale.token))
        for one in servers
    ]
    assert sum(counted) == 60
    assert all(counted), "each of them answered some"
    assert httpx.get(str(scale.client.base_url) + SURFACE).status_code == 401


def test_predictions_are_computed_by_the_cluster(scale: Scale) -> None:
    over = {
        "delay_us": {"lo": 0, "hi": 500, "n": 300},
        "mtu_bytes": {"lo": 600, "hi": 9000, "n": 300},
    }
    question = {"prediction": {"model": "timer-packets-per-interrupt", "over": over}}
    asked = scale.client.post("/api/jobs", json=question)
    assert asked.status_code == 202, asked.text
    deadline = time.monotonic() + 120
    while (job := scale.client.get(f"/api/jobs/{asked.json()['id']}").json())["state"] != "done":
        assert job["state"] != "failed", job["error"]
        assert time.monotonic() < deadline
        time.sleep(1)
    assert job["prediction"]["shape"] == [300, 300]
    assert len(scale.containers("dask-worker")) == 2
    scale.engine.run("stop", *scale.containers("dask-scheduler"))
    question["prediction"]["over"]["delay_us"]["n"] = 301
    asked = scale.client.post("/api/jobs", json=question)
    while (job := scale.client.get(f"/api/jobs/{asked.json()['id']}").json())["state"] != "failed":
        assert job["state"] != "done", "control: without the cluster nobody computes it"
        assert time.monotonic() < deadline
        time.sleep(1)
    assert job["error"]["code"] == "cluster_unreachable"
    scale.compose("up", "--detach", "--no-build", "proxy", "dask-worker")


def test_what_is_stored_outlives_the_servers(scale: Scale) -> None:
    surface = scale.client.get(SURFACE).json()
    scale.engine.run("restart", *scale.containers("web"), *scale.containers("database"))
    scale.wait()
    assert scale.client.get(SURFACE).json() == surface
    again = scale.sent_again("/api/uploads?filename=lab.csv", TABLE)
    assert again.status_code == 200, "known, and its bytes are in the bucket"


def test_what_the_bucket_holds_is_on_disk_before_it_is_acknowledged(scale: Scale) -> None:
    volume = "coalescope-tests_buckets:/srv/buckets"
    program = ("--user", "root", "coalescope-scale", "python3", "-c", _NOT_SYNCHRONOUS)
    assert scale.engine.run("run", "--rm", "--volume", volume, *program).split() == ["/srv/buckets"]


def test_the_servers_are_nobody_and_write_nowhere(scale: Scale) -> None:
    for one in [*scale.containers("web"), *scale.containers("dask-worker")]:
        assert scale.engine.run("exec", one, "id", "-u").strip() == "10001"
        refused = scale.engine.run("exec", one, "touch", "/srv/coalescope/x", check=False)
        assert "Read-only file system" in refused
