# SPDX-License-Identifier: Apache-2.0
"""Waiting for something to read, asleep."""

import math
import select


def is_readable(descriptor: int, within_s: float) -> bool:
    """Whether there is something to read, or its end, within this time.

    `select.select` refuses descriptors beyond 1023, which a process with many files open has.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(math.ceil(1000 * within_s)))
