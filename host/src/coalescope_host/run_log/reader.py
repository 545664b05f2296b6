# SPDX-License-Identifier: Apache-2.0
"""Reads run logs: everything is checked, nothing is copied, every trouble is a Problem."""

from __future__ import annotations

from . import layout
from .block_contents import BlockContents
from .blocks import Blocks
from .errors import Problem, RunLogError
from .findings import Findings
from .header import parse_header
from .log import Payloads, RunLog, Stream
from .preamble import read_preamble
from .source import Source, bytes_of


def read(source: Source, limits: layout.Limits = layout.DEFAULT_LIMITS) -> RunLog:
    """Read and check a run log.

    Args:
        source: a path, the bytes themselves (not copied), or a binary file (read from where it
            stands).
        limits: what to accept before allocating.

    Returns:
        The log. If it was cut off: all up to its last whole block, `complete` False and a problem
        that says so.

    Raises:
        RunLogError: if it is no run log, of a newer major version, too large, or damaged.
        OSError: if the file itself cannot be read.
    """
    return _read(bytes_of(source, limits), limits, collect=False)


def scan(
    source: Source, limits: layout.Limits = layout.DEFAULT_LIMITS
) -> tuple[RunLog | None, list[Problem]]:
    """Read as far as possible and return all problems instead of raising the first.

    Damaged blocks are left out. The log is None if its header could not be read.
    """
    try:
        log = _read(bytes_of(source, limits), limits, collect=True)
    except RunLogError as error:
        return None, [error.problem]
    return log, list(log.problems)


def _read(data: memoryview, limits: layout.Limits, *, collect: bool) -> RunLog:
    version, log_id, body = read_preamble(data, limits)
    header, layouts = parse_header(bytes(data[layout.PREAMBLE.size : body]), limits)
    streams = tuple(Stream(stream, Payloads(data)) for stream in layouts)
    findings = Findings(collect=collect)
    record_bytes = [stream.record_bytes for stream in layouts]
    blocks = Blocks(data, body, log_id, record_bytes, limits, findings)
    contents = BlockContents(data, streams, limits, findings)
    for block in blocks:
        contents.add(block)
        if contents.footer is not None:
            blocks.end_here()
            break
    if contents.footer is None and not findings.problems:
        blocks.cut_off(blocks.end, "The log has no footer: it was cut off between two blocks.")
    if not findings.damaged:
        contents.check_marks()
    return RunLog(
        header,
        version,
        streams,
        tuple(contents.marks),
        tuple(contents.results),
        contents.footer,
        contents.footer is not None and not findings.damaged,
        tuple(findings.problems),
        len(data),
        blocks.end,
    )
