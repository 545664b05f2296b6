# SPDX-License-Identifier: Apache-2.0
"""Run one command and turn what it raises into an exit status and a sentence on stderr."""

import importlib
import sys
from collections.abc import Sequence

from coalescope_host.terminal import PipeClosed, end_quietly, show_steering

from coalescope.cli.exit_statuses import ExitStatus
from coalescope.cli.parser import parse


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv` (default: the process's own) and return its exit status."""
    show_steering()
    arguments = None
    try:
        try:
            arguments = parse(argv)
            status: int = importlib.import_module(arguments.module).run(arguments)
        finally:
            sys.stdout.flush()  # of --help, too, which ends with SystemExit
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except PipeClosed:
        return end_quietly()
    except Exception as error:
        from coalescope.cli import error_output  # noqa: PLC0415  only when it is needed

        reason = error_output.explain(error)
        if reason is None:
            raise
        if getattr(arguments, "json", False):
            error_output.print_document(error)
        print(reason, file=sys.stderr)
        return ExitStatus.UNFIT
    return status
