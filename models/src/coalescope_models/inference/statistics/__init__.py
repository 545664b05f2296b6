# SPDX-License-Identifier: Apache-2.0
"""What replicates say: summaries, outliers, comparisons, variance, and how many more are needed.

The replicate is the sampling unit throughout; samples within a run are never counted as if they
were independent. Only `variance` needs numpy.
"""

from .comparison import Comparison, Difference, Spread, compare
from .contrast import Judged, SideRuns, judge
from .distributions import f_tail, t_quantile, t_two_sided
from .independence import Independence, independence
from .outliers import outliers
from .replication import Plan, plan_replicates
from .summary import CellSummary, from_moments, interval_by_cluster, summarise
from .timeline import Cluster, Timeline, timeline

__all__ = [
    "CellSummary",
    "Cluster",
    "Comparison",
    "Difference",
    "Independence",
    "Judged",
    "Plan",
    "SideRuns",
    "Spread",
    "Timeline",
    "compare",
    "f_tail",
    "from_moments",
    "independence",
    "interval_by_cluster",
    "judge",
    "outliers",
    "plan_replicates",
    "summarise",
    "t_quantile",
    "t_two_sided",
    "timeline",
]
