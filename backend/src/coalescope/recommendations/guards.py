# SPDX-License-Identifier: Apache-2.0
"""What a setting must not break, and what is asked where nothing guards it. Pure."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from coalescope_host.plan.factors import WAITS_LESS
from coalescope_host.plan.waits import bounds_a_wait, free_waits
from coalescope_host.tuning import losses
from coalescope_models.inference.recommendation import Aim, Constraint
from coalescope_models.vocabulary.quantity import QUANTITIES, Quantity

from coalescope.experiments.records import Factors
from coalescope.recommendations.effects import Effect

#: How far the throughput may lie below its best where the question does not say.
THROUGHPUT_WITHIN_PERCENT = 1.0
#: How much worse latency may be than it is now where the question does not say.
LATENCY_WITHIN_PERCENT = 10.0
#: How many times as bad something gets that is told beside the gain.
DEAR = 2.0
_OPTIONS = 3
#: Units of costs that are shares of time: doing less looks like a saving in them.
SHARES = ("%", "W")
#: Aims that say what the traffic got.
_DONE = ("throughput", "latency")


@dataclass(frozen=True)
class Limited:
    """A limit on a wait that could be asked for, and what it would leave to set.

    Attributes:
        factor: the delay's name.
        at_most: the limit, a level that was measured.
        answer: the setting that would be the answer; None where there would be none.
        effects: what it would change against the setting that answers are compared with.
    """

    factor: str
    at_most: float
    answer: Hashable | None
    effects: Sequence[Effect]


def is_cost(measure: str) -> bool:
    """Whether a measure says what traffic costs, and not what it achieves."""
    quantity = QUANTITIES.get(measure)
    if quantity is None:  # one's own: nothing says that it is more than a cost
        return True
    return quantity.aim in ("cpu", "energy") or (quantity.aim is None and quantity.better == "less")


def default_guards(
    aims: Sequence[Aim], constraints: Sequence[Constraint], measured: Sequence[str]
) -> list[Constraint]:
    """Return what is guarded where the question does not say.

    Of a throughput, where a cost is aimed at: within 1 % of its best; of the payload's where it was
    measured, because larger frames take fewer bytes for the same payload. Of a latency, where no
    limit is on a wait: at most 10 % above that of the current setting; of the slow replies where
    they were measured. Of each kind of loss: at most 10 % above that of the current setting, chance
    aside. None of a kind that the question names itself, or that was not measured.
    """
    named = {*(a.measure for a in aims), *(c.measure for c in constraints)}
    guards = []
    throughputs = _measured("throughput", measured)
    if throughputs and not named & set(throughputs) and any(is_cost(a.measure) for a in aims):
        kept = _guarded(throughputs)
        guards.append(Constraint(kept, "within", THROUGHPUT_WITHIN_PERCENT, "more"))
    latencies = _measured("latency", measured)
    if latencies and not named & set(latencies) and not bounds_a_wait(_limits(constraints)):
        late = _guarded(latencies)
        guards.append(Constraint(late, "within current", LATENCY_WITHIN_PERCENT, "less"))
    free = {name for kind in losses.KINDS if not named & set(kind) for name in kind}
    lost = losses.to_guard(free & set(measured))
    return [
        *guards,
        *(Constraint(name, "within current", losses.WITHIN_PERCENT, "less") for name in lost),
    ]


def known_in_part(guards: Sequence[Constraint], wished: Sequence[Constraint]) -> list[str]:
    """Say what would be guarded, had every setting its throughput or latency.

    Args:
        guards: of what is known of every setting.
        wished: of what is known of any.
    """
    kept = {QUANTITIES[guard.measure].aim for guard in guards}
    return [
        f"{wish.measure} was measured in some of these settings only, so it guards nothing: what "
        "the others do to it is not known. Measure it in every setting."
        for wish in wished
        if QUANTITIES[wish.measure].aim in _DONE and QUANTITIES[wish.measure].aim not in kept
    ]


def _measured(kind: str, measured: Sequence[str]) -> list[str]:
    return [n for n in QUANTITIES if n in measured and QUANTITIES[n].aim == kind]


def _guarded(measured: Sequence[str]) -> str:
    return next((name for name in measured if QUANTITIES[name].guarded), measured[0])


def _limits(constraints: Sequence[Constraint]) -> set[tuple[str, str]]:
    return {(c.measure, c.limit) for c in constraints}


def is_unguarded(
    aims: Sequence[Aim], constraints: Sequence[Constraint], settings: Collection[Factors]
) -> bool:
    """Whether costs alone are aimed at, and a longer wait is free to cost what nobody measured."""
    if not all(is_cost(a.measure) for a in aims):
        return False
    return not _bounds_latency(constraints) and bool(free_waits(_limits(constraints), settings))


def _bounds_latency(constraints: Sequence[Constraint]) -> bool:
    named = (QUANTITIES.get(c.measure) for c in constraints)
    return any(q is not None and q.aim == "latency" for q in named)


def at_no_unseen_wait(
    choices: Sequence[Hashable],
    answer: Hashable,
    among: Mapping[Hashable, Factors],
    aims: Sequence[Aim],
    constraints: Sequence[Constraint],
) -> list[Hashable]:
    """The choices in which packets wait no longer than at the answer, by what nothing bounds."""
    rows = free_waits(_limits(constraints), list(among.values()))
    wanted = (QUANTITIES.get(aim.measure) for aim in aims)
    if _bounds_latency(constraints) or any(q and q.aim == "latency" for q in wanted):
        rows = []
    waits = [name for row in rows for name in row]
    there = among[answer]
    return [c for c in choices if not any(_longer(among[c], there, name) for name in waits)]


def _longer(setting: Factors, than: Factors, wait: str) -> bool:
    own, other = setting.get(wait), than.get(wait)
    if not (isinstance(own, int | float) and isinstance(other, int | float)):
        return own != other
    return own < other if wait in WAITS_LESS else own > other


def share_of_unknown_work(
    aims: Sequence[Aim], constraints: Sequence[Constraint], measured: Sequence[str]
) -> str | None:
    """Return a cost aimed at that is a share of time, where nothing says what was done in it.

    None where a throughput or a latency was measured or is bounded, where a level is limited, or
    where a cost is per byte.
    """
    bounded = [QUANTITIES.get(c.measure) for c in constraints]
    if any(q is None or q.role == "factor" or q.aim in _DONE for q in bounded):
        return None
    known = [QUANTITIES[a.measure] for a in aims if a.measure in QUANTITIES]
    shares = [q.name for q in known if q.aim in ("cpu", "energy") and q.unit in SHARES]
    if len(shares) < len(aims) or any(QUANTITIES[name].aim in _DONE for name in measured):
        return None
    return shares[0]


def limits_to_offer(
    settings: Mapping[Hashable, Factors], constraints: Sequence[Constraint] = ()
) -> list[tuple[str, float]]:
    """Return limits on a wait to choose from, from the shortest on: a few of its levels.

    None where all that varies are words, or rates, of which a smaller one waits longer.
    """
    for row in free_waits(_limits(constraints), list(settings.values())):
        for wait in (name for name in row if name not in WAITS_LESS):
            found = {v for s in settings.values() if isinstance(v := s.get(wait), int | float)}
            levels = sorted(found)
            if len(levels) > 1:
                count = min(_OPTIONS, len(levels) - 1)
                places = [round((k + 1) * (len(levels) - 1) / (count + 1)) for k in range(count)]
                return [(wait, levels[place]) for place in sorted(set(places))]
    return []


def why_no_offer(constraints: Sequence[Constraint], settings: Collection[Factors]) -> str:
    """What to ask for where no limit can be offered."""
    varied = [name for row in free_waits(_limits(constraints), settings) for name in row]
    shown = ", ".join(name.removeprefix("factor.") for name in varied)
    rate = next((name for name in varied if name in WAITS_LESS), None)
    bound = f"Ask for at least so much {rate}, or measure" if rate else "Measure"
    return (
        "Not enough to recommend a setting: only a cost is known, and nothing says how long "
        f"packets may wait by {shown}. {bound} the latency, too."
    )


def dear(known: Sequence[Effect], asked: Collection[str]) -> list[str]:
    """Return what is not asked about and gets twice as bad or worse, and not by chance.

    Of what can be a goal, and of what is lost. It is said first, beside the gain.
    """
    return [
        effect.measure
        for effect in known
        if effect.measure not in asked and _is_dear(effect, QUANTITIES.get(effect.measure))
    ]


def _is_dear(effect: Effect, quantity: Quantity | None) -> bool:
    if quantity is None:
        return False
    if quantity.name in losses.LOSSES:
        return effect.gain is False and effect.answer >= DEAR * effect.reference
    ci95 = effect.ci95_percent
    if quantity.aim is None or (ci95 is not None and ci95[0] <= 0.0 <= ci95[1]):
        return False
    if quantity.better == "more":
        return DEAR * effect.answer <= effect.reference
    return effect.answer >= DEAR * effect.reference > 0.0


def keeps_limits(setting: Factors, limits: Sequence[Constraint]) -> bool:
    """Whether a setting's levels keep limits on factors."""
    for limit in limits:
        level = setting.get(limit.measure)
        if not isinstance(level, int | float):
            return False
        if level > limit.value if limit.limit == "at most" else level < limit.value:
            return False
    return True
