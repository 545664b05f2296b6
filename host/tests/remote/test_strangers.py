# SPDX-License-Identifier: Apache-2.0
"""Whatever a peer says, or does not: a lost peer in a sentence, in time, in bounded memory."""

import inspect
import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.remote import Deadlines, Peer, PeerError, PeerLostError, connect, connection
from coalescope_host.remote.connection import Connection, over_ssh
from coalescope_host.remote.peer import Server

STRANGER = Path(__file__).with_name("stranger.py")
SPEC = PeerSpec(ssh="root@stranger", address="192.0.2.7", interface="eth1")
IN_TIME_S = 2.0
"""Of an exchange, in these tests."""
QUICK = Deadlines(goodbye_s=IN_TIME_S, stranger_goodbye_s=IN_TIME_S)
"""Who greets has all the time that is usual."""
BUSY_S = 15.0
"""How much longer it may take on a machine that does other things."""

DEAF = {
    "says nothing": "time.sleep(60)",
    "says zeros": "while True: say(bytes(1 << 16))",
    "says lines": "while True: say(b'a line\\n' * 1000)",
    "complains": "sys.stdout = sys.stderr\nwhile True: print('a complaint', flush=True)",
}
AFTER_GREETING = {
    "a flood without a newline": "while True: say(b'x' * 65536)",
    "a long line": "say(b'\"' + b'x' * (64 << 20))",
    "endless answers to nothing": "while True: say(b'{\"id\": -1}\\n' * 1000)",
    "answers to what is asked later": 'say(b\'{"id": 99, "value": 0}\\n\'); time.sleep(60)',
    "the same answer twice": "a = request(); value(a, []); value(a, []); request(); time.sleep(60)",
    "silence": "request(); time.sleep(60)",
    "the end": "request()",
    "half an answer": "request(); say(b'{\"id\"')",
    "slow drops": "while True: say(b'x'); time.sleep(0.05)",
    "a flood of complaints": "while True: os.write(2, b'y' * 65536)",
}
LINES = {
    "a list": b"[1]",
    "a word": b"hello",
    "nothing": b"",
    "null": b"null",
    "deep": b"[" * 100_000,
    "deep and closed": b"[" * 5000 + b"]" * 5000,
    "no id": b'{"value": 1}',
    "an id that is text": b'{"id": "2", "value": 1}',
    "an id that is true": b'{"id": true, "value": 1}',
    "an id that is a list": b'{"id": [], "value": 1}',
    "no UTF-8": b'{"id": 2, "value": "\xff"}',
    "not finite": b'{"id": 2, "value": NaN}',
    "a huge number": b'{"id": 2, "value": ' + b"9" * 5000 + b"}",
    "half a surrogate pair": b'{"id": 2, "value": "\\ud800"}',
    "a name twice": b'{"id": 2, "id": 2, "value": []}',
    "more than an answer": b'{"id": 2, "value": [], "more": 1}',
    "an error that is no text": b'{"id": 2, "error": {}}',
}
VALUES: tuple[object, ...] = (
    *(None, True, -1, 1.5, "text", [], [1], [None], [[]], {}, {"a": {}}, {"a": [1]}),
    *([["eth0", "not an address", 24]], [["eth0", "10.0.0.1", 999]], [["a/b", "10.0.0.1", 24]]),
    *([["eth0", "10.0.0.1", "24"]], [1, 2, 3], ["a"] * 5000, {"a": "x" * 100_000}),
)
ARGUMENTS: Mapping[str, object] = {
    "levels": {"mtu_bytes": 9000},
    "factors": ["mtu_bytes"],
    "state": {},
    "argv": ["true"],
    "programs": ["true"],
    "address": "192.0.2.1",
    "mtu_bytes": 9000,
}


def shell(behaviour: str) -> list[str]:
    return [sys.executable, "-S", str(STRANGER), behaviour]


def stranger(behaviour: str) -> Peer:
    return connect(SPEC, shell(f"greet()\n{behaviour}"), QUICK)


def in_time(begun: float, exchanges: int) -> bool:
    return time.monotonic() - begun < exchanges * IN_TIME_S + BUSY_S


@pytest.mark.parametrize("behaviour", DEAF.values(), ids=DEAF.keys())
def test_one_that_does_not_take_the_host_tools(behaviour: str) -> None:
    begun = time.monotonic()
    with pytest.raises(PeerLostError, match="root@stranger: no answer to the host tools in time"):
        connect(SPEC, shell(behaviour), replace(QUICK, hello_s=IN_TIME_S))
    assert in_time(begun, 2)


