# SPDX-License-Identifier: Apache-2.0
"""Exchanges with a peer that answers at random: each has its answer, or is a `PeerError`."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.remote import Deadlines, PeerError, PeerLostError, connect
from timeouts import TIMEOUT_S

from .test_strangers import requests

FUZZED = Path(__file__).with_name("fuzzed_peer.py")
SPEC = PeerSpec(ssh="root@fuzzed", address="192.0.2.7", interface="eth1")
LONGEST_S = 60.0
OFTEN = 0.1


QUICK = Deadlines(
    hello_s=TIMEOUT_S,  # who says hello has to start
    **dict.fromkeys(("answer_s", "restore_s", "run_s"), 1.0),
    **dict.fromkeys(("goodbye_s", "stranger_goodbye_s", "cut_s"), 1.0),
)


def exchanges(number: int, seed: int) -> Counter[str]:
    """Ask so often, whichever peer it takes; how it ended, by kind."""
    chance, found = random.Random(seed), Counter[str]()
    named = {name: ask for name, ask in requests().items() if name not in ("close", "lost")}
    while found.total() < number:
        shell = [sys.executable, "-S", str(FUZZED), str(chance.random()), "1", str(OFTEN)]
        peer = connect(SPEC, shell, QUICK)
        try:
            while found.total() < number:
                ask, begun = named[chance.choice(list(named))], time.monotonic()
                try:
                    ask(peer)
                    found["answered"] += 1
                except PeerLostError as error:
                    found["lost"] += 1
                    assert str(error).startswith("root@fuzzed: ")
                    assert len(str(error)) < 2500
                    break
                except PeerError:
                    found["refused"] += 1
                finally:
                    assert time.monotonic() - begun < LONGEST_S
        finally:
            try:
                peer.close()
            except PeerError as error:
                found["not put back"] += 1
                assert str(error).startswith("root@fuzzed: ")
                assert len(str(error)) < 2500
            assert peer.lost(), "it is asked no more"
    return found


def left() -> str:
    listed = ["pgrep", "-f", "-P", str(os.getpid()), FUZZED.name]
    return subprocess.run(listed, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    "number", [150, pytest.param(10_000, marks=[pytest.mark.soak, pytest.mark.timeout(0)])]
)
def test_each_exchange_has_its_answer_or_is_a_peer_error(number: int) -> None:
    found = exchanges(number, seed=21)
    assert found["answered"] > number / 3
    assert found["lost"] > number / 50
    assert found["not put back"] > number / 1000
    assert not left()
