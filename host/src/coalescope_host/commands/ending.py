# SPDX-License-Identifier: Apache-2.0
"""How a command ends: what it says, and its exit status."""

import signal
from argparse import Namespace
from collections.abc import Callable

from coalescope_host.exit_statuses import FAILED, SIGNALLED, USAGE
from coalescope_host.plan.plan import PlanError
from coalescope_host.plan.server_url import A_SERVER, is_server
from coalescope_host.run import factory
from coalescope_host.run.journal import JournalError
from coalescope_host.run.signals import Interrupted
from coalescope_host.run.sweeping import PilotError, RestoreError
from coalescope_host.terminal import lines_of, say

from .answer import Answer

_TROUBLE: tuple[type[Exception], ...] = (
    JournalError,
    PilotError,
    RestoreError,
    OSError,
    *factory.FAILURES,
)


class UsageError(Exception):
    """The command line asks for what cannot be."""


def check_server(url: str) -> str:
    """That URL of `--server`. Errors: UsageError if logs cannot be sent there."""
    if not is_server(url):
        raise UsageError(f"--server {A_SERVER}")
    return url


def ended(
    command: str, options: Namespace, work: Callable[[Answer], int], goes_on: str = ""
) -> int:
    """The exit status: that of the work, or what `exit_statuses` says of how it ended.

    `goes_on` says what a command that was ended does when it is typed again.
    """
    answer = Answer(command, as_json=options.json)
    try:
        return answer.end(work(answer))
    except (UsageError, PlanError) as error:
        return _refused(command, answer, error, USAGE, "usage")
    except _TROUBLE as error:
        return _refused(command, answer, error, FAILED, "failed")
    except KeyboardInterrupt:
        return _interrupted(answer, Interrupted(signal.SIGINT), goes_on)
    except Interrupted as interruption:
        return _interrupted(answer, interruption, goes_on)


def _refused(command: str, answer: Answer, error: Exception, status: int, kind: str) -> int:
    first, *rest = lines_of(error)
    say(f"coalescope-host {command}: {first}", *rest)
    return answer.end(status, kind, "\n".join([first, *rest]))


def _interrupted(answer: Answer, interruption: Interrupted, goes_on: str) -> int:
    say(f"Ended: {interruption}. {goes_on}".rstrip())
    return answer.end(SIGNALLED + interruption.number, "interrupted", str(interruption))
