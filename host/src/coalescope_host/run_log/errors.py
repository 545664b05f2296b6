# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a run log, said once for the exception, the report and the server."""

from __future__ import annotations

from dataclasses import dataclass, field

SEND_AGAIN = "Copy or send the file again; if the original fails too, the run must be repeated."


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a log.

    `offset` is in bytes from the start of the file; `block` is the sequence number of the block,
    or None where the trouble is outside the blocks; `severity` is "error" (the log is refused) or
    "warning" (it is read, with this remark).
    """

    code: str
    message: str
    offset: int | None = None
    block: int | None = None
    advice: str = ""
    severity: str = "error"
    details: dict[str, int | str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The problem as plain data."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "offset": self.offset,
            "offset_hex": None if self.offset is None else f"{self.offset:#x}",
            "block": self.block,
            "advice": self.advice,
            "details": dict(self.details),
        }


class RunLogError(Exception):
    """A log that cannot be accepted. The only exception a reader raises about a log's content."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem

    def __reduce__(self) -> tuple[type[RunLogError], tuple[Problem]]:
        """As it is sent from process to process: made again of the problem, not of its text."""
        return type(self), (self.problem,)

    @property
    def code(self) -> str:
        """Short name of the trouble, stable between versions."""
        return self.problem.code

    @property
    def message(self) -> str:
        """The trouble in one sentence."""
        return self.problem.message

    @property
    def offset(self) -> int | None:
        """Byte in the file at which it was found."""
        return self.problem.offset

    @property
    def block(self) -> int | None:
        """Sequence number of the block in which it was found."""
        return self.problem.block

    @property
    def advice(self) -> str:
        """What the owner of the log can do."""
        return self.problem.advice


def crc_problem(
    code: str, what: str, offset: int, block: int | None, *, stored: int, computed: int
) -> Problem:
    """Bytes are not those that were written."""
    return Problem(
        code,
        f"{what} is damaged: its checksum is {stored:08x}, but its bytes give {computed:08x}.",
        offset,
        block,
        SEND_AGAIN,
        details={"stored": f"{stored:08x}", "computed": f"{computed:08x}"},
    )
