# SPDX-License-Identifier: Apache-2.0
"""Tuning of made-up machines: what it measures, when it stops, what it answers."""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from coalescope_host.plan.factors import Levels
from coalescope_host.tuning import design
from coalescope_host.tuning.belief import Measured, NotMeasuredError
from coalescope_host.tuning.design import budget_of
from coalescope_host.tuning.experiment import Experiment
from coalescope_host.tuning.question import Question, question_of

DELAYS = (0, 5, 10, 20, 40, 80, 160, 320)
CELLS: Sequence[Levels] = [
    *({"adaptive_rx": False, "delay_us": d} for d in DELAYS),
    {"adaptive_rx": True, "delay_us": 0},
]
START = {"adaptive_rx": False, "delay_us": 0}
Machine = Callable[[Levels], dict[str, float]]


def lossy(cell: Levels) -> dict[str, float]:
    """The longer the delay the less CPU; from 160 µs on, packets are lost."""
    delay = 0.0 if cell["adaptive_rx"] else float(cell["delay_us"])
    cost = 10.0 / (1.0 + delay / 20.0) + 1.0
    lost = 0.0 if delay < 160 else 40_000.0
    return {"traffic_cpu_s_per_gb": cost, "throughput_mbps": 900.0, "ring_drops": lost}


def latency(cell: Levels) -> dict[str, float]:
    """Best at 40 µs; adaptive moderation is a little worse than that."""
    if cell["adaptive_rx"]:
        return {"latency_p99_us": 115.0, "throughput_mbps": 900.0, "host_cpu_percent": 30.0}
    delay = float(cell["delay_us"])
    p99 = 100.0 * (1.0 + 0.08 * math.log((delay + 5.0) / 45.0) ** 2)
    cpu = 60.0 / (1.0 + delay / 20.0) + 10.0
    return {"latency_p99_us": p99, "throughput_mbps": 900.0, "host_cpu_percent": cpu}


def tuned(
    machine: Machine,
    question: Question,
    seed: int = 0,
    noise: float = 0.01,
    drift: Callable[[int], float] = lambda number: 1.0,
    start: Levels = START,
) -> tuple[Experiment, list[Measured]]:
    experiment = Experiment(CELLS, question, start, seed)
    chance = random.Random(seed)
    runs: list[Measured] = []
    budget = budget_of(len(CELLS))
    while settings := experiment.next_round(runs, budget - len(runs)):
        number = len(experiment.choices) + 1
        for setting in settings:
            values = {
                name: value * drift(number) * math.exp(chance.gauss(0.0, noise * _scatter(name)))
                for name, value in machine(CELLS[setting]).items()
            }
            runs.append(Measured(setting, number, values))
        experiment.learn(runs)
    assert len(runs) <= budget
    return experiment, runs


def _scatter(measure: str) -> float:
    """A throughput scatters less than what is made of it."""
    return 0.2 if measure == "throughput_mbps" else 1.0


def answer(experiment: Experiment) -> Levels | None:
    found = experiment.choices[-1].answer
    return None if found is None else CELLS[found]


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_the_best_delay_and_stops_before_the_budget_ends(seed: int) -> None:
    experiment, runs = tuned(latency, question_of("p99", ()), seed)
    found = answer(experiment)
    assert found is not None
    assert latency(found)["latency_p99_us"] <= 1.02 * 100
    assert len(runs) <= budget_of(len(CELLS)), "a fifth of ten replicates of each"


def test_every_round_returns_to_what_is_set_now() -> None:
    experiment, runs = tuned(latency, question_of("p99", ()))
    rounds = {run.round for run in runs}
    assert rounds == {run.round for run in runs if run.setting == experiment.reference}
    assert CELLS[experiment.reference] == START
    assert experiment.has_start


def test_runs_go_to_the_settings_that_decide() -> None:
    _, runs = tuned(latency, question_of("p99", ()), noise=0.03)
    counts = Counter(CELLS[run.setting]["delay_us"] for run in runs)
    assert counts[40] + counts[20] + counts[80] > 2 * (counts[160] + counts[320] + counts[5])


def test_of_settings_that_are_as_good_the_one_of_now_stays() -> None:
    def flat(cell: Levels) -> dict[str, float]:
        return {"latency_p99_us": 100.0, "throughput_mbps": 900.0}

    for start in (START, {"adaptive_rx": True, "delay_us": 0}, {**START, "delay_us": 80}):
        experiment, _ = tuned(flat, question_of("p99", ()), start=start)
        assert answer(experiment) == start


def test_a_limit_on_the_cpu_is_kept() -> None:
    """At 40 µs it is 30 %: just above the limit, so the next longer delay is the answer."""
    experiment, _ = tuned(latency, question_of("p99", ["cpu=27%"]))
    found = answer(experiment)
    assert found is not None
    assert found["delay_us"] == 80
    without, _ = tuned(latency, question_of("p99", ()))
    assert (answer(without) or {})["delay_us"] in (20, 40)


def test_a_limit_that_nothing_keeps_has_no_answer() -> None:
    experiment, runs = tuned(latency, question_of("p99", ["p99=50us"]))
    assert answer(experiment) is None
    assert len(runs) <= budget_of(len(CELLS))


def test_a_cost_is_not_bought_with_throughput() -> None:
    """Longer delays are cheaper, and beyond 80 µs half of the throughput is lost."""

    def falling(cell: Levels) -> dict[str, float]:
        delay = float(cell["delay_us"])
        speed = 900.0 if delay <= 80 else 450.0
        return {"system_cpu_s_per_gb": 5.0 / (1.0 + delay / 20.0) + 1.0, "throughput_mbps": speed}

    experiment, _ = tuned(falling, question_of("cpu", ()))
    assert answer(experiment) == {"adaptive_rx": False, "delay_us": 80}
    experiment, _ = tuned(falling, question_of("cpu", (), within_percent=None))
    assert answer(experiment) == {"adaptive_rx": False, "delay_us": 320}


