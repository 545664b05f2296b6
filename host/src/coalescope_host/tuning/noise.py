# SPDX-License-Identifier: Apache-2.0
"""How much runs scatter at each setting, where most have few of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

#: While there are fewer degrees of freedom, one more says that runs scatter by three percent.
_FEWEST, _GUESS = 4, 0.03**2
#: What all settings say together counts as so many degrees of freedom at each: the prior of Smyth,
#: Statistical Applications in Genetics and Molecular Biology 3(1), 2004,
#: https://doi.org/10.2202/1544-6115.1027. A tuning has too few settings to estimate it.
_PRIOR_COUNTS = 4.0


@dataclass(frozen=True)
class Noise:
    """The scatter of single runs.

    Attributes:
        variances: of one run at each setting that was measured.
        freedom: degrees of freedom of all together.
    """

    variances: Mapping[int, float]
    freedom: float


def noise_of(values: Mapping[int, Sequence[float]]) -> Noise:
    """Return the scatter, of values by setting."""
    squares = {k: sum((v - fmean(own)) ** 2 for v in own) for k, own in values.items()}
    freedom = sum(len(own) - 1.0 for own in values.values())
    total = sum(squares.values())
    if freedom < _FEWEST:
        freedom, total = freedom + 1.0, total + _GUESS
    pooled = total / freedom
    return Noise(
        {
            k: (_PRIOR_COUNTS * pooled + squares[k]) / (_PRIOR_COUNTS + len(own) - 1)
            for k, own in values.items()
        },
        freedom,
    )
