# SPDX-License-Identifier: Apache-2.0
"""A person's first ten minutes with the wheels: no checkout, no Node, no compiler, no registry.

The packages of other projects are those that the tests run with. Only what the wheels ask for is
linked into the new environment: what they forgot to ask for is not there.
"""

import json
import os
import re
import signal
import subprocess
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from manuals import fence, typed
from packaging.requirements import Requirement
from timeouts import TIMEOUT_S

from .conftest import ROOT

pytestmark = pytest.mark.slow

MAKE, INSTALL, SERVE = fence("docs/operation.md", "make wheels").splitlines()
SERVICE = fence("docs/operation.md", "sudo systemctl enable")
EXTRAS = {
    "client": fence("docs/client.md", "pip install 'coalescope[client]'"),
    "notebook": fence("docs/client.md", "pip install 'coalescope[notebook]'"),
}
LOG = ROOT / "driver/testdata/small.runlog"
TABLE_2 = {"alpha": 0.813, "beta": 0.266, "gamma": 1.110}


class Installation:
    """A virtual environment in a folder of its own, with what wheels brought."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prefix = folder / "environment"
        self.programs = self.prefix / "bin"
        # these programs alone: nothing on the way could be compiled, or be run by Node
        self.environment = {"PATH": str(self.programs), "HOME": str(folder), "LANG": "C.UTF-8"}
        venv.create(self.prefix, symlinks=True, with_pip=True)
        (self.packages,) = self.prefix.glob("lib/python3.*/site-packages")

    def run(self, *words: object, status: int = 0) -> str:
        done = subprocess.run(
            [self.programs / str(words[0]), *map(str, words[1:])],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def type(self, text: str, **settings: str) -> str:
        """Type what a manual shows. Nothing comes from a registry."""
        quiet = {"PIP_NO_INDEX": "1", "PIP_QUIET": "1"}
        return typed(text, self.folder, {**self.environment, **quiet, **settings})

    def link_what_is_asked_for(self, wheel: Path, extra: str = "") -> None:
        """The packages of other projects that a wheel needs."""
        asking = PathDistribution(zipfile.Path(wheel, _information(wheel)))
        for package in _needed(asking, extra):
            self._link(package)

    def install(self, *wheels: Path) -> None:
        """What the wheels ask for, and the wheels."""
        for wheel in wheels:
            self.link_what_is_asked_for(wheel)
        where = ["--no-index", "--find-links", wheels[0].parent]
        self.run("pip", "install", "--quiet", *where, *wheels)

    def _link(self, package: Distribution) -> None:
        tops = {path.parts[0] for path in package.files or () if path.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            link = self.packages / top
            if not link.exists():
                link.symlink_to(Path(str(package.locate_file(top))))

    @contextmanager
    def serving(self) -> Iterator[str]:
        """The address of the server, as it says it."""
        server = subprocess.Popen(
            ["/bin/sh", "-c", f"exec {SERVE.partition('#')[0]} --port 0"],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            if not found:
                server.kill()
            assert found, server.communicate()
            yield found[0].rstrip("/")
            server.send_signal(signal.SIGTERM)
            _, complaints = server.communicate(timeout=TIMEOUT_S)
            assert complaints == ""
        finally:
            server.kill()
            server.communicate()


def _information(wheel: Path) -> str:
    return "-".join(wheel.name.split("-")[:2]) + ".dist-info/"


def _needed(package: Distribution, extra: str = "") -> Iterator[Distribution]:
    """All that it asks for, with an extra of its own, and what that asks for."""
    waiting, found = [(package, {"", extra})], dict[str, Distribution]()
    while waiting:
        asking, extras = waiting.pop()
        for line in asking.requires or ():
            asked = Requirement(line)
            wanted = [
                one for one in extras if asked.marker and asked.marker.evaluate({"extra": one})
            ]
            if asked.name in found or (asked.marker and not wanted):
                continue
            if asked.name == package.name:
                waiting.append((package, set(asked.extras)))
                continue
            found[asked.name] = distribution(asked.name)
            waiting.append((found[asked.name], {""}))
    return iter(found.values())


def _get(url: str) -> bytes:
    with urlopen(url, timeout=TIMEOUT_S) as answer:
        return bytes(answer.read())


def _post(url: str, asked: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(url, json.dumps(asked).encode(), headers), timeout=TIMEOUT_S) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of those that `make wheels` builds."""
    folder: Path = tmp_path_factory.mktemp("wheels")
    environment = {**os.environ, "MAKEFLAGS": "s", "WHEELS": str(folder)}
    subprocess.run(["sh", "-ec", MAKE], cwd=ROOT, check=True, env=environment)
    return folder


