# SPDX-License-Identifier: Apache-2.0
"""Files are read where time, memory, a sender who left and the server's end can end it.

So are those that are stored, whenever they are read again, and no file that somebody sent is read
by a server's other code. What is read in a moment is read here: a small table or file of another
tool that nothing is packed in, and a small log.
"""

import gc
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from coalescope_host.run_log import CheckReport, Longer
from coalescope_host.run_log import check as check_log

from coalescope.errors import CoalescopeError
from coalescope.foreign.parsing import parse_foreign
from coalescope.runs.log_contents import read_contents
from coalescope.runs.records import NewRun
from coalescope.storage.object_store import ReadableObject
from coalescope.untrusted.bounds import READING_MIB, READING_SECONDS, read_as_stored
from coalescope.untrusted.confined import Bounds
from coalescope.untrusted.confinement import OF_THE_SERVER, Ending, confined
from coalescope.uploads.csv_files import understand_csv
from coalescope.uploads.mapping.looking import Seen, look_at
from coalescope.uploads.mapping.reading import settle
from coalescope.uploads.mapping.records import TableMapping
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.run_logs import compare_logs, parse_run_log

if TYPE_CHECKING:  # the process that reads needs none, and to read them takes a while
    from coalescope.settings import Settings

#: A table that takes up to 0.2 s; one that takes up to 0.3 s to be looked at; a log that takes as
#: long to be shown. Of CPU time, whatever is in it: docs/security.md.
READ_HERE_BYTES = 2**15
LOOKED_AT_HERE_BYTES = 2**12
SHOWN_HERE_BYTES = 2**20
#: A log that is read and measured in a moment: nobody waits for a larger one but its own sender.
LARGEST_BYTES = 2**22
#: How what is packed begins, by itself or in an archive: its size says little of what it holds.
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")
#: By the clock, of what it may take of a CPU: others may be at work.
_CLOCK = 15.0
#: A run log is read at several times this.
_LOG_BYTES_PER_S = 2**25
#: What `check` keeps of each MiB: it looks at all values of a column together.
_CHECKED_MIB = 3
#: What was taken once may have been so much larger than what is taken today.
_WIDER = 5
_RUNS_AT_ONCE, _VALUES_AT_ONCE = 500, 2_000


