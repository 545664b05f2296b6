# SPDX-License-Identifier: Apache-2.0
"""Files of other tools, known by how they begin: neither run logs nor tables. Pure."""

import re
from typing import BinaryIO

from coalescope.errors import CoalescopeError

_START_BYTES = 4096

#: The first that matches the start of a file names its tool.
_KNOWN = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r'\{\s*"start":[\s\S]*"iperf ', "the JSON of iperf3"),
        (r'\{"(interval|counter-value)"', "the JSON of perf stat"),
        (r'\{\s*"sysstat":', "the JSON of sysstat (mpstat, sar)"),
        (r'\[\s*\{\s*"ifname":', "the JSON of ethtool or ip"),
        (r"[\[{]", "JSON"),
        (r"(Coalesce|Ring|Channel|Pause) parameters for ", "the output of ethtool"),
        (r"(Features|Settings) for .*:|NIC statistics:", "the output of ethtool"),
        (r"Connecting to host |-+\nServer listening on", "the output of iperf3"),
        (r"(MIGRATED )?(TCP|UDP)_\w+ (TEST|REQUEST)", "the output of netperf"),
        (r"Linux \S+ \(.*\)", "the output of sysstat (mpstat, sar)"),
        (r"(# started on|\s*Performance counter stats)", "the output of perf stat"),
        (r"\s*<(\?xml|!DOCTYPE|html)", "XML or HTML"),
    )
)


def refuse_foreign(file: BinaryIO) -> None:
    """Refuse a text that another tool wrote. Errors: 422 that names it."""
    start = file.read(_START_BYTES).decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    file.seek(0)
    for pattern, name in _KNOWN:
        if pattern.match(start):
            raise CoalescopeError(
                "foreign_file",
                f"This is {name}, which is neither a run log nor a table.",
                where={"row": 1},
                advice="What `coalescope import` reads of other tools, docs/imported-formats.md "
                "lists. Write anything else as a CSV table, a row for each run (docs/tidy-csv.md).",
            )
