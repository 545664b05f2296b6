# SPDX-License-Identifier: Apache-2.0
"""A card as a picture, 1200 × 630: its words around its cells. Text is drawn, never interpreted."""

import io
import math
import re
from functools import lru_cache
from pathlib import Path
from threading import Lock

from PIL import Image, ImageDraw, ImageFont

from coalescope.experiments.records import FactorValue
from coalescope.previews import colours
from coalescope.previews.card import HEIGHT_PX, WIDTH_PX, Card
from coalescope.previews.colours import Colour
from coalescope.previews.plane import Axis, Plane
from coalescope.previews.words import RAISED, brief, decimal, digits_for, one_line, writable

_TYPEFACE = Path(__file__).parent / "ibm-plex-sans.woff2"
# Pillow draws shapes without soft edges: everything is drawn twice as large, then scaled down.
_SCALE = 2
_MARGIN = 60
_REGULAR, _BOLD = 400, 600
# one picture at a time: a typeface is not for two threads, and one processor is enough for this
_ONE_AT_A_TIME = Lock()
_A_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+)+")
_ACRONYM = re.compile(r"^(udp|tcp|nfs|nic|gro|lro|tso)\b")


def png_of(card: Card) -> bytes:
    """The card's picture as a PNG file."""
    with _ONE_AT_A_TIME:
        return _drawn(card)


def _drawn(card: Card) -> bytes:
    sheet = _Sheet()
    _brand(sheet)
    if card.kind is not None:
        _kind(sheet, card.kind)
    slug = card.path.partition("?")[0].rpartition("/")[2]
    bottom = sheet.paragraph(_MARGIN, 100, writable(card.title, slug), 44, _BOLD, lines=2)
    if card.plane is None:
        bottom = sheet.paragraph(_MARGIN, bottom + 20, card.about, 28, lines=5, ink=colours.INK_2)
    else:
        shown = sheet.cut(_shown(card.plane), 24, _WIDTH)
        sheet.text(_MARGIN, bottom + 22, shown, 24, ink=colours.INK_2)
        box = (_MARGIN, bottom + 54, WIDTH_PX - _MARGIN, 556)
        if card.plane.y is None:
            _line(sheet, card.plane, box)
        else:
            _map(sheet, card.plane, card.plane.y, box)
    source = sheet.cut(writable(card.source, ""), 18, _WIDTH)
    sheet.text(_MARGIN, HEIGHT_PX - 36, source, 18, ink=colours.INK_3)
    return sheet.png()


def _shown(plane: Plane) -> str:
    """The measure, and where the other factors stand."""
    unit = "" if plane.measure.unit in ("", "1") else f", {plane.measure.unit}"
    levels = [_words(level) for level in plane.where.values()]
    return writable(" · ".join([plane.measure.label + unit, *levels]), plane.measure.name)


_WIDTH = WIDTH_PX - 2 * _MARGIN
_Box = tuple[float, float, float, float]


@lru_cache(maxsize=16)
def _font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    # the basic layout knows no directions: nothing that a title holds moves what stands beside it
    font = ImageFont.truetype(_TYPEFACE, size * _SCALE, layout_engine=ImageFont.Layout.BASIC)
    font.set_variation_by_axes([weight])
    return font


def _runs(words: str, size: int, weight: int) -> list[tuple[str, bool, float]]:
    """Text in pieces: (piece, whether it is raised and small, width in pixels)."""
    found = []
    for piece in re.split("([⁰⁴-⁹¹²³]+)", words):
        small = piece != "" and piece.translate(RAISED) != piece
        font = _font(round(size * 0.66) if small else size, weight)
        drawn = piece.translate(RAISED)
        found.append((drawn, small, font.getlength(drawn) / _SCALE))
    return found


