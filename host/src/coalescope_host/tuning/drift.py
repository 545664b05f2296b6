# SPDX-License-Identifier: Apache-2.0
"""What rounds have in common: a host that warms up or is used by others drifts.

Settings that come back in several rounds, the reference above all, tie these together.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

_STEPS = 40
#: Fewer degrees of freedom tell no drift from chance.
_FEWEST = 4


@dataclass(frozen=True)
class Reading:
    """One run's logarithm of one measure."""

    setting: int
    round: int
    value: float


@dataclass(frozen=True)
class Drift:
    """How rounds differ.

    Attributes:
        by_round: what each added to logarithms, as far as it is no chance.
        spread: standard deviation between rounds; 0 where they differ by chance only.
    """

    by_round: Mapping[int, float]
    spread: float

    def taken_out(self, readings: Sequence[Reading]) -> list[Reading]:
        """The readings as all in one round."""
        return [
            Reading(r.setting, r.round, r.value - self.by_round.get(r.round, 0.0)) for r in readings
        ]


def drift_of(readings: Sequence[Reading]) -> Drift:
    """Estimate it: effects of rounds beside those of settings, drawn towards 0 by what chance
    makes of them (Robinson, Statistical Science 6(1), 1991, https://doi.org/10.1214/ss/1177011926).
    """
    rounds_of: dict[int, set[int]] = defaultdict(set)
    for reading in readings:
        rounds_of[reading.setting].add(reading.round)
    tied = [r for r in readings if len(rounds_of[r.setting]) > 1]
    by_round, by_setting = _grouped(tied, "round"), _grouped(tied, "setting")
    freedom = len(tied) - len(by_round) - len(by_setting) + 1
    if freedom < _FEWEST or len(by_round) < 2:
        return Drift({}, 0.0)
    added, level = _fitted(by_round, by_setting)
    left = [r.value - added[r.round] - level[r.setting] for r in tied]
    chance = sum(value * value for value in left) / freedom
    centre = fmean(added.values())
    between = sum((value - centre) ** 2 for value in added.values()) / (len(added) - 1)
    by_chance = chance * fmean(1.0 / len(own) for own in by_round.values())
    variance = max(between - by_chance, 0.0)
    shrunk = {
        number: (value - centre) * variance / (variance + chance / len(by_round[number]) or 1.0)
        for number, value in added.items()
    }
    return Drift(shrunk, sqrt(variance))


def _grouped(readings: Sequence[Reading], by: str) -> dict[int, list[Reading]]:
    found: dict[int, list[Reading]] = defaultdict(list)
    for reading in readings:
        found[getattr(reading, by)].append(reading)
    return found


def _fitted(
    by_round: Mapping[int, Sequence[Reading]], by_setting: Mapping[int, Sequence[Reading]]
) -> tuple[dict[int, float], dict[int, float]]:
    """Least squares of an effect for each round and each setting, by turns."""
    added = dict.fromkeys(by_round, 0.0)
    level: dict[int, float] = {}
    for _ in range(_STEPS):
        level = {k: fmean(r.value - added[r.round] for r in own) for k, own in by_setting.items()}
        added = {n: fmean(r.value - level[r.setting] for r in own) for n, own in by_round.items()}
    return added, level
