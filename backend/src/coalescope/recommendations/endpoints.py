# SPDX-License-Identifier: Apache-2.0
"""POST /api/experiments/{slug}/recommendations and POST /api/recommendations."""

from fastapi import APIRouter, Request

from coalescope.db.engine import Database
from coalescope.experiments.conditional import tag_of
from coalescope.experiments.service import get_experiment
from coalescope.lru_cache import LruCache
from coalescope.recommendations.answer_schemas import RecommendationOut, recommendation_out
from coalescope.recommendations.from_model import advise_from_model
from coalescope.recommendations.from_runs import advise
from coalescope.recommendations.measured import read_runs
from coalescope.recommendations.schemas import ModelRecommendationIn, RecommendationIn
from coalescope.runs.selection import where_pairs
from coalescope.user_models.confinement import confinement
from coalescope.web.concurrency import ConcurrencyLimiter

router = APIRouter(tags=["recommendations"])

#: Candidates of all answers that are kept: a thousand are about 1 MB.
KEPT_CANDIDATES = 20_000


def settings_of(answer: RecommendationOut) -> int:
    """How much a kept answer weighs."""
    return len(answer.candidates)


@router.post("/experiments/{slug}/recommendations", summary="Recommend a setting that was measured")
def create_recommendation(request: Request, slug: str, body: RecommendationIn) -> RecommendationOut:
    """The best setting of an experiment for a goal, with what is known of chance.

    With the settings that cannot be told from the best, the
    trade-off curve, and, for an interface, the commands that set it and the way back.
    """
    database: Database = request.app.state.database
    kept: LruCache[RecommendationOut] = request.app.state.recommendations
    question = body.question()
    with database.read() as connection:
        experiment = get_experiment(connection, slug)

    def compute() -> RecommendationOut:
        where = where_pairs(body.where)
        with database.read() as connection:
            now = get_experiment(connection, slug)
            chosen = read_runs(connection, now, question, where, body.without)
        return recommendation_out(advise(now, chosen, question))

    return kept.get((tag_of(experiment), body.model_dump_json()), compute)


@router.post("/recommendations", summary="Recommend a setting that a model predicts")
def create_model_recommendation(request: Request, body: ModelRecommendationIn) -> RecommendationOut:
    """The best of a model's predictions over the levels given; without probabilities.

    `system_cpu_s_per_gb` can be asked for where the model predicts throughput and system CPU.
    """
    model, question = body.read_model(), body.question()
    computations: ConcurrencyLimiter = request.app.state.computations
    run = confinement(request.app.state.settings)
    with computations.acquire():
        advice = advise_from_model(model, body.values, body.over, question, run)
    return recommendation_out(advice)
