# SPDX-License-Identifier: Apache-2.0
"""Run one command and turn what it raises into an exit status and a sentence on stderr."""

import importlib
import io
import sys
from collections.abc import Sequence

from coalescope_host.terminal import PipeClosed, end_quietly, show_steering

from coalescope.cli.parser import parse

WRONG_INPUT = 1
# 2, wrong usage, is argparse's; this is what a shell reports for the signal.
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (default: the process's own) and return its exit status."""
    # Closed by the shell (>&-): what is printed goes nowhere.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters is no reason
    show_steering()
    try:
        try:
            arguments = parse(argv)
            status: int = importlib.import_module(arguments.module).run(arguments)
        finally:
            sys.stdout.flush()  # of --help, too, which ends with SystemExit
    except KeyboardInterrupt:
        return INTERRUPTED
    except PipeClosed:
        return end_quietly()
    except Exception as error:
        from coalescope.cli.complaints import explain  # noqa: PLC0415  only when it is needed

        reason = explain(error)
        if reason is None:
            raise
        print(reason, file=sys.stderr)
        return WRONG_INPUT
    return status
