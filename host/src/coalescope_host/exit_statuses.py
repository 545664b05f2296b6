# SPDX-License-Identifier: Apache-2.0
"""What commands end with, said once: they return it, and help and manual pages tell it."""

from collections.abc import Mapping

DONE, FAILED, USAGE = 0, 1, 2
SIGNALLED = 128
"""And the number of the signal."""
INTERRUPTED = SIGNALLED + 2
PIPE_CLOSED = SIGNALLED + 13

_OF_ALL: Mapping[int, str] = {
    DONE: "done",
    FAILED: "something failed, or cannot be done here",
    USAGE: "the command line is wrong",
    INTERRUPTED: "interrupted by Ctrl-C (by another signal: 128 and its number)",
    PIPE_CLOSED: "nobody reads the output any more",
}
_PLAN_WRONG = "the command line or the plan is wrong"
_OF: Mapping[str, Mapping[int, str]] = {
    "check": {FAILED: "a log is refused, cut off or cannot be opened"},
    "demo": {FAILED: "a run failed, or this machine cannot do it"},
    "sweep": {
        FAILED: "a run failed, or these hosts cannot do it (with --dry-run: something is in the "
        "way)",
        USAGE: _PLAN_WRONG,
    },
    "tune": {
        DONE: "there is an answer",
        FAILED: "the runs are not enough for an answer, it was not confirmed, or these hosts "
        "cannot do it",
        USAGE: _PLAN_WRONG,
    },
    "calibrate": {FAILED: "the device took none of the delays, or something failed"},
    "diff": {
        DONE: "compared",
        FAILED: "with --exit-code: something differs",
        USAGE: "the command line is wrong, or a file cannot be read",
    },
    "upload": {FAILED: "the server has not taken all of the logs"},
    "restore": {FAILED: "something could not be put back"},
}


def statuses_of(command: str) -> Mapping[int, str]:
    """What a command can end with, and what each status means."""
    return {**_OF_ALL, **_OF.get(command, {})}


def told(statuses: Mapping[int, str]) -> str:
    """Statuses as a paragraph of a help text."""
    listed = (f"{status:d} {meaning}" for status, meaning in statuses.items())
    return f"Exit status: {'; '.join(listed)}."
