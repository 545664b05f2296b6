# SPDX-License-Identifier: Apache-2.0
"""What images the compose file and the Dockerfile name: a version each, and never the latest."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT_HERE = {"coalescope", "coalescope-scale"}


def images(text: str) -> list[str]:
    """The images that a compose file or a Dockerfile names, by default where they can be chosen."""
    named = re.findall(r"^\s*(?:image: |ARG \w+_IMAGE=|FROM )(\S+)", text, re.M)
    chosen = [re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", name) for name in named]
    return [name for name in chosen if not name.startswith("${") and name not in BUILT_HERE]


def is_held(image: str) -> bool:
    """Whether it is named by a version; one by `latest`, or by none, is another every day."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    return re.match(r"v?[0-9]", tag) is not None


@pytest.mark.parametrize("file", ["docker-compose.yml", "Dockerfile"])
def test_each_image_is_named_by_a_version(file: str) -> None:
    named = images((ROOT / file).read_text())
    assert len(named) >= 2
    assert [image for image in named if not is_held(image)] == []


def test_the_buckets_image_is_held_by_its_digest() -> None:
    (bucket,) = [i for i in images((ROOT / "docker-compose.yml").read_text()) if "versitygw" in i]
    assert re.fullmatch(r"versity/versitygw:v[0-9.]+@sha256:[0-9a-f]{64}", bucket)


@pytest.mark.parametrize(
    "image", ["versity/versitygw:latest", "caddy", "host:5000/caddy", "a:edge"]
)
def test_one_that_is_not_is_seen(image: str) -> None:
    (found,) = images(f"    image: ${{S3_IMAGE:-{image}}}\n")
    assert found == image
    assert not is_held(found)
