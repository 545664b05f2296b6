# SPDX-License-Identifier: Apache-2.0
"""The run log: one file per run. Format: docs/run-log-format.md."""

from .agreement import cross_checks
from .bounded_json import values_in
from .checking import check
from .contents import contents
from .continuation import Longer, continuation
from .cpu_time import (
    JIFFIES_PER_S,
    cpu_times,
    cycles_of_owners,
    others_at_least_s,
    owned_times,
    probe_cpu_s,
    received_elsewhere,
)
from .doubts import doubts, levels_of, said_by, said_by_workload
from .errors import Problem, RunLogError
from .frame_bytes import PART_BYTES, uncounted_bytes
from .header import Field, StreamLayout
from .interrupts import NOT_SEEN, unseen_interrupts
from .latencies import Latencies, latencies_of
from .layout import DEFAULT_LIMITS, Limits
from .log import Mark, Payloads, Result, RunLog, Stream
from .loss_places import losses
from .plausibility import OTHERS_PERCENT, far_end_is_here, implausible, others_before_percent
from .reader import read, scan
from .report import CheckReport
from .run_values import (
    others_at_least_percent,
    run_values,
    tasks_percent,
    window_counts,
)
from .text_report import report_lines, report_text
from .window_counters import window_counters
from .writer import STANDARD_FIELDS, Writer, make_header, standard_field

__all__ = [
    "DEFAULT_LIMITS",
    "JIFFIES_PER_S",
    "NOT_SEEN",
    "OTHERS_PERCENT",
    "PART_BYTES",
    "STANDARD_FIELDS",
    "CheckReport",
    "Field",
    "Latencies",
    "Limits",
    "Longer",
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
    "continuation",
    "cpu_times",
    "cross_checks",
    "cycles_of_owners",
    "doubts",
    "far_end_is_here",
    "implausible",
    "latencies_of",
    "levels_of",
    "losses",
    "make_header",
    "others_at_least_percent",
    "others_at_least_s",
    "others_before_percent",
    "owned_times",
    "probe_cpu_s",
    "read",
    "received_elsewhere",
    "report_lines",
    "report_text",
    "run_values",
    "said_by",
    "said_by_workload",
    "scan",
    "standard_field",
    "tasks_percent",
    "uncounted_bytes",
    "unseen_interrupts",
    "values_in",
    "window_counters",
    "window_counts",
]
