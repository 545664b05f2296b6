# SPDX-License-Identifier: Apache-2.0
"""Stands where ssh does: an agent whose answers are changed at random, after some honest ones.

    fuzzed_peer.py SEED HONEST CHANCE [PROGRAM …] COMMAND

With a PROGRAM, COMMAND is run by it, as ssh has a peer's shell do, and what that agent answers is
changed; without one, nobody is there, and every question gets an answer of the right kind.

A file that FUZZED_NOTES names gets a line for each time that this is started, with a sign for each
answer: "." as it was, "!" changed. Started again, with the same file, it draws anew.
"""

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HONEST: dict[str, object] = {
    "hello": {"protocol": 1, "python": "3.13", "uid": 0},
    **{"problems": [], "changes": ["ip link set eth1 mtu 9000"], "save": {}, "missing": []},
    **{"apply": {"mtu_bytes": 9000}, "restore": None, "facts": {"driver": "veth"}, "probe": None},
    **{"now": {"mtu_bytes": 1500}},
    **{"clock": 1, "start": 3, "alive": True, "stop": "", "run": [0, "", ""]},
    **{"environment": {"cpus": 2}, "addresses": [["eth1", "10.0.0.2", 24]]},
}
WORDS: tuple[object, ...] = (
    *(None, True, -1, 0, 2**63, 2**70, 1.5, 1e308, "", "x" * 10_000, "\x1b]0;owned\x07\n\r"),
    *("\0", "words\nFORGED"),
    *([], {}, [[]], [None] * 2000, {"": {}}, {"a": [1, {"b": None}]}, "\ud800", "\u202e"),
)


def say(content: bytes) -> None:
    """Write all of it, or end where nobody reads."""
    try:
        while content:
            content = content[os.write(1, content) :]
    except OSError:
        os._exit(0)


def changed_value(chance: random.Random, value: object) -> object:
    """The value, with something in it, or all of it, replaced."""
    if isinstance(value, dict) and value and chance.random() < 0.6:
        name = chance.choice(list(value))
        return {**value, name: changed_value(chance, value[name])}
    if isinstance(value, list) and value and chance.random() < 0.6:
        at = chance.randrange(len(value))
        return [*value[:at], changed_value(chance, value[at]), *value[at + 1 :]]
    return chance.choice(WORDS)


def bytes_of(answer: object) -> bytes:
    return json.dumps(answer).encode()


def changed_bytes(chance: random.Random, line: bytes) -> bytes:
    """The line with some of its bytes changed, left out or doubled."""
    content = bytearray(line)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        content[at : at + chance.choice((0, 1, 8))] = chance.randbytes(chance.choice((0, 1, 8)))
    return bytes(content) + b"\n"


def changes(chance: random.Random, answer: dict[str, Any]) -> list[Callable[[], None]]:
    """What can become of an answer."""
    honest = bytes_of(answer)
    other_id = {**answer, "id": chance.choice((-1, 0, 1, 10**6, None, "1", True, []))}
    error = {"id": answer["id"], "error": chance.choice(WORDS)}
    value = {**answer, "value": changed_value(chance, answer.get("value"))}
    return [
        lambda: say(bytes_of(value) + b"\n"),
        lambda: say(bytes_of(value) + b"\n"),
        lambda: say(bytes_of(error) + b"\n"),
        lambda: say(bytes_of(other_id) + b"\n"),
        lambda: say(changed_bytes(chance, honest)),
        lambda: say(changed_bytes(chance, honest)),
        lambda: say(honest + b"\n" + honest + b"\n"),
        lambda: say(chance.randbytes(chance.randint(1, 5000)) + b"\n"),
        lambda: say(b"[" * chance.choice((10, 2000, 60_000)) + b"\n"),
        lambda: say(b"x" * (2 << 20)),
        lambda: say(b'{"id": -1}\n' * 5000),
        lambda: say(honest[: len(honest) // 2]),
        lambda: os.write(2, b"\x1b[2J complaint\nFORGED\n" * chance.randint(1, 2000)) and None,
        lambda: os._exit(chance.choice((0, 1, 255))),
        lambda: (say(honest[:3]), os._exit(0))[1],
        lambda: time.sleep(chance.choice((0.01, 0.05, 2.0))),
    ]


def note(sign: str) -> None:
    """Write it where somebody asks for notes."""
    if notes := os.environ.get("FUZZED_NOTES"):
        with Path(notes).open("a", encoding="ascii") as file:
            file.write(sign)


def starts() -> int:
    """How often this was started before, as far as is noted."""
    notes = os.environ.get("FUZZED_NOTES")
    return Path(notes).read_text(encoding="ascii").count("\n") if notes else 0


def answer(chance: random.Random, honest: int, often: float, answered: dict[str, Any]) -> None:
    """Pass an answer on, or what becomes of it once so many were honest."""
    if answered["id"] <= honest or chance.random() > often:
        note(".")
        say(bytes_of(answered) + b"\n")
    else:
        note("!")
        chance.choice(changes(chance, answered))()


def alone(chance: random.Random, honest: int, often: float) -> None:
    """Answer for nobody."""
    found = re.search(r"left = (\d+)", sys.argv[-1])
    assert found is not None
    sys.stdin.buffer.read(int(found[1]))
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if asked["do"] != "feed":
            value = HONEST[asked["do"]]
            answer(chance, honest, often, {"id": asked["id"], "value": value})


def between(program: list[str], chance: random.Random, honest: int, often: float) -> None:
    """Change what an agent answers; its input ends with ours."""
    agent = subprocess.Popen(
        [*program, sys.argv[-1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert agent.stdin is not None
    assert agent.stdout is not None
    writes = agent.stdin

    def pass_on() -> None:
        while content := os.read(0, 1 << 16):
            try:
                writes.write(content)
            except OSError:
                break
        writes.close()

    threading.Thread(target=pass_on, daemon=True).start()
    for line in agent.stdout:
        answer(chance, honest, often, json.loads(line))
    sys.exit(agent.wait())


def main() -> None:
    seed, honest, often = sys.argv[1:4]
    chance = random.Random(f"{seed} {starts()}")
    note("\n")
    program = sys.argv[4:-1]
    if program:
        between(program, chance, int(honest), float(often))
    else:
        alone(chance, int(honest), float(often))


if __name__ == "__main__":
    main()
