# SPDX-License-Identifier: Apache-2.0
"""Which setting to choose for a goal, and which are as good. Needs numpy."""

from .answer import Recommendation
from .question import Aim, Constraint, Goal, Limit, RecommendationError, Sense
from .ranking import MOST_RUNS, Candidate
from .recommend import recommend

__all__ = [
    "MOST_RUNS",
    "Aim",
    "Candidate",
    "Constraint",
    "Goal",
    "Limit",
    "Recommendation",
    "RecommendationError",
    "Sense",
    "recommend",
]
