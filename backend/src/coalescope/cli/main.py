# SPDX-License-Identifier: Apache-2.0
"""Run one command and turn what it raises into an exit status and a sentence on stderr."""

import importlib
import io
import os
import sys
from collections.abc import Sequence

from coalescope_host.terminal import show_steering

from coalescope.cli.parser import parse

WRONG_INPUT = 1
# 2, wrong usage, is argparse's; the two below are what a shell reports for the signals.
INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (default: the process's own) and return its exit status."""
    # Closed by the shell (>&-): what is printed goes nowhere.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters is no reason
    show_steering()
    arguments = parse(argv)
    try:
        status: int = importlib.import_module(arguments.module).run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough (… | head). Nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PIPE_CLOSED
    except Exception as error:
        from coalescope.cli.complaints import explain  # noqa: PLC0415  only when it is needed

        reason = explain(error)
        if reason is None:
            raise
        print(reason, file=sys.stderr)
        return WRONG_INPUT
    return status
