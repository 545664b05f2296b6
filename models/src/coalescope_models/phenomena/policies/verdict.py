# SPDX-License-Identifier: Apache-2.0
"""An adaptive policy beside the best interval that is left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .events import Fixed, Policy, Run

#: From no moderation to the longest interval that drivers choose by themselves [µs].
INTERVALS_US = (0.0, 1.0, 8.0, 14.3, 32.0, 50.0, 64.0, 128.0, 250.0, 256.0)


@dataclass(frozen=True)
class Verdict:
    """What adapting costs or saves.

    Attributes:
        adaptive: the run of the policy.
        best: the run of the best fixed interval.
        best_interval_us: that interval.
        price: of the adaptive run.
        best_price: of the best fixed one.
        fixed: the run of every fixed interval that was tried.
    """

    adaptive: Run
    best: Run
    best_interval_us: float
    price: float
    best_price: float
    fixed: Mapping[float, Run]

    @property
    def cost_percent(self) -> float:
        """How much dearer adapting is than the best fixed interval; negative where it saves."""
        return 100.0 * (self.price / self.best_price - 1.0)


def beside_best_fixed(
    run: Callable[[Policy], Run],
    policy: Policy,
    price: Callable[[Run], float],
    intervals_us: Sequence[float] = INTERVALS_US,
) -> Verdict:
    """Run a policy, and every fixed interval, over the same traffic.

    Args:
        run: `replay` or `simulate` with everything but the policy given; called once for each.
        policy: a new one.
        price: what a run costs, positive; such as CPU time and waiting of a packet together.
        intervals_us: fixed intervals to try, at least one.
    """
    adaptive = run(policy)
    fixed = {interval: run(Fixed(interval)) for interval in intervals_us}
    best = min(fixed, key=lambda interval: price(fixed[interval]))
    return Verdict(adaptive, fixed[best], best, price(adaptive), price(fixed[best]), fixed)
