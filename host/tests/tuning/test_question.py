# SPDX-License-Identifier: Apache-2.0
"""Goals and limits as they are typed."""

import pytest
from coalescope_host.tuning.question import QUANTITIES, QuestionError, question_of
from coalescope_models.vocabulary.quantity import QUANTITIES as GLOSSARY


def test_limits_are_read_with_their_units() -> None:
    limits = question_of("p99", ["cpu=30%", "p99.9 = 1.5ms", "throughput=2Gb/s", "p50=80"]).limits
    assert [(limit.word, limit.value) for limit in limits] == [
        ("cpu", 30.0),
        ("p99.9", 1500.0),
        ("throughput", 2000.0),
        ("p50", 80.0),
    ]
    assert [str(limit) for limit in limits] == [
        "cpu at most 30 %",
        "p99.9 at most 1500 us",
        "throughput at least 2000 Mb/s",
        "p50 at most 80 us",
    ]


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("cpu", "must be like cpu=30%"),
        ("cpu=30us", "cpu is in %"),
        ("energy=3", "only cpu, throughput, p50, p99, p99.9, delay can be limited"),
        ("delay=3Mb/s", "delay is in us"),
        ("rx_frames=3us", "rx_frames is a bare number"),
        ("ccpu=30%", "can be limited"),
        ("cpu=0%", "must be more than 0"),
        ("cpu=1.2.3", "1.2.3 is no number"),
    ],
)
def test_a_limit_that_is_none_is_refused(limit: str, said: str) -> None:
    with pytest.raises(QuestionError, match=said):
        question_of("cpu", [limit])


def test_a_goal_that_is_none_is_refused() -> None:
    with pytest.raises(QuestionError, match=r"--goal speed: must be one of cpu, throughput, p50"):
        question_of("speed", [])


def test_what_is_aimed_at_is_in_the_glossary_with_the_same_sense() -> None:
    for quantity in QUANTITIES.values():
        for measure in (*quantity.aims, *quantity.limits):
            assert GLOSSARY[measure].better == quantity.sense, measure


CELLS = [{"delay_us": d, "rx_frames": f, "workload": "tcp"} for d in (0, 20, 100) for f in (1, 8)]


def test_a_wait_is_limited_by_its_level_and_a_cost_asks_for_that() -> None:
    """The rule of the server's recommendations."""
    assert question_of("cpu", ()).free_waits(CELLS) == ["delay_us"]
    assert question_of("energy", ["cpu=30%"]).free_waits(CELLS) == ["delay_us"]
    for limit in ("delay=50us", "delay_us=50", "delay=0.05ms"):
        limited = question_of("cpu", [limit])
        assert limited.waits == (("delay_us", 50.0),)
        assert limited.limits == ()
        assert limited.free_waits(CELLS) == []
        assert [cell["delay_us"] for cell in CELLS if limited.keeps_waits(cell)] == [0, 0, 20, 20]
    assert question_of("cpu", ["p99=200us"]).free_waits(CELLS) == []
    assert question_of("cpu", (), any_wait=True).free_waits(CELLS) == []
    assert question_of("p99", ()).free_waits(CELLS) == []
    assert question_of("throughput", ()).free_waits(CELLS) == []
    frames = question_of("cpu", ["rx_frames=4"])
    assert frames.free_waits(CELLS) == ["delay_us"], "frames bound no time"


def test_latency_is_guarded_where_nothing_is_said_of_it() -> None:
    assert question_of("cpu", ()).guards_latency
    assert question_of("throughput", ["cpu=30%"]).guards_latency
    assert not question_of("p99", ()).guards_latency
    assert not question_of("cpu", ["delay=50us"]).guards_latency
    assert not question_of("cpu", (), any_wait=True).guards_latency