@dataclass(frozen=True)
class Reading:
    """How tables, files of other tools and large logs are read.

    Attributes:
        seconds, mib: CPU time, of a log more by its size, and memory that one may take, that of
            the program which reads it included; a log's file is mapped beside it.
        ending: who sent it has left.
        stored: it was taken before, perhaps within wider bounds of what a file may hold, which do
            not count for it.
    """

    seconds: float = READING_SECONDS
    mib: int = READING_MIB
    ending: Ending = OF_THE_SERVER
    stored: bool = False

    @classmethod
    def within(cls, settings: "Settings", ending: Ending = OF_THE_SERVER) -> "Reading":
        """As an instance's settings bound it."""
        return cls(settings.reading_seconds, settings.reading_mib, ending)

    def of_stored(self) -> "Reading":
        """How files are read again that were taken within the bounds of their time."""
        return replace(self, seconds=_WIDER * self.seconds, stored=True)

    def table(
        self, staged: ReadableObject, request: UploadRequest, identity: str | None = None
    ) -> ParsedUpload:
        """What a table holds. Errors: as `understand_csv`; 422 where it takes too much; 503."""
        given = (staged.path, staged.size, staged.sha256, request, identity)
        return self._within_bounds(staged, understand_csv, *given)

    def foreign(self, staged: ReadableObject, request: UploadRequest) -> ParsedUpload:
        """What files of other tools hold. Errors: as `parse_foreign`; 422; 503."""
        return self._within_bounds(staged, parse_foreign, staged.path, request)

    def log(self, staged: ReadableObject, request: UploadRequest) -> ParsedUpload:
        """What a run log holds. Errors: as `parse_run_log`; 422; 503."""
        found: ParsedUpload = self._of_logs(staged.size, parse_run_log, staged.path, request)
        return found

    def longer(self, stored: ReadableObject, sent: ReadableObject) -> Longer | None:
        """Which of two logs goes on where the other ends. Errors: 422 as above; 503."""
        size = stored.size + sent.size
        found: Longer | None = self._of_logs(size, compare_logs, stored.path, sent.path)
        return found

    def contents(self, log: ReadableObject, points: int) -> Mapping[str, Any]:
        """What a log shows of its run. Errors: as `read_contents`; 422 as above; 503."""
        if log.size <= SHOWN_HERE_BYTES:
            return read_contents(log.path, points)
        found: Mapping[str, Any] = self._of_large_logs(log.size, read_contents, log.path, points)
        return found

    def look(self, staged: ReadableObject, filename: str, mapping: TableMapping | None) -> Seen:
        """What a table looks like. Errors: as `look`; 422 where it takes too much; 503."""
        given = (staged.path, filename, mapping)
        if _is_read_here(staged, LOOKED_AT_HERE_BYTES):
            return look_at(*given)
        found: Seen = confined(self._bounds, _REFUSALS, look_at, *given, ending=self.ending)
        return found

    def settled(self, staged: ReadableObject, mapping: TableMapping) -> TableMapping:
        """A mapping with what a table settles of it. Errors: as `settle`; 422 as above; 503."""
        given = (staged.path, mapping)
        if _is_read_here(staged):
            return settle(*given)
        found: TableMapping = confined(self._bounds, _REFUSALS, settle, *given, ending=self.ending)
        return found

    def checked(self, path: Path, check: Callable[..., Any], *given: object) -> Any:
        """What `check` says of a file that is not stored. Errors: its own; 422 as above; 503."""
        if path.is_file() and _is_small(path, path.stat().st_size):
            return check(path, *given)
        work = (check, path, *given)
        return confined(self._bounds, _REFUSALS, _uncollected, *work, ending=self.ending)

    def checked_log(self, path: Path, shown: str) -> CheckReport:
        """What is wrong with a run log. Errors: RunLogError; 422 as above; 503."""
        size = path.stat().st_size
        wider = replace(self, mib=self.mib + _CHECKED_MIB * (size >> 20))
        found: CheckReport = wider._of_logs(size, check_log, path, shown)
        return found

    def _as_taken(
        self, function: Callable[..., Any], given: tuple[object, ...]
    ) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return (_as_stored, (function, *given)) if self.stored else (function, given)

    @property
    def _bounds(self) -> Bounds:
        # once, what the program takes itself did not count
        return Bounds(self.seconds, self.mib, _CLOCK, all_told=not self.stored)

    def _of_logs(self, size: int, function: Callable[..., Any], *given: object) -> Any:
        """Of logs of so many bytes together."""
        function, given = self._as_taken(function, given)
        if not is_large_log(size):
            return function(*given)
        return self._of_large_logs(size, function, *given)

    def _of_large_logs(self, size: int, function: Callable[..., Any], *given: object) -> Any:
        seconds = max(self.seconds, size / _LOG_BYTES_PER_S)
        bounds = replace(self._bounds, seconds=seconds, mapped_mib=-(-size >> 20))
        return confined(bounds, _REFUSALS, function, *given, ending=self.ending)

    def _within_bounds(
        self, staged: ReadableObject, parse: Callable[..., ParsedUpload], *given: object
    ) -> ParsedUpload:
        parse, given = self._as_taken(parse, given)
        if _is_read_here(staged):
            read: ParsedUpload = parse(*given)
            return read
        parsed, *pieces = confined(
            self._bounds, _REFUSALS, _in_parts, parse, *given, ending=self.ending
        )
        whole: ParsedUpload = replace(parsed, runs=_PackedRuns(pieces, self.ending))
        return whole


