# SPDX-License-Identifier: Apache-2.0
"""What commands end with, said once: they return it, and help and manual pages tell it."""

from collections.abc import Mapping
from enum import IntEnum

from coalescope_host import exit_statuses


class ExitStatus(IntEnum):
    """What a command ends with. `UNFIT` is also that of every error."""

    DONE = 0
    UNFIT = 1
    USAGE = 2
    WORSE = 3
    NOT_KNOWN = 4
    INTERRUPTED = 130
    PIPE_CLOSED = 141


_WRONG = "the input is wrong (the reason is on stderr)"
_OF_ALL: Mapping[int, str] = {
    ExitStatus.DONE: "done",
    ExitStatus.UNFIT: _WRONG,
    ExitStatus.USAGE: "the command line is wrong",
    ExitStatus.INTERRUPTED: "interrupted by Ctrl-C",
    ExitStatus.PIPE_CLOSED: "nobody reads the output any more",
}
# Of a command: what else `UNFIT` means.
_UNFIT: Mapping[str, str] = {
    "backup": "the copy is not sound",
    "check": "a file is refused or cut off",
    "fit": "the data cannot determine the model's parameters",
    "import": "not all of the files are stored",
    "recommend": "no setting is recommended (the data are not enough to choose, or a longer delay "
    "needs a limit)",
    "restore": "the copy is not sound",
    "upload": "the server has not taken all of the files",
    "verify": "something stored is missing, damaged or wrong",
}
_OTHERS: Mapping[str, Mapping[int, str]] = {
    "compare": {
        ExitStatus.DONE: "done (with --fail-if-worse: B is worse in no measure)",
        ExitStatus.WORSE: "with --fail-if-worse: B is worse in a measure",
        ExitStatus.NOT_KNOWN: "with --fail-if-worse: of a measure it is not known whether B is "
        "worse, and B is worse in none",
    },
    "serve": {ExitStatus.DONE: "stopped, by Ctrl-C or SIGTERM"},
}


def done_if(fine: bool) -> ExitStatus:
    """The status of a command that did what it could, and found its input fit or not."""
    return ExitStatus.DONE if fine else ExitStatus.UNFIT


def statuses_of(command: str) -> Mapping[int, str]:
    """What a command can end with, and what each status means."""
    found = {**_OF_ALL, **_OTHERS.get(command, {})}
    if command in _UNFIT:
        found[ExitStatus.UNFIT] = f"{_UNFIT[command]}, or {_WRONG}"
    return dict(sorted(found.items()))


def told(command: str) -> str:
    """The same as a paragraph of a help text."""
    return exit_statuses.told(statuses_of(command))
