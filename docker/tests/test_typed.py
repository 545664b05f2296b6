# SPDX-License-Identifier: Apache-2.0
"""What docs/docker.md lets somebody type, on the image that was built and ports of the tests' own.

What would stay in the foreground is detached; nothing listens beyond loopback.
"""

import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from manuals import ROOT, fence
from ssh_peer import SshPeer
from timeouts import TIMEOUT_S, wait_until

pytestmark = pytest.mark.containers

NETWORK = "coalescope-tests-typed"
_UP_WITHIN_S = 120.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def wait_for(url: str, token: str = "") -> None:
    """Until the server there answers who has the token."""
    deadline = time.monotonic() + _UP_WITHIN_S
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    while True:
        try:
            answer = httpx.get(f"{url}/api/experiments", headers=headers, timeout=TIMEOUT_S)
            assert answer.status_code == 200, answer.text
            return
        except httpx.TransportError:
            assert time.monotonic() < deadline
            time.sleep(0.5)


@pytest.fixture
def typist(engine: Any, image: str) -> Iterator[Any]:
    """The engine; what was started is gone afterwards."""
    before = set(engine.run("ps", "--quiet").split())
    engine.compose("down", "--volumes")
    yield engine
    engine.compose("down", "--volumes")
    for one in set(engine.run("ps", "--quiet").split()) - before:
        engine.run("rm", "--force", "--volumes", one)
    engine.run("volume", "rm", "--force", "coalescope-data")


def test_make_starts_the_compose_file(typist: Any) -> None:
    typed, _, same = fence("docs/docker.md", "make docker").partition("#")
    dry = subprocess.run(
        [*typed.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert dry.stdout.strip() == same.strip()
    port = free_port()
    typist.type(same, COALESCOPE_PORT=str(port))
    wait_for(f"http://127.0.0.1:{port}")


def test_on_another_port(typist: Any) -> None:
    port = free_port()
    typist.type(fence("docs/docker.md", "COALESCOPE_PORT=8080").replace("8080", str(port)))
    wait_for(f"http://127.0.0.1:{port}")


def test_without_compose(typist: Any, base_images: dict[str, str]) -> None:
    port = free_port()
    arguments = " ".join(f"--build-arg {name}={found}" for name, found in base_images.items())
    typed = fence("docs/docker.md", "docker build --tag")
    typed = typed.replace("docker build", f"docker build --network host {arguments}")
    typist.type(typed.replace("--read-only", f"--read-only --env COALESCOPE_PORT={port}"))
    wait_for(f"http://127.0.0.1:{port}")


def test_from_other_base_images(typist: Any, base_images: dict[str, str]) -> None:
    port = free_port()
    typed = fence("docs/docker.md", "docker build --build-arg PYTHON_IMAGE=…")
    for name, found in base_images.items():
        typed = typed.replace(f"{name}=…", f"{name}={found}")
    typed = typed.replace("docker build", "docker build --network host")
    typist.type(typed, COALESCOPE_PORT=str(port))
    wait_for(f"http://127.0.0.1:{port}")


def test_with_a_token(typist: Any) -> None:
    """On loopback, where a server that has a token asks for it too."""
    port = free_port()
    typed = fence("docs/docker.md", 'echo "$COALESCOPE_TOKEN"')
    said = typist.type(typed.replace("0.0.0.0", "127.0.0.1"), COALESCOPE_PORT=str(port))
    address = f"http://127.0.0.1:{port}"
    wait_for(address, said.splitlines()[0])
    assert httpx.get(f"{address}/api/experiments").status_code == 401


def test_with_a_published_port(typist: Any) -> None:
    """On a network of the tests' own: their engine has no usual one."""
    typist.run("network", "create", NETWORK)
    port = free_port()
    typed = fence("docs/docker.md", "docker run --read-only")
    typed = typed.replace("127.0.0.1:8000:", f"127.0.0.1:{port}:")
    typed = typed.replace("--read-only", f"--read-only --network {NETWORK}")
    try:
        container = typist.type(typed, COALESCOPE_TOKEN="a-token-of-the-tests").split()[-1]
        wait_for(f"http://127.0.0.1:{port}", "a-token-of-the-tests")
        typist.run("rm", "--force", container)
    finally:
        typist.run("network", "rm", NETWORK)


def test_a_tunnel(tmp_path: Path) -> None:
    """From one namespace to a server on the loopback of another."""
    serve = (sys.executable, "-m", "coalescope", "serve", "--data", str(tmp_path))
    ask = "import httpx; print(httpx.get('http://127.0.0.1:8000/api/health').status_code)"
    with SshPeer() as lab:
        here, there = (["ip", "netns", "exec", space] for space in (lab.here, lab.there))
        reach = shlex.join([*lab.ssh_options, lab.destination])
        tunnel = fence("docs/docker.md", "ssh -N").replace("SERVER", reach)

        def answered() -> bool:
            asked = [*here, sys.executable, "-c", ask]
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
            return done.stdout == "200\n"

        with (
            subprocess.Popen([*there, *serve], stdout=subprocess.DEVNULL) as server,
            subprocess.Popen([*here, "sh", "-ec", f"exec {tunnel}"]) as ssh,
        ):
            try:
                wait_until(
                    lambda: lab.inside(lab.there, "ss", "-Htln", "sport = :8000"), "no server"
                )
                wait_until(answered, "nobody answers through the tunnel")
            finally:
                ssh.terminate()
                server.terminate()
