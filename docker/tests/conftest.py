# SPDX-License-Identifier: Apache-2.0
"""An engine for containers, base images, and the image of this checkout: all of them really made.

DOCKER_HOST names an engine that runs already; without it Debian's is started, which takes root.
PYTHON_IMAGE and NODE_IMAGE name base images that can be pulled; without them debootstrap makes one
of Debian, to which this machine's Node is added.
"""

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[2]
MIRROR = os.environ.get("DEBIAN_MIRROR")  # without it debootstrap's own
_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
_UP_WITHIN_S = 60.0


class Engine:
    """Docker, by its command line."""

    def __init__(self, host: str) -> None:
        # what the client of Debian's engine speaks
        self.environment = {**os.environ, "DOCKER_HOST": host, "DOCKER_BUILDKIT": "0"}

    def run(self, *words: object, check: bool = True, **more: Any) -> str:
        """What a command printed. With `more` goes e.g. what it reads."""
        return self._run(["docker", *map(str, words)], check=check, **more)

    def compose(self, *words: str, check: bool = True, **settings: str) -> str:
        """The same for compose on this checkout's file, in a project of the tests' own."""
        return self._run([*_compose(), *words], check=check, env={**self.environment, **settings})

    def type(self, text: str, **settings: str) -> str:
        """Type what a manual shows, in the tests' project; what it starts is detached.

        Compose takes the images that are built already: none can be built of what it names.
        """
        started = rf"{shlex.join(_compose())}\1up --detach --no-build"
        text = re.sub(r"docker compose( .*)?up(?: --build)?", started, text)
        text = text.replace("docker run", "docker run --detach")
        return self._run(["bash", "-ec", text], check=True, env={**self.environment, **settings})

    def has(self, image: str) -> bool:
        """Whether an image is there."""
        found = subprocess.run(
            ["docker", "image", "inspect", image],
            env=self.environment,
            capture_output=True,
            check=False,
        )
        return found.returncode == 0

    def _run(self, command: list[str], *, check: bool, **more: Any) -> str:
        how = {"env": self.environment, "text": True, "cwd": CHECKOUT, **more}
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **how
        )
        assert not check or done.returncode == 0, f"{command}:\n{done.stdout[-4000:]}"
        return str(done.stdout)


def _compose() -> list[str]:
    program = ["docker-compose"] if shutil.which("docker-compose") else ["docker", "compose"]
    return [*program, "--project-name", "coalescope-tests"]


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    given = os.environ.get("DOCKER_HOST")
    if given:
        yield Engine(given)
        return
    for program in ("docker", "dockerd"):
        assert shutil.which(program), f"{program} is not installed: Debian's docker.io has it"
    folder = tmp_path_factory.mktemp("engine")
    host = f"unix://{folder}/socket"
    command = ["dockerd", "--data-root", folder / "data", "--exec-root", folder / "run"]
    command += ["-H", host, "-p", folder / "pid", "--bridge=none"]
    command += ["--iptables=false", "--ip6tables=false"]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as it:
        found = Engine(host)
        deadline = time.monotonic() + _UP_WITHIN_S
        while "Server Version" not in found.run("info", check=False):
            assert it.poll() is None, (folder / "log").read_text()[-4000:]
            assert time.monotonic() < deadline
            time.sleep(0.5)
        yield found
        it.terminate()
        it.wait()
        # what the engine leaves mounted nobody could remove
        for left in (folder / "run/netns").glob("*"):
            subprocess.run(["umount", left], check=False)


@pytest.fixture(scope="session")
def base_images(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the build takes: names of images by argument."""
    found = {name: os.environ.get(name, "") for name in ("PYTHON_IMAGE", "NODE_IMAGE")}
    if not found["PYTHON_IMAGE"]:
        found["PYTHON_IMAGE"] = "coalescope-tests/python"
        if not engine.has(found["PYTHON_IMAGE"]):
            _make_debian(engine, found["PYTHON_IMAGE"], tmp_path_factory.mktemp("debian"))
    if not found["NODE_IMAGE"]:
        found["NODE_IMAGE"] = "coalescope-tests/node"
        if not engine.has(found["NODE_IMAGE"]):
            folder = tmp_path_factory.mktemp("node")
            _add_node(engine, found["NODE_IMAGE"], found["PYTHON_IMAGE"], folder)
    return found


@pytest.fixture(scope="session")
def image(engine: Engine, base_images: dict[str, str]) -> str:
    """The image that the Dockerfile makes."""
    arguments = [word for pair in base_images.items() for word in ("--build-arg", "=".join(pair))]
    engine.run("build", "--network", "host", *arguments, "--tag", "coalescope", ".")
    return "coalescope"


def _make_debian(engine: Engine, name: str, folder: Path) -> None:
    assert shutil.which("debootstrap"), "debootstrap is not installed: Debian has it"
    packages = "--include=python3,python3-venv,ca-certificates"
    command = ["debootstrap", "--variant=minbase", packages, "bookworm", str(folder / "root")]
    subprocess.run([*command, *([MIRROR] if MIRROR else [])], check=True, stdout=subprocess.DEVNULL)
    # those that this machine trusts, its own among them
    shutil.copy(_AUTHORITIES, folder / "root" / _AUTHORITIES.relative_to("/"))
    packed = ["tar", "-C", str(folder / "root"), "-c", "."]
    with subprocess.Popen(packed, stdout=subprocess.PIPE) as tar:
        engine.run("import", "-", name, stdin=tar.stdout)


def _add_node(engine: Engine, name: str, python_image: str, folder: Path) -> None:
    node, npm = shutil.which("node"), shutil.which("npm")
    assert node, "Node is not installed"
    assert npm, "npm is not installed"
    tree = folder / "node/usr"
    (tree / "bin").mkdir(parents=True)
    shutil.copy(node, tree / "bin/node")
    package = Path(npm).resolve().parents[1]
    shutil.copytree(package, tree / "lib/node_modules/npm", symlinks=True)
    (tree / "bin/npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")
    lines = [
        f"FROM {python_image}",
        "COPY node /",
        f"ENV NODE_EXTRA_CA_CERTS={_AUTHORITIES}",
    ]
    (folder / "Dockerfile").write_text("\n".join(lines))
    engine.run("build", "--tag", name, folder)
