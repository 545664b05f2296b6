# SPDX-License-Identifier: Apache-2.0
"""GET /api/comparisons."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from coalescope.comparisons.compared import LEVEL
from coalescope.comparisons.schemas import ComparisonOut, judged_comparison
from coalescope.comparisons.service import compare_experiments
from coalescope.comparisons.sides import SPLIT, levels_of_sides, sides_of
from coalescope.experiments.endpoints import WHERE_PARAMETERS
from coalescope.experiments.service import get_experiment
from coalescope.web.connections import ReadConnection

router = APIRouter(prefix="/comparisons", tags=["comparisons"])

_OWN = frozenset(
    {"a", "b", "measure", "split", "better", "fail_if_worse_percent", "same_session", "level"}
)


@router.get("", openapi_extra=WHERE_PARAMETERS, summary="Compare two experiments")
def get_comparison(
    connection: ReadConnection,
    *,
    request: Request,
    a: Annotated[str, Query(max_length=80, description="Experiment to compare with")],
    b: Annotated[str, Query(max_length=80, description="Experiment that is compared with it")],
    measure: str,
    split: Annotated[
        str | None,
        Query(
            max_length=400,
            json_schema_extra={"pattern": SPLIT},
            description="FACTOR=LEVEL:LEVEL: only cells of the first level on side A, of the "
            "second on side B; a and b may then be the same experiment",
        ),
    ] = None,
    better: Annotated[
        Literal["more", "less"] | None,
        Query(description="Which is better; by default as the glossary says"),
    ] = None,
    fail_if_worse_percent: Annotated[
        float | None, Query(ge=0, le=1000, description="Say what is worse in B by more than this")
    ] = None,
    same_session: Annotated[
        bool,
        Query(
            description="With that: both sides were recorded in one session, where runs do not say "
            "when; by default it is not known then whether B is worse"
        ),
    ] = False,
    level: Annotated[
        float,
        Query(
            gt=0,
            le=LEVEL,
            description="Probability of calling anything better or worse by chance; less than that "
            "of one measure where several are compared at once, by Holm's method of their p_value",
        ),
    ] = LEVEL,
) -> ComparisonOut:
    """Ratios of means, B over A, cell by cell and overall, with intervals.

    Cells are matched by their factors; factors that have one level on each side, and not the same,
    are what the sides differ in. FACTOR=VALUE, any number, chooses cells on both sides,
    a.FACTOR=VALUE and b.FACTOR=VALUE on one.
    """
    given = [pair for pair in request.query_params.multi_items() if pair[0] not in _OWN]
    where_a, where_b = levels_of_sides(given)
    only_a, only_b = sides_of(split)
    compared = compare_experiments(
        connection,
        (get_experiment(connection, a), [*where_a, *only_a]),
        (get_experiment(connection, b), [*where_b, *only_b]),
        measure,
        better,
    )
    return judged_comparison(
        compared, fail_if_worse_percent, same_session=same_session, level=level
    )