@pytest.mark.parametrize("seed", range(3))
def test_a_host_that_warms_up_is_no_reason_to_change_it(seed: int) -> None:
    """All settings do the same, and all do worse by 4 % from round to round."""

    def same(cell: Levels) -> dict[str, float]:
        return {"latency_p99_us": 100.0, "throughput_mbps": 900.0}

    experiment, runs = tuned(
        same, question_of("p99", (), within_percent=None), seed, drift=lambda n: 1.04**n
    )
    assert answer(experiment) == START
    assert experiment.belief is not None
    drift = experiment.belief.drifts["latency_p99_us"]
    assert drift.spread > 0.02
    last = max(run.round for run in runs)
    grew = drift.by_round[last] - drift.by_round[1]
    assert grew == pytest.approx((last - 1) * math.log(1.04), rel=0.2)


def test_without_drift_none_is_taken_out() -> None:
    experiment, _ = tuned(latency, question_of("p99", ()), noise=0.01)
    assert experiment.belief is not None
    assert experiment.belief.drifts["latency_p99_us"].spread < 0.01


def test_adaptive_moderation_is_a_candidate_like_others() -> None:
    def adapts(cell: Levels) -> dict[str, float]:
        return {"latency_p99_us": 80.0 if cell["adaptive_rx"] else 100.0, "throughput_mbps": 900.0}

    experiment, _ = tuned(adapts, question_of("p99", ()))
    assert answer(experiment) == {"adaptive_rx": True, "delay_us": 0}


def test_what_cannot_be_set_is_no_answer() -> None:
    experiment = Experiment(CELLS, question_of("p99", ()), START, 1)
    chance = random.Random(1)
    best = CELLS.index({"adaptive_rx": False, "delay_us": 40})
    runs = [
        Measured(k, n, {m: v * chance.gauss(1, 0.002) for m, v in latency(cell).items()})
        for n in (1, 2, 3)
        for k, cell in enumerate(CELLS)
    ]
    assert best in experiment.learn(runs).choices
    assert best not in experiment.learn(runs, impossible={best}).choices


def test_a_measure_that_no_run_has_is_named() -> None:
    experiment = Experiment(CELLS, question_of("energy", ()), START, 1)
    with pytest.raises(NotMeasuredError, match="no run tells energy: it needs energy_j_per_gb"):
        experiment.learn([Measured(0, 1, {"throughput_mbps": 900.0})])


def test_what_brings_the_latency_that_short_runs_lack_is_said() -> None:
    experiment = Experiment(CELLS, question_of("p99", ()), START, 1)
    with pytest.raises(NotMeasuredError, match=r"no run tells p99: .* try a longer --duration"):
        experiment.learn([Measured(0, 1, {"throughput_mbps": 900.0})])


def test_a_run_that_lacks_a_measure_is_left_out() -> None:
    experiment = Experiment(CELLS, question_of("p99", ()), START, 1)
    runs = [Measured(k, n, latency(cell)) for n in (1, 2, 3) for k, cell in enumerate(CELLS)]
    without = Measured(0, 4, {"throughput_mbps": 900.0})
    experiment.learn([*runs, without])
    assert experiment.belief is not None
    assert experiment.belief.counts[0] == 3


def test_two_rounds_that_agree_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    _, runs = tuned(latency, question_of("p99", ()), noise=0.002)
    assert len(runs) < budget_of(len(CELLS))
    monkeypatch.setattr(design, "_STABLE_ROUNDS", 1000)
    _, more = tuned(latency, question_of("p99", ()), noise=0.002)
    assert len(more) > len(runs), "nothing else ends it"


def test_a_setting_that_loses_packets_is_not_set_unless_that_is_asked_for() -> None:
    experiment, runs = tuned(lossy, question_of("cpu", ()))
    answer = experiment.choices[-1].answer
    assert answer is not None
    assert CELLS[answer]["delay_us"] == 80
    lossier = experiment.lossier(runs)
    assert lossier
    assert set(lossier.values()) == {"ring_drops"}
    assert {CELLS[k]["delay_us"] for k in lossier} <= {160, 320}
    experiment, _ = tuned(lossy, question_of("cpu", (), loss_percent=None))
    answer = experiment.choices[-1].answer
    assert answer is not None
    assert CELLS[answer]["delay_us"] == 320


def slow(cell: Levels) -> dict[str, float]:
    """The longer the delay the less CPU; beyond 40 µs replies are late."""
    delay = 0.0 if cell["adaptive_rx"] else float(cell["delay_us"])
    cost = 10.0 / (1.0 + delay / 20.0) + 1.0
    late = 200.0 if delay <= 40 else 300.0
    return {"traffic_cpu_s_per_gb": cost, "throughput_mbps": 900.0, "latency_p99_us": late}


def test_a_cost_does_not_make_replies_late_unasked() -> None:
    experiment, _ = tuned(slow, question_of("cpu", ()))
    answer = experiment.choices[-1].answer
    assert answer is not None
    assert CELLS[answer]["delay_us"] == 40, "at most 10 % later than now"
    experiment, _ = tuned(slow, question_of("cpu", (), any_wait=True))
    answer = experiment.choices[-1].answer
    assert answer is not None
    assert CELLS[answer]["delay_us"] >= 160
