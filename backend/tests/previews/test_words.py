# SPDX-License-Identifier: Apache-2.0
"""Text of strangers on one line, and the page's colours."""

import re
from pathlib import Path

import pytest
from coalescope.previews import colours
from coalescope.previews.words import brief, decimal, one_line, writable

PAGE = Path(__file__).parents[3] / "frontend/src"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a  b\n\tc\r\n d ", "a b c d"),
        ("evil\u202egnp.exe", "evilgnp.exe"),
        ("nul\0 bell\a\u200f", "nul bell"),
        ("x" * 10_000, "x" * 39 + "…"),
        ("", ""),
    ],
)
def test_one_line_is_inert(text: str, line: str) -> None:
    assert one_line(text, 40) == line


def test_what_the_typeface_lacks_is_not_drawn_as_boxes() -> None:
    assert writable("M. Žagar, 10⁹ bytes, µs × 2", "") == "M. Zagar, 10⁹ bytes, µs × 2"
    assert writable("שלום", "slug") == writable("漢字", "slug") == "slug"


def test_numbers_are_the_pages() -> None:
    assert decimal(-16384.26, 1) == "−16\u2009384.3"
    assert [brief(v) for v in (0, 1500.0, 33.333333, 16384)] == [
        "0",
        "1500",
        "33.33",
        "16\u2009384",
    ]


def test_colours_are_the_pages() -> None:
    light = (PAGE / "app/tokens.css").read_text().partition('[data-theme="dark"]')[0]
    tokens = dict(re.findall(r"--([a-z0-9-]+):\s*#([0-9a-f]{6})\b", light))

    def token(name: str) -> colours.Colour:
        red, green, blue = bytes.fromhex(tokens[name])
        return red, green, blue

    for name in ("GROUND", "LINE_2", "INK", "INK_2", "INK_3", "CROSSHAIR", "ON_DARK", "ON_BRIGHT"):
        assert getattr(colours, name) == token(name.lower().replace("_", "-"))
    assert {kind: token(f"kind-{kind}") for kind in colours.KINDS} == colours.KINDS
    assert tuple(token(f"surface-{k}") for k in range(9)) == colours.SURFACE
    steps = re.search(r"HEX =\s*'([0-9a-f]+)'", (PAGE / "plots/tide.ts").read_text())
    assert steps is not None
    for k in range(256):
        step = bytes.fromhex(steps[1][6 * k : 6 * k + 6])
        apart = [abs(a - b) for a, b in zip(colours.tide(k / 255), step, strict=True)]
        assert max(apart) <= 6
