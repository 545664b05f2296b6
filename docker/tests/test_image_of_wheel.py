# SPDX-License-Identifier: Apache-2.0
"""The image that the Dockerfile makes of the wheel that `make wheels` builds, and what it serves.

The wheel takes the place of the stage `wheel`, so neither Node nor the page is asked for. buildah
needs no engine. The base image is Debian's Python, which is made once and kept in build/image. What
runs does so as the compose file has it: read-only, without capabilities, on the host's network.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from manuals import fence
from timeouts import TIMEOUT_S, wait_until

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build/image"
DEBIAN, PYTHON = "bookworm", "3.11"
# what the official image of Python has too, and the Dockerfile or a wheel uses
PACKAGES = "python3-venv,passwd,libstdc++6"
BASE = ("mmdebstrap", "--quiet", "--variant=essential", f"--include={PACKAGES}", DEBIAN)
MAKE_WHEELS, DOCKER, _ = fence("docs/docker.md", "make wheels").splitlines()
BUILDAH = fence("docs/docker.md", "buildah bud")
FROM_HERE = "[global]\nno-index = true\nfind-links = /packages\n"
DATA = "srv/coalescope/data"
# $0 is the image's root, $1 a volume
ENTER = f"""
mount --bind "$0" "$0"; cd "$0"
mount --bind "$1" {DATA}; mount -t proc proc proc; mount -t tmpfs tmpfs tmp; mount --rbind /dev dev
mount -o remount,bind,ro .; shift
exec chroot . "$@"
"""
POWERLESS = ("--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all")
TABLE = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,0,1,990\n9000,50,1,985\n"
SURFACE = "/api/experiments/lab/surfaces/throughput_mbps"
NOT_IN_IT = {"gcc", "cc", "g++", "c++", "clang", "make", "node", "npm", "pip", "pip3", "git"}


def not_allowed() -> str | None:
    """Why nothing can be built here, if so."""
    if os.geteuid() != 0:
        return "building an image needs root"
    mounts = ["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    done = subprocess.run(mounts, capture_output=True, text=True, check=False)
    return f"building an image mounts file systems: {done.stderr.strip()}" if done.stderr else None


class Builder:
    """buildah, in a mount namespace with which all that it mounted goes."""

    def __init__(self, space: int) -> None:
        self.inside = ["nsenter", "--mount", "--target", str(space)]
        self.buildah = [*self.inside, "buildah", f"--root={KEPT}/store", f"--runroot={KEPT}/run"]

    def run(self, *words: str, check: bool = True) -> str:
        """What buildah printed."""
        done = subprocess.run([*self.buildah, *words], capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout.strip()

    def forget(self) -> None:
        """Remove what was built, and what a build that was cut off left."""
        self.run("rm", "--all")
        self.run("rmi", "coalescope", check=False)
        self.run("rmi", "--prune")

    def base(self) -> str:
        """The name of the base image, which is made if there is none."""
        name = f"localhost/python:{hashlib.sha256(' '.join(BASE).encode()).hexdigest()[:12]}"
        if name not in self.run("images", "--format", "{{.Name}}:{{.Tag}}").split():
            made = self.run("from", "scratch")
            folder = self.run("mount", made)
            mirror = [one] if (one := debian_mirror()) else []
            subprocess.run([*self.inside, *BASE, folder, *mirror], check=True)
            self.run("commit", "--quiet", "--rm", made, name)
        return name

    def build(self, folder: Path) -> None:
        """Build the image `coalescope`; wheels go into the folder."""
        subprocess.run(
            ["sh", "-ec", MAKE_WHEELS],
            cwd=ROOT,
            env={**os.environ, "MAKEFLAGS": "s", "WHEELS": f"{folder}/wheels"},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        pip += ["--only-binary=:all:", f"--python-version={PYTHON}", "--dest", f"{folder}/packages"]
        subprocess.run([*pip, "-r", ROOT / "requirements.lock"], check=True)
        (folder / "pip.conf").write_text(FROM_HERE)
        buildah, bud, *typed = BUILDAH.replace("wheel=dist", f"wheel={folder}/wheels").split()
        assert (buildah, typed.pop()) == ("buildah", ".")
        options = [f"--build-arg=PYTHON_IMAGE={self.base()}"]
        options += [f"--volume={folder}/packages:/packages:ro"]
        options += [f"--volume={folder}/pip.conf:/etc/pip.conf:ro"]
        self.run(bud, *typed, *options, str(ROOT))


def debian_mirror() -> str | None:
    """That of this machine's apt, if it has that release."""
    asked = ["apt-get", "indextargets", "--format", "$(CODENAME) $(SITE)", "Created-By: Packages"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.splitlines()
    found = (line.split()[1] for line in told if line.startswith(f"{DEBIAN} "))
    return os.environ.get("DEBIAN_MIRROR") or next(found, None)


class Image:
    """What was built, and a volume that begins as the image has it."""

    def __init__(self, builder: Builder, volume: Path) -> None:
        self.config: dict[str, Any] = json.loads(
            builder.run("inspect", "--type", "image", "coalescope")
        )["Docker"]["config"]
        self.root = Path(builder.run("mount", builder.run("from", "coalescope")))
        self.volume = volume
        self.inside = builder.inside
        subprocess.run([*self.inside, "cp", "-a", self.root / DATA, volume], check=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def command(self, *words: str, **settings: str) -> list[str]:
        """What runs `words` in the image as its user."""
        named = {"COALESCOPE_PORT": str(self.port), **settings}
        variables = [*self.config["Env"], *("=".join(pair) for pair in named.items())]
        user = self.config["User"]
        spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-ec", ENTER]
        becomes = ["setpriv", f"--reuid={user}", f"--regid={user}", *POWERLESS]
        where = ["env", "-i", "-C", self.config["WorkingDir"], *variables]
        return [*self.inside, *spaces, f"{self.root}", f"{self.volume}", *becomes, *where, *words]

    def run(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words, **settings),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )

    @contextmanager
    def serving(self) -> Iterator[int]:
        """The image's own command; gives the server's process, which ends in order."""
        with subprocess.Popen(self.command(*self.config["Cmd"])) as outer:
            try:
                wait_until(lambda: outer.poll() is not None or self.answers(), "no answer")
                assert outer.poll() is None, "it ended"
                (server,) = (int(one) for one in children(outer.pid))
                yield server
                os.kill(server, signal.SIGTERM)
                assert outer.wait(TIMEOUT_S) == 0
            finally:
                if outer.poll() is None:  # the first process of its namespace takes all with it
                    for one in children(outer.pid):
                        os.kill(int(one), signal.SIGKILL)

    def answers(self) -> bool:
        try:
            return self.get("/api/health").status_code == 200
        except httpx.TransportError:
            return False

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=TIMEOUT_S)


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    if reason := not_allowed():
        pytest.skip(reason)
    for program in ("buildah", "mmdebstrap"):
        assert shutil.which(program), f"{program} is missing: sh e2e/require-tools.sh installs it"
    folder = tmp_path_factory.mktemp("image")
    with subprocess.Popen(["unshare", "--mount", "sleep", "infinity"]) as space:
        wait_until(lambda: Path(f"/proc/{space.pid}/comm").read_text() == "sleep\n", "no namespace")
        builder = Builder(space.pid)
        try:
            builder.forget()
            builder.build(folder)
            yield Image(builder, folder / "volume")
        finally:
            builder.forget()
            space.kill()


