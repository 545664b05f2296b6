# SPDX-License-Identifier: Apache-2.0
"""How long a peer is waited for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Deadlines:
    """Seconds for each kind of exchange; whoever takes longer is lost.

    Attributes:
        hello_s: from when ssh is started until the agent answers.
        answer_s: for a usual answer.
        restore_s: for putting everything back.
        run_s: for a program that runs to its end.
        goodbye_s: for the agent to end by itself when the conversation has ended.
        stranger_goodbye_s: the same of one whose answers are none: it is not to be waited for.
        cut_s: for ssh to end and say why, where the connection is gone.
    """

    hello_s: float = 60.0
    answer_s: float = 120.0
    restore_s: float = 180.0
    run_s: float = 3600.0
    goodbye_s: float = 60.0
    stranger_goodbye_s: float = 5.0
    cut_s: float = 2.0


USUAL = Deadlines()
