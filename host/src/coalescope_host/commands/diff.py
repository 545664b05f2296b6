# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host diff`: says what differs between two snapshots or run logs."""

from argparse import Namespace
from dataclasses import asdict

from coalescope_host.exit_statuses import FAILED, USAGE
from coalescope_host.snapshots.differences import compare, lines
from coalescope_host.snapshots.files import NotReadError, read_environment
from coalescope_host.terminal import say

from .answer import Answer

_DIFFERS, _TROUBLE = FAILED, USAGE  # as of diff(1)


def run(options: Namespace) -> int:
    """0; with --exit-code 1 where something differs, as diff(1) does; 2 for an unreadable file."""
    answer = Answer("diff", as_json=options.json)
    try:
        before, after = (read_environment(path) for path in (options.before, options.after))
    except NotReadError as error:
        say(f"coalescope-host diff: {error}")
        return answer.end(_TROUBLE, "failed", str(error))
    found = compare(before, after)
    answer.tell(
        lines(found, (options.before.name, options.after.name)),
        differences=[asdict(one) for one in found.differences],
        same=found.same,
        unknown=found.unknown,
    )
    return answer.end(_DIFFERS if options.exit_code and found.differences else 0)
