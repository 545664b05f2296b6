# SPDX-License-Identifier: Apache-2.0
"""coalescope verify."""

import sys
import time
from argparse import Namespace
from dataclasses import asdict

from coalescope.cli.exit_statuses import done_if
from coalescope.cli.fault_texts import fault_text
from coalescope.cli.local_store import settings_of
from coalescope.cli.output import counted, print_json
from coalescope.store import open_for_reading
from coalescope.uploads.reading import Reading
from coalescope.verification.service import Report, verify

_TOLD_EVERY_S = 10.0


class Progress:
    """Says on stderr now and then how far a long check is."""

    def __init__(self) -> None:
        self._told = time.monotonic()

    def __call__(self, what: str, done: int, of: int) -> None:
        """So many of them were looked at."""
        now = time.monotonic()
        if now - self._told >= _TOLD_EVERY_S:
            self._told = now
            print(f"coalescope: {done:,} of {of:,} {what} checked", file=sys.stderr)


def run(arguments: Namespace) -> int:
    """Check the whole local store without changing it; 1 if anything is wrong."""
    settings = settings_of(arguments)
    store = open_for_reading(settings.data_dir, settings.database_url, settings.object_store_url)
    try:
        deep = Reading.within(settings) if arguments.deep else None
        report = verify(store.database, store.object_store, deep, Progress())
    finally:
        store.close()
    if arguments.json:
        print_json({"sound": report.sound, **asdict(report)})
    else:
        print_report(report)
    return done_if(report.sound)


def print_report(report: Report) -> None:
    """Faults on stderr; what was looked at and what was left over on stdout."""
    for fault in report.faults:
        print(fault_text(fault.message, fault.where, fault.advice), file=sys.stderr)
    for left in report.leftovers:
        print(f"left over: {fault_text(left.message, left.where, left.advice)}")
    verdict = "all is well" if report.sound else counted(len(report.faults), "fault")
    print(
        f"{counted(report.files, 'file')}, {report.bytes / 1e6:.1f} MB; "
        f"{counted(report.experiments, 'experiment')}, {counted(report.runs, 'run')}: {verdict}."
    )
