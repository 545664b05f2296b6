# SPDX-License-Identifier: Apache-2.0
"""The run log: one file per run. Format: docs/run-log-format.md."""

from .contents import contents
from .errors import Problem, RunLogError
from .header import Field, StreamLayout
from .layout import DEFAULT_LIMITS, Limits
from .log import Mark, Payloads, Result, RunLog, Stream
from .reader import read, scan
from .report import CheckReport, check
from .writer import STANDARD_FIELDS, Writer, make_header, standard_field

__all__ = [
    "DEFAULT_LIMITS",
    "STANDARD_FIELDS",
    "CheckReport",
    "Field",
    "Limits",
    "Mark",
    "Payloads",
    "Problem",
    "Result",
    "RunLog",
    "RunLogError",
    "Stream",
    "StreamLayout",
    "Writer",
    "check",
    "contents",
    "make_header",
    "read",
    "scan",
    "standard_field",
]
