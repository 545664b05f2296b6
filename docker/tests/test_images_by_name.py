# SPDX-License-Identifier: Apache-2.0
"""What images this repository builds on and starts: each by its full version and its digest."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT_HERE = {"coalescope", "coalescope-scale"}
#: Nothing: it has no versions, and is not fetched.
EMPTY = {"scratch"}
_FULL = re.compile(r"[a-z0-9./-]+:v?\d+\.\d+[a-z0-9.-]*@sha256:[0-9a-f]{64}")


def files() -> list[Path]:
    """Those of the repository that name images."""
    command = ["git", "ls-files", "*Dockerfile*", "*compose*.y*ml"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split()]


def images(text: str) -> list[str]:
    """The images that a compose file or a Dockerfile names, by default where they can be chosen.

    Without the stages of the same file, and without what has no default: who builds it names that.
    """
    flagged = r"(?:--\w+=\S+ )*"
    named = re.findall(
        rf"^\s*(?:image: |ARG \w*(?:IMAGE|BASE)=|FROM {flagged}|COPY --from=)(\S+)",
        text,
        re.M | re.I,
    )
    stages = set(re.findall(r"^FROM .* AS (\S+)", text, re.M | re.I))
    chosen = [re.sub(r"^\$\{\w+:?-(.*)\}$", r"\1", name).strip("\"'") for name in named]
    taken = [name for name in chosen if not re.fullmatch(r"\$\{?\w+\}?", name)]
    return [name for name in taken if name not in stages | BUILT_HERE | EMPTY]


def test_every_image_is_named_by_version_and_digest() -> None:
    named = {file: images(file.read_text()) for file in files()}
    assert len(named[ROOT / "Dockerfile"]) == 2
    assert len(named[ROOT / "docker-compose.yml"]) == 3
    assert [
        image for found in named.values() for image in found if not _FULL.fullmatch(image)
    ] == []


@pytest.mark.parametrize(
    "line",
    [
        "    image: ${{S3_IMAGE:-{}}}",
        "    image: {}",
        "ARG BASE={}",
        "ARG PYTHON_IMAGE={}",
        "FROM {}",
        "FROM --platform=linux/amd64 {} AS page",
        "COPY --from={} /a /a",
    ],
)
@pytest.mark.parametrize(
    "image",
    [
        "versity/versitygw:latest",
        "caddy",
        "host:5000/caddy",
        "a:edge",
        "caddy:2",
        "caddy:2.11.4",
        "caddy@sha256:" + "0" * 64,
        "caddy:2@sha256:" + "0" * 64,
        "caddy:2.11.4@sha256:0",
    ],
)
def test_one_that_is_not_is_seen(line: str, image: str) -> None:
    (found,) = images(line.format(image) + "\n")
    assert found == image
    assert not _FULL.fullmatch(found)
