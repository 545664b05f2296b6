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
        ("energy=3", "only cpu, throughput, p50, p99, p99.9 can be limited"),
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
