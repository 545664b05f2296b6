# SPDX-License-Identifier: Apache-2.0
"""The page's colours, light theme (frontend/src/app/tokens.css); a test holds both together."""

Colour = tuple[int, int, int]


def _rgb(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


GROUND = _rgb("#ffffff")
LINE_2 = _rgb("#c9c9c4")
INK = _rgb("#1a1b1a")
INK_2 = _rgb("#4d4f4c")
INK_3 = _rgb("#696b67")
CROSSHAIR = _rgb("#c8321a")
KINDS = {
    "published": _rgb("#2f4a7c"),
    "measured": _rgb("#20694a"),
    "emulated": _rgb("#6a3f92"),
    "simulated": _rgb("#7d5200"),
}
SURFACE = tuple(
    _rgb(text)
    for text in (
        "#241e4d",
        "#2a386d",
        "#295685",
        "#2b7592",
        "#2f939b",
        "#4fb099",
        "#82c892",
        "#bddb8f",
        "#f4eb98",
    )
)
ON_DARK = _rgb("#ffffff")
ON_BRIGHT = _rgb("#12211f")


def tide(t: float) -> Colour:
    """The surface's colour at `t`, 0 to 1; between the nine stops, linear."""
    at = min(max(t, 0.0), 1.0) * (len(SURFACE) - 1)
    low = min(int(at), len(SURFACE) - 2)
    pairs = zip(SURFACE[low], SURFACE[low + 1], strict=True)
    red, green, blue = (round(a + (b - a) * (at - low)) for a, b in pairs)
    return red, green, blue


def ink_on(colour: Colour) -> Colour:
    """Ink that can be read on a colour of the surface."""
    return ON_BRIGHT if _luminance(colour) > 0.26 else ON_DARK


def _luminance(colour: Colour) -> float:
    red, green, blue = (_linear(channel / 255) for channel in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(v: float) -> float:
    return float(v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
