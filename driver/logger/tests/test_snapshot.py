# SPDX-License-Identifier: Apache-2.0
"""What the logger makes of the kernel module's bytes: older and newer modules, and nonsense.

The module itself is tested with the logger in a virtual machine, see driver/module/tests.
"""

import random
import struct
import subprocess
from pathlib import Path

import pytest

LOGGER = Path(__file__).resolve().parents[1]
MAGIC = b"COLCSNP1"
SIZE, QUEUE_SIZE = 352, 64
FROM_COUNTERS, FROM_QUEUE_COUNTERS = 72, 16
NO_INTERRUPTS = 1 << 2


def snapshot(
    *, size=SIZE, queues=0, queue_size=QUEUE_SIZE, magic=MAGIC, flags=0, times=1, more=b""
):
    """Bytes as the module hands them out: counter n stands at times·(n + 1), queues' from 1000."""
    count = max(size - FROM_COUNTERS, 0) // 8
    counters = [times * (n + 1) for n in range(count)]
    head = struct.pack("<IIIIIIQ", 1, size, queue_size, queues, flags, 3, 17)
    clocks = struct.pack("<QQIIII", 3_000_000, 1_000_000, 3_000_000, 2, 5, 0)
    own = (magic + head + clocks + struct.pack(f"<{count}Q", *counters))[:size]
    per_queue = b""
    for queue in range(queues):
        values = [1000 * (queue + 1) + n for n in range((queue_size - FROM_QUEUE_COUNTERS) // 8)]
        start = struct.pack("<IIiI", queue, 0, -1, 0)
        per_queue += (start + struct.pack(f"<{len(values)}Q", *values))[:queue_size]
    return own + per_queue + more


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Under the sanitizers: a byte too far ends it."""
    out = tmp_path_factory.mktemp("decode") / "decode_snapshot"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = ["tests/decode_snapshot.c", "snapshot.c", "source.c", "text.c"]
    paths = ["-I.", "-I../include"]
    command = ["cc", *flags, *sanitizers, *paths, *sources, "-o", str(out)]
    subprocess.run(command, cwd=LOGGER, check=True)
    return str(out)


def decode(program, first, second=None, queues=0):
    """Names and values, or None where the bytes are refused."""
    given = b"".join(len(part).to_bytes(4, "little") + part for part in (first, second or first))
    done = subprocess.run([program, str(queues)], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    if lines == ["refused"]:
        return None
    return {name: int(value) for name, _, value in (line.split() for line in lines)}


def test_each_counter_has_its_own_place(program):
    found = decode(program, snapshot(queues=2), queues=2)
    assert next(iter(found)) == "t_monotonic_ns"
    assert (found["t_tsc"], found["t_monotonic_ns"]) == (3_000_000, 1_000_000)
    assert (found["rx_packets"], found["rx_bytes"], found["interrupts"]) == (1, 2, 5)
    assert (found["idle_cycles"], found["other_irq_cycles"]) == (11, 16)
    assert (found["cpu_user_ns"], found["cpu_steal_ns"]) == (17, 24)
    assert (found["driver_rx_packets"], found["rx_fifo_errors"]) == (25, 34)
    assert (found["retries"], found["flags"]) == (3, 0)
    assert (found["rx_packets.q0"], found["rx_polls.q1"]) == (1000, 2004)
    assert found["skew_ns"] == 35
    assert len(found) == 29 + 10 + 10


@pytest.mark.fault("I6")
def test_interrupts_that_the_module_cannot_see_have_no_columns(program):
    every = decode(program, snapshot(queues=1), queues=1)
    seen = decode(program, snapshot(queues=1, flags=NO_INTERRUPTS), queues=1)
    names = {"interrupts", "rx_interrupts", "schedules", "irq_cycles", "rx_interrupts.q0"}
    assert every.keys() - seen.keys() == names
    others = every.keys() - names - {"flags"}
    assert {name: seen[name] for name in others} == {name: every[name] for name in others}


def test_an_older_module_has_fewer_fields(program):
    found = decode(program, snapshot(size=264))  # before the driver's statistics came
    assert "rx_fifo_errors" not in found
    assert "driver_rx_packets" not in found
    assert found["cpu_steal_ns"] == 24
    assert len(found) == 28
    assert "skew_ns" not in decode(program, snapshot(size=344))
    assert "rx_polls.q0" not in decode(program, snapshot(queues=1, queue_size=48), queues=1)


def test_a_newer_modules_further_fields_are_skipped(program):
    assert decode(program, snapshot(size=400)) == decode(program, snapshot())
    newer = snapshot(size=400, queues=3, queue_size=96)
    assert decode(program, newer, queues=3) == decode(program, snapshot(queues=3), queues=3)


def test_a_queue_that_comes_later_fills_its_columns_or_stays_in_the_totals(program):
    one, three = snapshot(queues=1), snapshot(queues=3)
    expected = decode(program, one, three, queues=2)
    assert expected["rx_packets.q1"] == 2000
    assert "rx_packets.q2" not in expected
    assert decode(program, one, one, queues=2)["rx_packets.q1"] == 0


WRONG = {
    "nothing": b"",
    "a part of the head": snapshot()[:100],
    "one byte less": snapshot()[:351],
    "another magic": snapshot(magic=b"COLCSNP2"),
    "too small to be one": snapshot(size=96),
    "a queue cut off": snapshot(queues=2)[:-1],
    "queues too small to be one": snapshot(queues=1, queue_size=8),
    "far too many queues": snapshot()[:20] + (2**32 - 1).to_bytes(4, "little") + snapshot()[24:],
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_is_no_whole_snapshot_is_refused(program, wrong):
    assert decode(program, wrong) is None
    assert decode(program, snapshot()) is not None


def test_no_bytes_lead_it_astray(program):
    dice = random.Random(3)
    good = snapshot(queues=2)
    for _ in range(150):
        bytes_ = bytearray(good[: dice.randrange(len(good) + 1)])
        for _ in range(dice.randrange(4)):
            if bytes_:
                bytes_[dice.randrange(min(len(bytes_), 40))] = dice.randrange(256)
        decode(program, bytes(bytes_), queues=2)
