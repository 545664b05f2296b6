# SPDX-License-Identifier: Apache-2.0
"""The samples of a file, found by their time. Pure."""

from bisect import bisect_left, bisect_right

from coalescope.foreign.records import Record, Window
from coalescope.foreign.registry import ReadFile

_DAY_S = 86_400.0
_Days = tuple[int, ...]


class Samples:
    """What one file says in samples.

    Attributes:
        all: every sample, those without a time too.
    """

    def __init__(self, file: ReadFile) -> None:
        self.file = file
        self.all = [record for record in file.reading.beside if record.kind == "sample"]
        self._starts: dict[_Days, list[tuple[float, int]]] = {}
        for place, record in enumerate(self.all):
            if record.window is not None:
                starts = self._starts.setdefault(record.window.days, [])
                starts.append((record.window.start_s, place))
        for starts in self._starts.values():
            starts.sort()

    def may_be_within(self, run: Window) -> bool:
        """Whether some are in local time of days so near that only the offset from UTC tells."""
        return any(
            abs(day * _DAY_S - run.start_s) < 2 * _DAY_S for days in self._starts for day in days
        )

    def within(self, run: Window, utc_offset_s: float | None) -> list[Record]:
        """Those that lie within the run; of local times without an offset none does."""
        found: set[int] = set()
        for days, starts in self._starts.items():
            for move in _moves(days, utc_offset_s):
                first = bisect_left(starts, (run.start_s + run.late_s - move, 0))
                last = bisect_right(starts, (run.end_s - move, len(self.all)))
                for _, place in starts[first:last]:
                    window = self.all[place].window
                    if window is not None and window.end_s + move + window.late_s <= run.end_s:
                        found.add(place)
        return [self.all[place] for place in sorted(found)]


def _moves(days: _Days, utc_offset_s: float | None) -> list[float]:
    """What makes the times of these days those of UTC since 1970."""
    if not days:
        return [0.0]
    return [] if utc_offset_s is None else [day * _DAY_S - utc_offset_s for day in days]