class _Sheet:
    """The paper: lengths in pixels of the finished picture, y downwards."""

    def __init__(self) -> None:
        size = (WIDTH_PX * _SCALE, HEIGHT_PX * _SCALE)
        self._image = Image.new("RGB", size, colours.GROUND)
        self._draw = ImageDraw.Draw(self._image)

    def png(self) -> bytes:
        file = io.BytesIO()
        small = self._image.resize((WIDTH_PX, HEIGHT_PX), Image.Resampling.LANCZOS)
        small.save(file, "PNG", optimize=True)
        return file.getvalue()

    def width(self, words: str, size: int, weight: int = _REGULAR) -> float:
        return sum(length for _, _, length in _runs(words, size, weight))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: int,
        weight: int = _REGULAR,
        ink: Colour = colours.INK,
        anchor: str = "l",
    ) -> None:
        """One line, centred on y; `anchor` says which part of it stands at x: l, m or r."""
        x -= self.width(words, size, weight) * {"l": 0, "m": 0.5, "r": 1}[anchor]
        for run, small, length in _runs(words, size, weight):
            at = (x * _SCALE, (y - small * size * 0.36) * _SCALE)
            font = _font(round(size * 0.66) if small else size, weight)
            self._draw.text(at, run, fill=ink, font=font, anchor="lm")
            x += length

    def cut(self, words: str, size: int, room: float, weight: int = _REGULAR) -> str:
        """As much of a line as there is room for."""
        if self.width(words, size, weight) <= room:
            return words
        low, high = 0, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            if self.width(words[:middle].rstrip() + "…", size, weight) <= room:
                low = middle
            else:
                high = middle - 1
        return words[:low].rstrip() + "…"

    def paragraph(
        self,
        x: float,
        y: float,
        words: str,
        size: int,
        weight: int = _REGULAR,
        *,
        lines: int,
        ink: Colour = colours.INK,
    ) -> float:
        """At most so many lines from y on, the last one cut; returns where the next starts."""
        rest = words
        for left in range(lines, 0, -1):
            line = self._first_line(rest, size, weight) if left > 1 else rest
            self.text(x, y + size * 0.6, self.cut(line, size, _WIDTH, weight), size, weight, ink)
            y += size * 1.25
            rest = rest[len(line) :].strip()
            if not rest:
                break
        return y

    def _first_line(self, words: str, size: int, weight: int) -> str:
        parts = words.split(" ")
        count = len(parts)
        while count > 1 and self.width(" ".join(parts[:count]), size, weight) > _WIDTH:
            count -= 1
        line = " ".join(parts[:count])
        # a word that is longer than a line is broken where the line ends
        while len(line) > 1 and self.width(line, size, weight) > _WIDTH:
            line = line[: max(1, len(line) * 9 // 10)]
        return line

    def box(
        self, box: _Box, fill: Colour | None, outline: Colour | None = None, pixels: float = 1
    ) -> None:
        scaled = tuple(round(v * _SCALE) for v in box)
        self._draw.rectangle(
            (scaled[0], scaled[1], scaled[2] - 1, scaled[3] - 1),
            fill=fill,
            outline=outline,
            width=round(pixels * _SCALE),
        )

    def line(self, points: list[tuple[float, float]], ink: Colour, pixels: float) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, fill=ink, width=round(pixels * _SCALE), joint="curve")

    def shape(self, points: list[tuple[float, float]], ink: Colour) -> None:
        self._draw.polygon([(x * _SCALE, y * _SCALE) for x, y in points], fill=ink)

    def disc(self, x: float, y: float, radius: float, ink: Colour) -> None:
        self._draw.circle((x * _SCALE, y * _SCALE), radius * _SCALE, fill=ink)


def _brand(sheet: _Sheet) -> None:
    """The mark: frames, and the interrupt that takes them."""
    faint = colours.INK_3
    for k in range(4):
        x = _MARGIN + 2 + 7 * k
        sheet.line([(x, 43), (x, 61)], faint, 3)
    sheet.line([(_MARGIN + 31, 34), (_MARGIN + 31, 70)], colours.CROSSHAIR, 4)
    sheet.text(_MARGIN + 48, 52, "Coalescope", 28, _BOLD)


def _kind(sheet: _Sheet, kind: str) -> None:
    ink = colours.KINDS[kind]
    right = WIDTH_PX - _MARGIN
    sheet.text(right, 52, kind, 26, _BOLD, ink, "r")
    _mark(sheet, kind, right - sheet.width(kind, 26, _BOLD) - 20, 52, 9, ink)


def _mark(sheet: _Sheet, kind: str, x: float, y: float, r: float, ink: Colour) -> None:
    """A kind's shape, as on the page: square, disc, diamond, hollow triangle."""
    if kind == "published":
        sheet.box((x - r, y - r, x + r, y + r), ink)
    elif kind == "measured":
        sheet.disc(x, y, r, ink)
    elif kind == "emulated":
        d = r * 1.2
        sheet.shape([(x, y - d), (x + d, y), (x, y + d), (x - d, y)], ink)
    else:
        corners = [(x, y - r), (x + r, y + r), (x - r, y + r), (x, y - r), (x + r, y + r)]
        sheet.line(corners, ink, 3)


def _words(level: FactorValue | None) -> str:
    """As the page writes a level: `NFS`, `request response`; what is somebody's text stays."""
    if isinstance(level, str):
        spaced = level.replace("_", " ") if _A_NAME.fullmatch(level) else level
        named = _ACRONYM.sub(lambda found: found[0].upper(), spaced)
        return writable(one_line(named, 24), "?")
    return "–" if level is None else brief(level)


def _axis_words(axis: Axis) -> str:
    unit = f", {axis.unit}" if axis.unit not in ("", "1") else ""
    some = f" ({len(axis.levels)} of {axis.of} settings)" if axis.of > len(axis.levels) else ""
    return writable(one_line(f"{axis.label}{unit}{some}", 80), axis.name)


def _ticks(
    sheet: _Sheet, axis: Axis, places: list[float], y: float, left: float, right: float
) -> None:
    """Settings below an axis; those that would touch their neighbour are left out."""
    free = left - 40
    for level, x in zip(axis.levels, places, strict=True):
        words = sheet.cut(_words(level), 20, 200)
        half = sheet.width(words, 20) / 2
        if x - half >= free:
            sheet.text(min(x, right + 40 - half), y + 18, words, 20, ink=colours.INK_2, anchor="m")
            free = x + half + 12
    sheet.text(left, y + 44, _axis_words(axis), 20, ink=colours.INK_3)


def _map(sheet: _Sheet, plane: Plane, y_axis: Axis, box: _Box) -> None:
    """Cells as a heat map: greatest setting of y on top, the scale on the right."""
    rows = list(reversed(y_axis.levels))
    names = [sheet.cut(_words(level), 20, 180) for level in rows]
    left = box[0] + max(sheet.width(name, 20) for name in names) + 14
    right, top, bottom = box[2] - 130, box[1] + 24, box[3] - 56
    sheet.text(box[0], box[1] + 6, _axis_words(y_axis), 20, ink=colours.INK_3)
    wide = (right - left) / len(plane.x.levels)
    high = (bottom - top) / len(rows)
    shown = high * 1.0 >= 22
    digits = digits_for(plane.values[1] - plane.values[0])
    for r, (row, name) in enumerate(zip(rows, names, strict=True)):
        y = top + r * high
        if shown or r % math.ceil(22 / high) == 0:
            sheet.text(left - 14, y + high / 2, name, 20, ink=colours.INK_2, anchor="r")
        for c, column in enumerate(plane.x.levels):
            x = left + c * wide
            place = (x, y, x + wide - 1, y + high - 1)
            cell = plane.cells.get((column, row))
            if cell is None:
                sheet.box(place, None, colours.LINE_2)
                continue
            colour = colours.tide(plane.place(cell.mean))
            sheet.box(place, colour)
            words = decimal(cell.mean, digits)
            if shown and sheet.width(words, 20) < wide - 10:
                ink = colours.ink_on(colour)
                sheet.text(x + wide / 2, y + high / 2, words, 20, ink=ink, anchor="m")
    places = [left + (c + 0.5) * wide for c in range(len(plane.x.levels))]
    _ticks(sheet, plane.x, places, bottom, left, right)
    _scale(sheet, plane, (box[2] - 96, top, box[2] - 74, bottom))


def _scale(sheet: _Sheet, plane: Plane, box: _Box) -> None:
    left, top, right, bottom = box
    low, high = plane.values
    steps = 64
    for k in range(steps):
        y = bottom - (bottom - top) * (k + 1) / steps
        colour = colours.tide(k / (steps - 1) if low < high else 0.5)
        sheet.box((left, y, right, y + (bottom - top) / steps + 0.5), colour)
    digits = digits_for(high - low)
    ends = [(bottom - 8, low), (top + 8, high)] if low < high else [((top + bottom) / 2, low)]
    for y, value in ends:
        words = sheet.cut(decimal(value, digits), 20, 70)
        sheet.text(right + 8, y, words, 20, ink=colours.INK_2)


def _line(sheet: _Sheet, plane: Plane, box: _Box) -> None:
    """Cells over one factor, each with its 95 % interval where it has one."""
    cells = [(level, plane.cells[level, None]) for level in plane.x.levels]
    ends: list[float] = [v for _, c in cells for v in (c.mean, *(c.ci95 or ()))]
    low, high = min(ends), max(ends)
    if low == high:
        low, high = low - 1, high + 1
    digits = digits_for(high - low)
    names = [decimal(low, digits), decimal(high, digits)]
    left = box[0] + max(sheet.width(name, 20) for name in names) + 18
    right, top, bottom = box[2] - 20, box[1] + 16, box[3] - 64

    def place(value: float) -> float:
        return bottom - 10 - (bottom - top - 20) * (value - low) / (high - low)

    for name, value in zip(names, (low, high), strict=True):
        y = place(value)
        sheet.line([(left, y), (right, y)], colours.LINE_2, 1)
        sheet.text(left - 12, y, name, 20, ink=colours.INK_2, anchor="r")
    sheet.line([(left, bottom), (right, bottom)], colours.INK_3, 1)
    places = _places(plane.x.levels, left + 40, right - 40)
    points = [(x, place(cell.mean)) for x, (_, cell) in zip(places, cells, strict=True)]
    sheet.line(points, colours.INK_3, 2)
    for (x, y), (_, cell) in zip(points, cells, strict=True):
        if cell.ci95 is not None:
            sheet.line([(x, place(cell.ci95[0])), (x, place(cell.ci95[1]))], colours.INK, 2)
        sheet.disc(x, y, 8, colours.INK)
        sheet.disc(x, y, 6.5, colours.tide(plane.place(cell.mean)))
    _ticks(sheet, plane.x, places, bottom, left, right)


def _places(levels: tuple[FactorValue, ...], left: float, right: float) -> list[float]:
    """Where settings stand: numbers to scale, logarithmic where they span decades."""
    numbers = [float(level) for level in levels if not isinstance(level, str)]
    if len(numbers) < len(levels) or len(set(numbers)) < 2:
        step = (right - left) / max(1, len(levels) - 1)
        middle = (left + right) / 2
        return [middle if len(levels) == 1 else left + k * step for k in range(len(levels))]
    if numbers[0] > 0 and numbers[-1] / numbers[0] > 12:
        numbers = [math.log(v) for v in numbers]
    span = numbers[-1] - numbers[0]
    return [left + (right - left) * (v - numbers[0]) / span for v in numbers]
