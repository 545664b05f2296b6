# SPDX-License-Identifier: Apache-2.0
"""How much of anything a file that somebody sent may hold. Standard library only.

Each is looked at before anything is done with what it bounds, so that what a file costs follows
from its size. docs/operation.md lists them.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_IS_STORED: ContextVar[bool] = ContextVar("is_stored", default=False)


@contextmanager
def read_as_stored() -> Iterator[None]:
    """What is read meanwhile was taken before, perhaps within wider bounds: none holds for it."""
    token = _IS_STORED.set(True)
    try:
        yield
    finally:
        _IS_STORED.reset(token)


def is_read_as_stored() -> bool:
    """Whether what is read now was taken before."""
    return _IS_STORED.get()


def most(bound: int) -> int:
    """The bound, where it holds for what is read now."""
    return sys.maxsize if _IS_STORED.get() else bound


#: Of the work on a file: CPU time and memory, its program's included, unless settings say
#: otherwise.
READING_SECONDS: Final = 8.0
READING_MIB: Final = 180

#: Of a table: its file, its rows, those that are blank too, its columns, and rows times columns.
TABLE_BYTES: Final = 32 * 2**20
ROWS: Final = 30_000
COLUMNS: Final = 1000
FIELDS: Final = 150_000
#: Of a workbook: all that it unpacks to, and the cells of a sheet, empty ones too: each takes
#: several times as long as a field of a text.
WORKBOOK_BYTES: Final = 32 * 2**20
#: Of what describes it (styles, names of sheets, properties), which costs a hundred times as much
#: for each byte as a cell.
WORKBOOK_DESCRIPTION_BYTES: Final = 2**19
WORKBOOK_CELLS: Final = 75_000
#: Of a row of it, line breaks within quotation marks included; characters.
ROW_CHARACTERS: Final = 2**18
#: Of one field; characters. The most that the csv module takes by itself.
FIELD_CHARACTERS: Final = 2**17
#: Of a column's name; characters.
NAME_CHARACTERS: Final = 200

#: Of other tools' files that come together: the runs that they tell of, each end of one counted.
FOREIGN_RUNS: Final = 4000

#: Of a text of ethtool: what it says of settings. Of a hundred interfaces it says ten thousand.
SETTINGS: Final = 20_000

#: Of a run log: its blocks, each of which costs 7 µs. At one a second, as loggers write them when
#: little is recorded, they are six days. One that is stored may have as many as its format allows.
LOG_BLOCKS: Final = 2**19

#: Of a run: the factors that it says it was set to.
FACTORS: Final = 64
#: Of a factor, in one table.
LEVELS: Final = 1000
#: Of a level that is a text; characters.
LEVEL_CHARACTERS: Final = 200
#: Of a level or value that is a number: squares and sums of what is larger would overflow.
LARGEST_NUMBER: Final = 1e30


#: Of an experiment, all that it was sent together: its cells, the summaries of their measures, and
#: the characters of their settings. Every reader of its cells receives them all.
EXPERIMENT_CELLS: Final = 30_000
EXPERIMENT_SUMMARIES: Final = 300_000
EXPERIMENT_SETTINGS_CHARACTERS: Final = 2**25

#: Of one page of a list: experiments, uploads, jobs. Of an upload there: its first runs.
LISTED: Final = 100
LISTED_UPLOAD_RUNS: Final = 10

#: In the list of experiments: measures that are named of each, levels of each factor and their
#: characters, and a small picture's squares across and upwards.
LISTED_MEASURES: Final = 100
LISTED_LEVELS: Final = 32
LISTED_LEVEL_CHARACTERS: Final = 1000
GLANCE_ACROSS: Final = 64
GLANCE_ROWS: Final = 24

#: Of an archive: all that it unpacks to, passed over or not; the CPU time that unpacking takes, of
#: which a gibibyte of xz may want 50 s and one of bzip2 140; what describes one member; members;
#: memory that unpacking may ask for; and the directory of a zip archive, or one read of its file.
ARCHIVE_BYTES: Final = 2**30
ARCHIVE_SECONDS: Final = 8.0
ARCHIVE_HEADER_BYTES: Final = 8 * 2**10
ARCHIVE_MEMBERS: Final = 100_000
ARCHIVE_MEMORY_BYTES: Final = 96 * 2**20
ZIP_DIRECTORY_BYTES: Final = 4 * 2**20
#: Of a JSON text: its values, all levels together, counted before it is read. Read, each takes up
#: to 130 bytes; as sysstat and iperf3 write them, this many are 19 MiB and more.
JSON_VALUES: Final = 1_500_000
#: Of a JSON export that comes back: ten times as much memory is what it takes to read it.
EXPORT_BYTES: Final = 8 * 2**20
