# SPDX-License-Identifier: Apache-2.0
"""Whether a setting loses more than another: packets, datagrams, or segments sent again. Pure.

Losses are counts, and often 0: they have no logarithms, and no percentage against nothing. Roots of
counts vary alike whatever the count (Anscombe, Biometrika 35, 1948,
https://doi.org/10.1093/biomet/35.3-4.246): by a half where packets are lost one by one.
"""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from statistics import fmean, stdev
from typing import TypeVar

#: Measures of what is lost: of each kind the best first, which says the most of it.
KINDS = (
    ("drops", "ring_drops", "interface_drops"),
    ("backlog_drops",),
    ("socket_drops",),
    ("datagrams_lost", "datagram_loss_percent"),
    ("retransmitted_segments", "host_retransmitted_segments"),
)
LOSSES = frozenset(name for kind in KINDS for name in kind)
#: How much more may be lost than now where the question does not say, chance aside.
WITHIN_PERCENT = 10.0

_SHARES = frozenset({"datagram_loss_percent"})
_PERMILLE = 10.0  # in a percent: of a share, thousandths are counted
_ANSCOMBE = 3.0 / 8.0
_LEAST_DEVIATION = 0.5
_ERRORS = 2.0

Setting = TypeVar("Setting", bound=Hashable)


def to_guard(measured: Collection[str]) -> list[str]:
    """Of each kind of loss that was measured, the measure that says the most."""
    return [own[0] for kind in KINDS if (own := [name for name in kind if name in measured])]


def lossier(
    measure: str, runs: Mapping[Setting, Sequence[float]], now: Setting, within_percent: float
) -> set[Setting]:
    """Settings that lose more than another, by more than a percentage of it and chance explain.

    Chance is two standard errors of the difference, with the deviation of the other's own runs, and
    no less than that of single packets: a setting that loses much now and then is not excused by
    that.

    Args:
        measure: which loss, one of `LOSSES`.
        runs: values of each setting's runs, at least one of each.
        now: the setting that they are held against.
    """
    scale = _PERMILLE if measure in _SHARES else 1.0
    there = [scale * value for value in runs[now]]
    deviation = stdev(map(_root, there)) if len(there) > 1 else 0.0
    allowed = _root(fmean(there) * (1.0 + within_percent / 100.0))
    return {
        setting
        for setting, own in runs.items()
        if setting != now
        and _root(scale * fmean(own)) - allowed
        > _ERRORS * max(deviation, _LEAST_DEVIATION) * math.sqrt(1.0 / len(own) + 1.0 / len(there))
    }


def beyond(runs: Mapping[Setting, Sequence[float]], most: float) -> set[Setting]:
    """Settings whose mean loss is not surely at most so much: by two standard errors."""
    return {setting for setting, own in runs.items() if fmean(own) + _error(own) > most}


def _error(own: Sequence[float]) -> float:
    return _ERRORS * stdev(own) / math.sqrt(len(own)) if len(own) > 1 else 0.0


def _root(count: float) -> float:
    return math.sqrt(count + _ANSCOMBE)
