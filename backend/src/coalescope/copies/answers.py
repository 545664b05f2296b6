# SPDX-License-Identifier: Apache-2.0
"""Questions whose answers follow from kept ones, by the server's own functions.

Standard library only: the page of a published copy runs this in the browser
(frontend/src/engine/files.worker.ts).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

from coalescope_models.inference.statistics import from_moments

from coalescope.analyses.replicates import describe_replicates, replicates_among
from coalescope.analyses.replication import describe_plan, plan_cells
from coalescope.analyses.variance import describe_variance, two_factors, variance_among
from coalescope.comparisons.description import describe_comparison
from coalescope.comparisons.matching import Chosen, compare_cells
from coalescope.comparisons.sides import levels_of_sides
from coalescope.copies.environments import facts_by_run
from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_levels, matches, parse_where
from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord
from coalescope.glossary.quantities import require_measure
from coalescope.runs.chosen import chosen_among, identities
from coalescope.runs.environments import Facts, describe_environments
from coalescope.runs.intervals import judge_each, judge_replicates, judged_cells
from coalescope.runs.records import MeasuredValue, ReplicateRecord, RunValues, When
from coalescope.runs.summaries import cells_after

Json = Mapping[str, Any]
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Kept:
    """What a copy keeps of an experiment.

    Attributes:
        experiment: what is known of it.
        cells: all of them.
        runs: the current ones, in storing order.
        facts: of each run's environment; empty where the question is not about that.

    """

    experiment: ExperimentRecord
    cells: Sequence[CellRecord]
    runs: Sequence[Json]
    facts: Mapping[str, Facts | None]


def evaluate(path: str, query: Pairs, kept: Mapping[str, Json]) -> Json:
    """What GET /api/<path>?<query> would answer, or the error that it would answer with.

    Args:
        path: comparisons, or experiments/<slug>/cells, …/environment, …/replicates,
            …/replication-plan or …/variance.
        query: its parameters, as text.
        kept: by slug, the kept answers `experiment`, `cells` and `runs` of each experiment that
            the question is about, and `environments` where it is about these.
    """
    own = {slug: _read(answers) for slug, answers in kept.items()}
    try:
        if path == "comparisons":
            return _comparison(query, own)
        _, slug, what = path.split("/")
        return _OF_EXPERIMENT[what](query, own[slug])
    except CoalescopeError as error:
        return error.as_json()


def _comparison(query: Pairs, kept: Mapping[str, Kept]) -> Json:
    asked = dict(query)
    given = [pair for pair in query if pair[0] not in {"a", "b", "measure"}]
    where_a, where_b = levels_of_sides(given)
    a, b = kept[asked["a"]], kept[asked["b"]]
    compared = compare_cells(
        Chosen(a.experiment, a.cells, where_a, _by_cell(a, asked["measure"])),
        Chosen(b.experiment, b.cells, where_b, _by_cell(b, asked["measure"])),
        asked["measure"],
    )
    return describe_comparison(compared)


def _cells(query: Pairs, kept: Kept) -> Json:
    where = parse_where(_levels(query), factor_levels(cell.factors for cell in kept.cells))
    left_out, remaining = _without(query, kept)
    measures = {name for cell in remaining for name in cell.measures}
    judged = judged_cells(remaining, judge_each(_by_measure(kept, measures, left_out)))
    return {
        "experiment": kept.experiment.slug,
        "data_version": kept.experiment.data_version,
        "cells": [asdict(cell) for cell in judged.cells if matches(cell.factors, where)],
        "independence": {name: asdict(found) for name, found in judged.independence.items()},
        "left_out": left_out,
    }


def _replicates(query: Pairs, kept: Kept) -> Json:
    measure = dict(query)["measure"]
    left_out = _left_out(query, kept)
    found = _by_cell(kept, measure, left_out)
    judged = judge_replicates([run for runs in found.values() for run in runs])
    return describe_replicates(
        replicates_among(
            kept.experiment, kept.cells, measure, _levels(query), found, sorted(left_out), judged
        )
    )


def _by_measure(
    kept: Kept, measures: Collection[str], left_out: Collection[str]
) -> dict[str, list[ReplicateRecord]]:
    return {
        measure: [run for runs in _by_cell(kept, measure, left_out).values() for run in runs]
        for measure in sorted(measures)
    }


def _by_cell(
    kept: Kept, measure: str, left_out: Collection[str] = ()
) -> dict[int, list[ReplicateRecord]]:
    found: dict[int, list[ReplicateRecord]] = {}
    for run in kept.runs:
        if measure in run["measures"] and run["id"] not in left_out:
            value = MeasuredValue(**run["measures"][measure])
            record = ReplicateRecord(run["id"], run["cell"], value, _when(run))
            found.setdefault(run["cell"], []).append(record)
    return found


def _when(run: Json) -> When:
    return When(run["replicate"], run["order"], run["block"], run["recorded_at"])


def _plan(query: Pairs, kept: Kept) -> Json:
    asked = dict(query)
    left_out, remaining = _without(query, kept)
    planned = plan_cells(
        kept.experiment,
        kept.cells,
        remaining,
        asked["measure"],
        float(asked["width_percent"]),
        _levels(query),
        left_out,
    )
    return describe_plan(planned)


def _variance(query: Pairs, kept: Kept) -> Json:
    asked = dict(query)
    factors = two_factors(asked["factors"])
    require_measure(asked["measure"])
    left_out = _left_out(query, kept)
    runs = [
        RunValues(
            run["cell"],
            run["factors"],
            {name: measured["value"] for name, measured in run["measures"].items()},
        )
        for run in kept.runs
        if run["id"] not in left_out
    ]
    chosen = chosen_among(runs, _levels(query), sorted(left_out))
    return describe_variance(variance_among(kept.experiment, asked["measure"], factors, chosen))


def _environment(query: Pairs, kept: Kept) -> Json:
    where = parse_where(query, factor_levels(run["factors"] for run in kept.runs))
    chosen = [run["id"] for run in kept.runs if matches(run["factors"], where)]
    return describe_environments((kept.facts[run], 1) for run in chosen)


_OF_EXPERIMENT = {
    "cells": _cells,
    "environment": _environment,
    "replicates": _replicates,
    "replication-plan": _plan,
    "variance": _variance,
}
_NO_LEVELS = {"measure", "factors", "width_percent", "without"}


def _levels(query: Pairs) -> list[tuple[str, str]]:
    return [pair for pair in query if pair[0] not in _NO_LEVELS]


def _left_out(query: Pairs, kept: Kept) -> set[str]:
    wanted = identities(dict(query).get("without", ""))
    return {run["id"] for run in kept.runs if run["id"] in wanted}


def _without(query: Pairs, kept: Kept) -> tuple[list[str], list[CellRecord]]:
    """The runs that are left out, and the cells as if they did not count."""
    left_out = _left_out(query, kept)
    places = [(r["id"], r["cell"], r["partial"]) for r in kept.runs if r["id"] in left_out]
    touched = {cell for _, cell, _ in places}
    values: dict[tuple[int, str], list[MeasuredValue]] = {}
    for run in kept.runs:
        if run["cell"] in touched and run["id"] not in left_out:
            for measure, value in run["measures"].items():
                values.setdefault((run["cell"], measure), []).append(MeasuredValue(**value))
    return sorted(left_out), cells_after(map(_independent, kept.cells), places, values)


def _independent(cell: CellRecord) -> CellRecord:
    """The cell with the intervals of independent replicates, as the store keeps them."""
    measures = {
        name: SummaryRecord(*astuple(from_moments(own.n, own.mean, own.sd)))
        for name, own in cell.measures.items()
    }
    return replace(cell, measures=measures)


def _read(answers: Json) -> Kept:
    about = answers["experiment"]
    experiment = ExperimentRecord(
        0, about["slug"], about["title"], about["subtitle"], about["kind"], {},
        about["data_version"], "", about["updated_at"],
    )  # fmt: skip
    runs = [run for run in answers["runs"]["runs"] if run["status"] == "current"]
    facts = facts_by_run(answers["environments"]) if "environments" in answers else {}
    return Kept(experiment, [_cell(cell) for cell in answers["cells"]["cells"]], runs, facts)


def _cell(cell: Json) -> CellRecord:
    measures = {name: SummaryRecord(**summary) for name, summary in cell["measures"].items()}
    return CellRecord(cell["id"], cell["factors"], cell["runs"], cell["partial_runs"], measures)
