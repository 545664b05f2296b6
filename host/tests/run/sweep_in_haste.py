# SPDX-License-Identifier: Apache-2.0
"""The command line of the host tools, whose sweeps wait for a peer for no more than seconds.

python sweep_in_haste.py sweep PLAN.toml …
"""

import sys
from functools import partial

from coalescope_host.command_line import parsers
from coalescope_host.commands import sweep
from coalescope_host.remote import Deadlines, connect
from coalescope_host.run.factory import open_bench
from coalescope_host.terminal import show_steering

HASTE = Deadlines(
    hello_s=30.0,  # an agent has to start
    answer_s=5.0,
    restore_s=5.0,
    goodbye_s=5.0,
    stranger_goodbye_s=1.0,
    cut_s=1.0,
)


def main() -> int:
    show_steering()
    options, options_unknown = parsers()[0].parse_known_args(sys.argv[1:])
    options.unknown = options_unknown
    in_haste = partial(connect, deadlines=HASTE)
    return sweep.run(options, lambda plan, check: open_bench(plan, check, in_haste))


if __name__ == "__main__":
    sys.exit(main())
