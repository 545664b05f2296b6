# SPDX-License-Identifier: Apache-2.0
"""The run log: one file per run. Format: docs/run-log-format.md."""

from .contents import contents
from .cpu_time import (
    JIFFIES_PER_S,
    cpu_times,
    cycles_of_owners,
    owned_times,
    probe_cpu_s,
    received_elsewhere,
)
from .errors import Problem, RunLogError
from .frame_bytes import PART_BYTES, uncounted_bytes
from .header import Field, StreamLayout
from .layout import DEFAULT_LIMITS, Limits
from .log import Mark, Payloads, Result, RunLog, Stream
from .loss_places import losses
from .reader import read, scan
from .report import CheckReport, check
from .writer import STANDARD_FIELDS, Writer, make_header, standard_field

__all__ = [
    "DEFAULT_LIMITS",
    "JIFFIES_PER_S",
    "PART_BYTES",
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
    "cpu_times",
    "cycles_of_owners",
    "losses",
    "make_header",
    "owned_times",
    "probe_cpu_s",
    "read",
    "received_elsewhere",
    "scan",
    "standard_field",
    "uncounted_bytes",
]