def test_an_engine_is_told_the_same_as_buildah() -> None:
    """Debian's has no BuildKit, which it needs for that; then `docker compose up` has its image."""
    own = {"--isolation", "chroot", "--format", "docker"}
    assert DOCKER.split()[2:] == [word for word in BUILDAH.split()[2:] if word not in own]


def test_it_serves_page_and_api_as_nobody_and_what_is_stored_outlives_it(image: Image) -> None:
    with image.serving() as server:
        status = dict(
            line.split(":\t", 1) for line in Path(f"/proc/{server}/status").read_text().splitlines()
        )
        assert status["Uid"].split() == ["10001"] * 4
        assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
        scripts = re.findall(r' src="(/assets/[^"]+)"', image.get("/").text)
        assert scripts
        for script in scripts:
            assert image.get(script).content == (ROOT / f"frontend/dist{script}").read_bytes()
        sent = httpx.post(f"{image.url}/api/uploads?filename=lab.csv", content=TABLE, timeout=60)
        assert sent.status_code == 201
        surface = image.get(SURFACE).json()
        assert [cell["mean"] for cell in surface["cells"]] == [900, 990, 985]
        assert "lab" in image.run("coalescope", "experiments").stdout
        assert image.run(*image.config["Healthcheck"]["Test"][1:]).returncode == 0
    failed = image.run(*image.config["Healthcheck"]["Test"][1:])
    assert failed.returncode != 0
    assert "refused" in failed.stderr, "control: nobody listens"
    with image.serving():
        assert image.get(SURFACE).json() == surface


def test_it_can_write_nowhere_but_in_its_volume(image: Image) -> None:
    assert image.config["Volumes"] == {f"/{DATA}": {}}
    assert f"COALESCOPE_DATA_DIR=/{DATA}" in image.config["Env"]
    for place in ("/", "/srv/coalescope", "/srv/coalescope/.venv", "/usr", "/etc"):
        assert "Read-only file system" in image.run("touch", f"{place}/x").stderr
    for place in ("/tmp", f"/{DATA}"):
        assert image.run("touch", f"{place}/x").returncode == 0


def test_it_has_the_wheel_and_nothing_that_builds_or_installs(image: Image) -> None:
    found = image.run("sh", "-c", "for at in $(echo $PATH | tr : ' '); do ls $at; done")
    programs = set(found.stdout.split())
    assert {"python3", "coalescope", "ls"} <= programs
    assert not programs & NOT_IN_IT
    left = image.run("ls", "-A", "/srv/coalescope").stdout.split()
    assert sorted(left) == [".venv", "data"]
    where = image.run("python3", "-c", "import coalescope; print(coalescope.__file__)").stdout
    package = f"/srv/coalescope/.venv/lib/python{PYTHON}/site-packages/coalescope"
    assert where.strip() == f"{package}/__init__.py"


def test_beyond_loopback_it_wants_a_token(image: Image) -> None:
    refused = image.run(*image.config["Cmd"], COALESCOPE_HOST="0.0.0.0")
    assert refused.returncode != 0
    assert "there is no token" in refused.stderr
