# SPDX-License-Identifier: Apache-2.0
"""`make testbed`: run the design, pack the data set, put it beside the paper."""

import argparse
import sys
import time

from guest.errors import GuestError

from testbed.beside_the_paper import table
from testbed.blocks import all_replicates, run_blocks
from testbed.cost import costs
from testbed.dataset import DATASET, describe, pack


def main() -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser(prog="make testbed", description=__doc__)
    parser.add_argument("--at-once", type=int, default=2, help="guests at a time (2)")
    parser.add_argument(
        "--only-blocks", metavar="N", type=int, nargs="+", help="run these, and pack nothing"
    )
    options = parser.parse_args()
    started = time.monotonic()
    try:
        blocks = run_blocks(options.only_blocks or all_replicates(), options.at_once)
        cost = costs(blocks, time.monotonic() - started)
        if options.only_blocks:
            sys.stdout.write(f"{cost}\n")
            return 0
        archive = pack(blocks)
        describe(archive)
    except GuestError as error:
        sys.stderr.write(f"testbed: {error}\n")
        return 1
    sys.stdout.write(f"{archive}: {archive.stat().st_size:,} bytes\n\n{table(DATASET)}\n\n{cost}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