def is_large_log(size: int) -> bool:
    """Whether a log of so many bytes is not read in a moment."""
    return size > LARGEST_BYTES


def is_read_in_a_moment(content: bytes | bytearray, most: int = READ_HERE_BYTES) -> bool:
    """Whether a table or a file of another tool is: it is small, and nothing is packed in it."""
    return len(content) <= most and not any(start in content for start in _PACKED)


def _is_read_here(staged: ReadableObject, most: int = READ_HERE_BYTES) -> bool:
    return _is_small(staged.path, staged.size, most)


def _is_small(path: Path, size: int, most: int = READ_HERE_BYTES) -> bool:
    return size <= most and is_read_in_a_moment(path.read_bytes(), most)


def _as_stored(function: Callable[..., Any], *given: object) -> Any:
    """What the function returns of a file that was taken before."""
    with read_as_stored():
        return function(*given)


def _uncollected(function: Callable[..., Any], *given: object) -> Any:
    """What the function returns, in a process that ends with it: no garbage is looked for."""
    gc.disable()  # to look through a table's rows takes a fifth
    return function(*given)


def _in_parts(parse: Callable[..., ParsedUpload], *given: object) -> Iterator[object]:
    """What is understood without its runs, then those, packed, with how many they are."""
    parsed = _uncollected(parse, *given)
    yield replace(parsed, runs=[])
    for some in _pieces(parsed.runs):
        yield len(some), pickle.dumps(some)


def _pieces(runs: Sequence[NewRun]) -> Iterator[Sequence[NewRun]]:
    """So many runs at once, or as many as have so many values: of a wide table they are few."""
    start, values = 0, 0
    for end, run in enumerate(runs, start=1):
        values += max(len(run.measures), 1)
        if end - start == _RUNS_AT_ONCE or values >= _VALUES_AT_ONCE or end == len(runs):
            yield runs[start:end]
            start, values = end, 0


@dataclass(frozen=True)
class _PackedRuns(Sequence[NewRun]):
    """Runs as they came from where they were read, to be gone through some at a time.

    All of them would be a million objects, and whoever asks a server something waits while those
    are looked through for garbage.

    Errors: CoalescopeError 503, as it is gone through, once `ending` has come.
    """

    pieces: Sequence[tuple[int, bytes]]
    ending: Ending

    def __len__(self) -> int:
        return sum(count for count, _ in self.pieces)

    def __iter__(self) -> Iterator[NewRun]:
        for _, packed in self.pieces:
            self.ending.check()
            OF_THE_SERVER.check()
            yield from pickle.loads(packed)  # noqa: S301  (our own code wrote it)

    @overload
    def __getitem__(self, index: int, /) -> NewRun: ...

    @overload
    def __getitem__(self, index: slice, /) -> Sequence[NewRun]: ...

    def __getitem__(self, index: int | slice, /) -> NewRun | Sequence[NewRun]:
        return list(self)[index]


TOOK_TOO_LONG = "took_too_long"
TOOK_TOO_MUCH_MEMORY = "took_too_much_memory"


class _Refusals:
    """What is said of a file that took more than it may."""

    def too_long(self, bounds: Bounds) -> CoalescopeError:
        return CoalescopeError(
            TOOK_TOO_LONG,
            f"The file was not read within the {bounds.seconds:g} s that this server gives one; "
            "nothing was kept.",
            where={"limit_s": bounds.seconds},
            advice="Split it into several files, or raise COALESCOPE_READING_SECONDS.",
        )

    def too_much_memory(self, bounds: Bounds) -> CoalescopeError:
        return CoalescopeError(
            TOOK_TOO_MUCH_MEMORY,
            f"To read the file takes more than the {bounds.mib:,} MiB that this server gives one; "
            "nothing was kept.",
            where={"limit_mib": bounds.mib},
            advice="Split it into several files, or raise COALESCOPE_READING_MIB.",
        )


_REFUSALS = _Refusals()