@pytest.fixture(scope="module")
def installed(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """As docs/operation.md says; pip of an environment that is there stands for pipx."""
    found = Installation(tmp_path_factory.mktemp("person"))
    (all_of_it,) = wheels.glob("coalescope-*.whl")
    found.link_what_is_asked_for(all_of_it)
    (found.folder / "dist").symlink_to(wheels)
    (found.programs / "pipx").symlink_to("pip")
    found.type(INSTALL)
    return found


def test_nothing_of_this_checkout_is_in_it(installed: Installation) -> None:
    asked = "import coalescope, coalescope_models, coalescope_host, sys; print(*sys.path)"
    looked_in = installed.run("python", "-P", "-c", asked)
    assert str(ROOT / "backend") not in looked_in
    modules = "coalescope", "coalescope_models", "coalescope_host"
    for module in modules:
        where = installed.run("python", "-P", "-c", f"import {module}; print({module}.__file__)")
        assert where.startswith(str(installed.packages))
    installed.run("pip", "check")


@pytest.mark.fault("C4")
def test_the_first_ten_minutes(installed: Installation) -> None:
    with installed.serving() as url:
        shown = json.loads(_get(f"{url}/api/experiments"))
        assert "geist-2005-nfs" in {one["slug"] for one in shown}
        scripts = re.findall(r' src="(/assets/[^"]+)"', _get(f"{url}/").decode())
        assert scripts
        page = installed.packages / "coalescope/share/page"
        models = [f"/models/{packed.name}" for packed in page.glob("models/*.zip")]
        for served in (*scripts, *models):
            assert _get(url + served) == (page / served[1:]).read_bytes()
        modules = [zipfile.ZipFile(page / packed[1:]).namelist() for packed in models]
        assert any("coalescope_models/__init__.py" in names for names in modules)
        sent = installed.run("coalescope", "upload", LOG, "--server", url)
        assert f"{url}/explorer/" in sent
        experiments = {one["slug"] for one in json.loads(_get(f"{url}/api/experiments"))}
        assert experiments > {one["slug"] for one in shown}
        asked = {"model": "cpu-overhead"}
        found = _post(f"{url}/api/experiments/geist-2005-nfs/fits", asked)["estimates"]
        assert {name: round(one["value"], 3) for name, one in found.items()} == TABLE_2
    again = json.loads(
        installed.type("coalescope fit geist-2005-nfs cpu-overhead --data ~/coalescope --json")
    )
    assert again["estimates"] == found


def test_the_host_tools_are_there_with_their_manual(installed: Installation) -> None:
    assert "OK: valid" in installed.run("coalescope-host", "check", LOG)
    pages = {page.name for page in (installed.prefix / "share/man/man1").iterdir()}
    assert {"coalescope-host.1", "coalescope-host-sweep.1"} <= pages


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_installed_beside_it(installed: Installation, wheels: Path, extra: str) -> None:
    """From the folder of the wheels, in the place of an index."""
    (all_of_it,) = wheels.glob("coalescope-*.whl")
    installed.link_what_is_asked_for(all_of_it, extra)
    installed.type(EXTRAS[extra], PIP_FIND_LINKS=str(wheels))
    module = {"client": "pyarrow, xarray", "notebook": "anywidget"}[extra]
    installed.run("python", "-c", f"import coalescope, {module}")


def test_as_a_service_it_has_an_environment_and_a_unit(wheels: Path, tmp_path: Path) -> None:
    """No systemd runs here: `make soak` boots one. The packages of others are left out."""
    scripts = {"sudo": 'exec "$@"', "systemctl": 'test "$1" = enable -a -f "$3"', "journalctl": ""}
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    own = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1"}
    typed(SERVICE.replace("/opt/coalescope", str(tmp_path / "opt")), wheels, os.environ | own)


def test_they_are_there_alone_too(wheels: Path, tmp_path: Path) -> None:
    alone = Installation(tmp_path)
    alone.install(*wheels.glob("coalescope_host-*.whl"), *wheels.glob("coalescope_models-*.whl"))
    assert "OK: valid" in alone.run("coalescope-host", "check", LOG)
    assert (alone.prefix / "share/man/man1/coalescope-host.1").is_file()
    alone.run("python", "-c", "import coalescope_models.inference")
    alone.run("python", "-c", "import coalescope", status=1)
