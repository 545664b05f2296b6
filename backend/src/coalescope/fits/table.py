# SPDX-License-Identifier: Apache-2.0
"""From runs to the table that a fit takes: one row per run, or per published mean."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from coalescope_host.run_log import JIFFIES_PER_S
from coalescope_models.catalogue import LinearFit
from coalescope_models.inference.fitting import Stated
from coalescope_models.inference.statistics import Timeline
from coalescope_models.vocabulary.quantity import QUANTITIES
from numpy.typing import NDArray

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.records import Factors
from coalescope.fits.means import stated
from coalescope.fits.pooling import setting_labels
from coalescope.runs.records import RunValues
from coalescope.runs.sequence import sequence_of

# The counts that models are fitted to, from what runs count.
_COUNTED = {
    "rx_megabytes": ("rx_bytes", 1e-6),
    "rx_kilopackets": ("rx_packets", 1e-3),
    "rx_kilointerrupts": ("rx_interrupts", 1e-3),
    "elapsed_s": ("elapsed_s", 1.0),
}
_PROBES = "probe_cpu_s"
_PER_S = {"s": 1.0, "jiffies": JIFFIES_PER_S}

_WHY_ABSENT = {
    "rx_interrupts": "The interface has no interrupts of its own (as veth has none), or they were "
    "not recorded. Record on an interface with an interrupt line.",
}
_NOT_RECORDED = "It was not recorded, or not published."


@dataclass(frozen=True)
class FitTable:
    """Rows with everything that the fit needs.

    Attributes:
        response: the measure that is fitted.
        columns: the counts of the model and the response, each [n].
        factors: of each row.
        cells: of each row, as a number.
        when: each row was recorded.
        probes: the least that counting cost in each row, as part of the response and in its unit;
            None unless each row says so.
        left_out: runs without a measure that the fit needs.
        stated: of rows that are means, how many runs they are of and how these scattered.

    """

    response: str
    columns: Mapping[str, NDArray[np.float64]]
    factors: Sequence[Factors]
    cells: NDArray[np.int64]
    when: Timeline
    probes: NDArray[np.float64] | None
    left_out: int
    stated: Stated | None

    @property
    def replicated(self) -> bool:
        """Whether some cell has several rows: those are replicates."""
        return len(np.unique(self.cells)) < len(self.cells)

    def columns_without_probes(self) -> Mapping[str, NDArray[np.float64]] | None:
        """The same with the response as it would be without the least that counting cost.

        None if that is not known of each row, and where a response would be 0 or less: the cost is
        too high for it.
        """
        if self.probes is None:
            return None
        response = self.columns[self.response] - self.probes
        return {**self.columns, self.response: response} if (response > 0.0).all() else None

    def strata(self) -> NDArray[np.str_] | None:
        """Label each row with its MTU, None if not all have one: rows of one MTU are alike."""
        labels = [row.get("mtu_bytes") for row in self.factors]
        return None if None in labels else np.array([str(label) for label in labels])


def needed_measures(fit: LinearFit) -> list[str]:
    """Measures that some row of the table may need."""
    return [*(_COUNTED[column][0] for column in fit.columns), *fit.responses, _PROBES]


def fit_table(
    runs: Sequence[RunValues],
    fit: LinearFit,
    response: str | None = None,
    pooled: Sequence[str] = (),
) -> FitTable:
    """Put the table together from runs that have all that is needed.

    `response` is the measure to fit; None takes the one that most runs have, and of equals the one
    that the model names first. Cells that differ in `pooled` factors only count as one.

    Errors: 422 for a response that the model does not have; naming every measure that no run has,
    and why that can be.
    """
    if response is not None and response not in fit.responses:
        raise _no_response(response, fit)
    counted = [_COUNTED[column] for column in fit.columns]
    have = set(chain.from_iterable(run.values for run in runs))
    missing = [measure for measure, _ in counted if measure not in have]
    wanted = fit.responses if response is None else (response,)
    responses = [name for name in wanted if name in have]
    if missing or not responses:
        raise _not_available(missing, wanted if not responses else ())
    response = max(responses, key=lambda name: sum(name in run.values for run in runs))
    needed = [*(measure for measure, _ in counted), response]
    rows = [run for run in runs if all(measure in run.values for measure in needed)]
    if not rows:
        raise _never_together(needed)
    columns = {
        column: scale * np.array([run.values[measure] for run in rows])
        for column, (measure, scale) in zip(fit.columns, counted, strict=True)
    }
    columns[response] = np.array([run.values[response] for run in rows])
    return FitTable(
        response=response,
        columns=columns,
        factors=[run.factors for run in rows],
        cells=setting_labels(rows, pooled),
        when=sequence_of([run.when for run in rows]),
        probes=_probes(rows, _PER_S[fit.responses[response]]),
        left_out=len(runs) - len(rows),
        stated=stated(rows, response, dict(zip(fit.columns, counted, strict=True))),
    )


def _probes(rows: Sequence[RunValues], per_s: float) -> NDArray[np.float64] | None:
    if not all(_PROBES in run.values for run in rows):
        return None
    return per_s * np.array([run.values[_PROBES] for run in rows])


def _no_response(response: str, fit: LinearFit) -> CoalescopeError:
    return CoalescopeError(
        "no_such_response",
        f"The model is not fitted to {response[:80]!r}.",
        where={"field": "response"},
        advice=f"{did_you_mean(response, fit.responses)}It is fitted to one of "
        f"{', '.join(fit.responses)}.",
    )


def _not_available(missing: Sequence[str], responses: Collection[str]) -> CoalescopeError:
    """No run has these; nor, where some are named, any of these responses."""
    names = list(missing)
    reasons = [_WHY_ABSENT.get(name, _NOT_RECORDED) for name in missing]
    if responses:
        names.append(" or ".join(responses))
        reasons.append(_NOT_RECORDED)
    labels = [_label(name) for name in names]
    return CoalescopeError(
        "not_available",
        f"The fit is not available: no run has {', no '.join(labels)}.",
        where={"measure": ", ".join(names)},
        advice=" ".join(dict.fromkeys(reasons)),
    )


def _label(alternatives: str) -> str:
    """Labels of "this or that" measure; the same quantity in two units has one label."""
    labels = (QUANTITIES[name].label for name in alternatives.split(" or "))
    return " or ".join(dict.fromkeys(label[0].lower() + label[1:] for label in labels))


def _never_together(needed: Sequence[str]) -> CoalescopeError:
    return CoalescopeError(
        "not_available",
        f"The fit is not available: no run has all of {', '.join(needed)}.",
        where={"measure": ", ".join(needed)},
        advice="Each is there in some run; a fit needs them together in the same runs.",
    )