@pytest.mark.parametrize("behaviour", AFTER_GREETING.values(), ids=AFTER_GREETING.keys())
def test_one_that_does_not_answer_as_an_agent(behaviour: str) -> None:
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peer, begun = stranger(behaviour), time.monotonic()
    with pytest.raises(PeerLostError, match=r"^root@stranger: \S"):
        while True:
            peer._connection.ask("problems", list, seconds=IN_TIME_S, levels={})
    with pytest.raises(PeerLostError):
        peer.close()
    assert in_time(begun, 3)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 16 << 10


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_a_line_that_is_no_answer(line: bytes) -> None:
    peer = stranger(f"request(); say({line!r} + b'\\n'); time.sleep(60)")
    with pytest.raises(PeerLostError, match="root@stranger: its answer to “problems” is") as error:
        peer.problems({"mtu_bytes": 9000})
    assert len(str(error.value)) < 300
    with pytest.raises(PeerLostError, match="its answer to “problems” is"):
        peer.facts()  # it stays lost
    with pytest.raises(PeerLostError):
        peer.close()


def test_an_honest_answer_passes() -> None:
    peer = stranger("value(request(), ['as it is']); value(request(), None); request()")
    assert peer.problems({}) == ["root@stranger: as it is"]
    peer.close()


def requests() -> dict[str, Callable[[Peer], object]]:
    """All that can be asked of a peer, found from its class."""
    found: dict[str, Callable[[Peer], object]] = {
        "Server.alive": lambda peer: Server(peer._connection, 1).alive(),
        "Server.stop": lambda peer: Server(peer._connection, 1).stop(),
        "clock_offset": lambda peer: peer.clock_offset,
    }
    for name, method in inspect.getmembers(Peer, inspect.isfunction):
        if not name.startswith("_"):
            needed = inspect.signature(method).parameters.values()
            given = [ARGUMENTS[p.name] for p in needed if p.default is p.empty and p.name != "self"]
            found[name] = lambda peer, name=name, given=given: getattr(peer, name)(*given)
    return found


@pytest.mark.parametrize("name", requests())
def test_every_answer_has_its_shape_or_the_peer_is_lost(name: str) -> None:
    """With each strange value, what comes out is of the method's type or a `PeerError`."""
    answers: dict[str, object] = {}

    class Answering(Connection):
        def __init__(self) -> None:
            self.name, self.deadlines = SPEC.ssh, QUICK
            self._number, self._unanswered, self._lost_for = 0, set(), None
            self._closed = connection.threading.Event()

        def _send(self, message: dict[str, Any], deadline: float) -> None:
            assert message["do"]

        def _answer(self, number: int, deadline: float) -> dict[str, object]:
            return {"id": number, "value": answers["value"]}

        def close(self) -> None:
            self._closed.set()

    lost = 0
    for answers["value"] in VALUES:
        try:
            requests()[name](Peer(SPEC, Answering()))
        except PeerError as error:
            lost += 1
            assert len(str(error)) < 5000
    if name != "lost":
        assert lost, "every request has values that are none of its answers"


def test_text_of_a_peer_is_one_line_of_bounded_length() -> None:
    hostile = "one\\r\\ntwo\\x1b[2J" + "x" * 100_000
    peer = stranger(
        f"say(json.dumps({{'id': request()['id'], 'error': '{hostile}'}}).encode() + b'\\n')\n"
        "os.write(2, b'\\n'.join([b'three'] * 9)); request()"
    )
    with pytest.raises(PeerError) as error:
        peer.facts()
    assert str(error.value).startswith("root@stranger: one; two")
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 2100
    with pytest.raises(PeerLostError, match=r"^root@stranger: three; three; three$"):
        peer.facts()
    with pytest.raises(PeerLostError):
        peer.close()


def ended(stat: Path) -> bool:
    try:
        return stat.read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_nothing_that_a_stranger_started_stays(tmp_path: Path, soon: Callable[..., bool]) -> None:
    pid = tmp_path / "pid"
    behaviour = (
        "import subprocess, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"open({str(pid)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))\n"
        "greet(); request(); say(b'[]\\n'); time.sleep(600)"
    )
    peer = connect(SPEC, shell(behaviour), QUICK)
    with pytest.raises(PeerLostError):
        peer.facts()
    with pytest.raises(PeerLostError):
        peer.close()
    stat = Path("/proc", pid.read_text(), "stat")
    assert soon(lambda: ended(stat))


def test_ssh_is_asked_for_no_password_and_takes_no_option_for_a_host() -> None:
    assert over_ssh(SPEC)[-2:] == ["--", SPEC.ssh]
