# SPDX-License-Identifier: Apache-2.0
"""traffic.py FRAMES [ENOUGH]: so many frames in bursts of three, of 32 flows in turn.

With ENOUGH, first one frame a millisecond, until that file is there. Prints when it was quiet
before and after the bursts, in nanoseconds of CLOCK_MONOTONIC_RAW, as the logger counts them.
"""

import os
import socket
import sys
import time

FLOWS, QUIET_S = 32, 0.2  # a host puts each flow on a queue by chance: of few all can be on one
frames, enough = int(sys.argv[1]), sys.argv[2:]
out = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(FLOWS)]


def send(number):
    out[number % FLOWS].sendto(bytes(1000), ("10.0.0.1", 9))


def quiet():
    time.sleep(QUIET_S)
    sys.stdout.write(f"{time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)}\n")
    sys.stdout.flush()
    time.sleep(QUIET_S)


number = 0
while enough and not os.path.exists(enough[0]):  # noqa: PTH110  (pathlib loads slowly here)
    send(number)
    number += 1
    time.sleep(0.001)
quiet()
for number in range(frames):
    send(number)
    if number % 3 == 2:
        time.sleep(0.002)
quiet()
