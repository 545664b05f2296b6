# SPDX-License-Identifier: Apache-2.0
"""What the documents name is there: files, headings, make targets, commands, routes, settings."""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli.main import main as coalescope
from coalescope.settings import Settings
from coalescope_host.command_line import main as coalescope_host

ROOT = Path(__file__).parents[3]
SOURCES = (
    *("backend", "benchmarks", "datasets", "docker", "docs"),
    *("driver", "e2e", "frontend", "host", "models"),
)
NOT_KEPT = ("node_modules", "__pycache__", "dist", "guest/build")


def kept_files() -> Iterator[Path]:
    """What of the checkout is neither built nor installed."""
    yield from ROOT.glob("*.md")
    for source in SOURCES:
        for folder, below, files in os.walk(ROOT / source):
            below[:] = [name for name in below if not f"{folder}/{name}".endswith(NOT_KEPT)]
            yield from (Path(folder, name) for name in files)


FILES = sorted(kept_files())
DOCUMENTS = [path for path in FILES if path.suffix == ".md"]
# what a reader's own machine, a site, or a build that has not run holds
ELSEWHERE = (
    *(
        "host/dist",
        "build/image",
        "build/sbom",
        "build/site",
        "driver/guest/build",
        "driver/module/coalescope.ko",
    ),
    *("coalescope/0.1.0", "runs/7.json"),
    *("api/index", "commands/index", "decisions/index", "models/index", "notebooks/index"),
)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)

each_document = pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT))
)


def prose(document: Path) -> str:
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def code(document: Path) -> list[str]:
    """Lines of fences, continued ones joined, and what stands between backquotes."""
    fences = FENCE.findall(document.read_text(encoding="utf-8"))
    lines = "\n".join(fences).replace("\\\n", " ").splitlines()
    return [*lines, *re.findall(r"`([^`\n]+)`", prose(document))]


def named(document: Path, pattern: str) -> set[str]:
    return {found for line in code(document) for found in re.findall(pattern, line)}


def anchors(document: Path) -> set[str]:
    """The names of its headings, as the sites that show it make them."""
    headings = re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def known_paths() -> frozenset[str]:
    """Files and folders, from wherever a reader may begin: frontend/src/state/url.ts, state/url."""
    known: set[str] = set()
    for path in FILES:
        parts = path.relative_to(ROOT).parts
        for whole in (parts, (*parts[:-1], path.stem)):
            known |= {"/".join(whole[a:b]) for b in range(len(whole) + 1) for a in range(b)}
    return frozenset(known)


@each_document
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        if target.startswith("https://"):
            continue
        name, _, heading = target.partition("#")
        led_to = document.parent / name if name else document
        assert led_to.exists(), target
        assert not heading or heading in anchors(led_to), target


@each_document
def test_files_that_are_named_are_there(document: Path) -> None:
    folders = {name for path in FILES for name in path.relative_to(ROOT).parts[:-1]}
    paths = named(document, r"(?<![\w/.:<-])(?:[\w-][\w.-]*/)+[\w.-]*[\w-]")
    ours = {path for path in paths if path.partition("/")[0] in folders}
    ours = {path for path in ours if not path.startswith(ELSEWHERE)} - known_paths()
    assert not {path for path in ours if not (document.parent / path).exists()}


def test_test_files_that_the_makefile_orders_are_there() -> None:
    """pytest's workers collect nothing at all, and hardly say so, where one of them is missing."""
    named = re.findall(r"[a-z0-9_/]+/test_\w+\.py", (ROOT / "Makefile").read_text())
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@each_document
def test_targets_that_are_named_can_be_made(document: Path) -> None:
    targets = re.findall(r"^([a-z][a-z0-9-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert named(document, r"^(?:sudo )?make ([a-z][a-z0-9-]*)") <= set(targets)


@each_document
def test_addresses_of_the_api_are_answered(document: Path) -> None:
    def without_names(address: str) -> str:
        return re.sub(r"/(?:\{\w+\}|[A-Z]+|\d+)(?=/|$)", "/…", address)

    described = json.loads((ROOT / "docs/openapi.json").read_text())["paths"]
    answered = {without_names(path) for path in described} | {"/api/docs", "/api/openapi"}
    assert {without_names(path) for path in named(document, r"(?<!\w)/api/[\w/{}-]+")} <= answered


@each_document
def test_settings_that_are_named_can_be_set(document: Path) -> None:
    others = "docker-compose.yml driver/include/uapi/coalescope.h frontend/vite.config.ts "
    others += "backend/hatch_build.py"
    texts = [(ROOT / name).read_text() for name in others.split()]
    known = {f"COALESCOPE_{name.upper()}" for name in Settings.model_fields}
    known |= {name for text in texts for name in re.findall(r"COALESCOPE_\w+", text)}
    assert named(document, r"\bCOALESCOPE_[A-Z_]*[A-Z]\b") <= known


@pytest.fixture
def options(capsys: pytest.CaptureFixture[str]) -> Callable[[str, list[str]], set[str]]:
    """The options of a command of ours, as its help or its table has them."""

    def of(program: str, words: list[str]) -> set[str]:
        if program in ("logger", "traffic"):
            table = (ROOT / "driver" / program / "options.c").read_text()
            return {"--help", *(f"--{name}" for name in re.findall(r'\{"([a-z-]+)", ', table))}
        main: Any = {"": coalescope, "host": coalescope_host}[program]
        with pytest.raises(SystemExit) as ended:
            main([*words, "--help"])
        said = capsys.readouterr().out
        assert ended.value.code == 0, f"no such command: {' '.join(words)}"
        return set(re.findall(r"--[a-z][a-z-]+", said))

    return of


@each_document
def test_commands_have_the_options_that_are_named(
    document: Path, options: Callable[[str, list[str]], set[str]]
) -> None:
    ours = (
        r"(?<!import)(?:^|[/ ])coalescope(?:-(host|logger|traffic))?(?:\.pyz)? ((?:[a-z-]+ ?)*)(.*)"
    )
    for line in code(document):
        typed = re.search(ours, re.split(r" -- |  #|\||;", line)[0] + " ")
        if typed is None or line.startswith(("docker", "sudo apt", "modprobe")):
            continue
        program, words, rest = typed.groups(default="")
        below = ("token ", "datasets ", "runs ", "experiments ")
        command = words.split()[: 2 if words.startswith(below) else 1]
        used = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", f"{words} {rest}"))
        if command or used:
            assert used <= options(program, [word for word in command if word[0] != "-"]), line
