# SPDX-License-Identifier: Apache-2.0
"""The Dockerfile's steps that install this project, run as they stand there, in a folder.

What comes before them stands in: the locked packages are those that the tests run with, the page is
a few files. test_image_of_wheel.py builds the image itself, `make test-docker` with its page.
"""

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
IN_IMAGE = "/srv/coalescope"
OWN = re.compile(r"_*(?:editable___?)?coalescope|pip\b", re.IGNORECASE)


class Stage(NamedTuple):
    """The instructions of a stage, each with its words."""

    base: str
    steps: list[tuple[str, str]]


def stages() -> dict[str, Stage]:
    """By name; the last one, which has none, as ''."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    found = dict[str, Stage]()
    for line in text.replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found[name] = Stage(base, [])
        elif found and word:
            list(found.values())[-1].steps.append((word, rest.strip()))
    return found


class Build:
    """Stands for the image while a stage is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.page = folder.parent / "page"
        self.wheels = folder.parent / "wheels"

    def lock(self) -> None:
        """What the stage before leaves: an environment with the packages, without this project."""
        venv.create(self.folder / ".venv", symlinks=True, with_pip=True)
        (packages,) = self.folder.glob(".venv/lib/python3.*/site-packages")
        for there in Path(sysconfig.get_path("purelib")).iterdir():
            if not OWN.match(there.name) and not (packages / there.name).exists():
                (packages / there.name).symlink_to(there)

    def build_page(self) -> None:
        (self.page / "assets").mkdir(parents=True)
        (self.page / "index.html").write_text("<title>the page</title>")
        (self.page / "notebook.js").write_text("1")

    def copy(self, words: str) -> None:
        *options, source, target = words.split()
        if options == ["--from=page"]:
            assert source == f"{IN_IMAGE}/frontend/dist"
            if self.page.is_dir():
                shutil.copytree(self.page, self.folder / target)
            return
        if options:
            assert options == ["--from=wheel"]
            (self.folder / target).mkdir()
            for wheel in self.wheels.glob(source):
                shutil.copy(wheel, self.folder / target)
            return
        ignored = shutil.ignore_patterns("tests", "__pycache__", "node_modules", "dist", ".*")
        shutil.copytree(ROOT / source, self.folder / target, ignore=ignored)

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )

    def make(self, stage: str) -> list[subprocess.CompletedProcess[str]]:
        """What each command of the stage said. Each stage begins with the packages alone."""
        assert stages()[stage].base == "python-packages"
        self.folder.mkdir()
        self.lock()
        said = []
        for word, rest in stages()[stage].steps:
            if word == "COPY":
                self.copy(rest)
            else:
                assert word == "RUN"
                said.append(self.run(rest))
        return said

    def make_wheel(self) -> subprocess.CompletedProcess[str]:
        """What building it said; where it was built, `wheels` has what the stage `wheel` has."""
        (said,) = self.make("wheel-build")
        assert stages()["wheel"] == Stage(
            "scratch", [("COPY", f"--from=wheel-build {IN_IMAGE}/wheels /")]
        )
        (self.folder / "wheels").rename(self.wheels)
        shutil.rmtree(self.folder)
        return said


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path / "coalescope")


def test_the_packages_are_those_of_the_lock_and_nothing_but_hashes_is_taken() -> None:
    before = stages()["python-packages"]
    pip = [rest for word, rest in before.steps if word == "RUN" and "/pip " in rest]
    assert pip
    for command in pip:
        assert "--require-hashes -r ${PACKAGES}" in command
    own = [*stages()["wheel-build"].steps, *stages()["installed"].steps]
    after = [rest for word, rest in own if word == "RUN"]
    for command in " && ".join(after).split(" && "):
        words = shlex.split(command)
        assert {"--no-index", "--no-deps"} <= set(words) or words[1] == "uninstall"


def test_what_is_installed_is_the_wheel_with_page_and_data_sets(build: Build) -> None:
    build.build_page()
    for done in [build.make_wheel(), *build.make("installed")]:
        assert done.returncode == 0, done.stdout + done.stderr
    assert [wheel.name.split("-")[0] for wheel in build.wheels.iterdir()] == ["coalescope"]
    (share,) = build.folder.glob(".venv/lib/python3.*/site-packages/coalescope/share")
    assert (share / "page/index.html").read_text() == "<title>the page</title>"
    assert {one.name for one in (share / "datasets").iterdir()} == {
        one.parent.name for one in (ROOT / "datasets").glob("*/source.toml")
    }
    # only what the last stage takes
    assert [rest for word, rest in stages()[""].steps if word == "COPY"] == [
        f"--from=installed {IN_IMAGE}/.venv .venv"
    ]
    for left in build.folder.iterdir():
        if left.name != ".venv":
            shutil.rmtree(left)
    assert not (build.folder / ".venv/bin/pip").exists()
    asked = build.run(
        ".venv/bin/python -c 'from coalescope.settings import Settings as S; s = S();"
        " print(s.page_dir, s.datasets_dir)'"
    )
    assert asked.stdout.split() == [str(share / "page"), str(share / "datasets")], asked.stderr


def test_nothing_is_installed_where_the_page_was_not_built(build: Build) -> None:
    done = build.make_wheel()
    assert done.returncode != 0
    assert "The page is not built" in done.stdout + done.stderr
    assert not list(build.wheels.iterdir())


def test_the_image_that_runs_finds_page_and_data_sets_in_the_package() -> None:
    settings = [rest for word, rest in stages()[""].steps if word == "ENV"]
    named = {word.partition("=")[0] for rest in settings for word in rest.split()}
    assert named == {"PATH", "COALESCOPE_DATA_DIR"}
