# SPDX-License-Identifier: Apache-2.0
"""What replicates say: summaries, outliers, comparisons, variance, and how many more are needed.

The replicate is the sampling unit throughout; samples within a run are never counted as if they
were independent. Standard library only.
"""

from .cell_intervals import CellIntervals, cell_intervals
from .comparison import Beyond, Comparison, Difference, Spread, beyond, compare
from .contrast import ORDER_OF_MEANS, Judged, SideRuns, judge, judge_settings
from .distributions import f_tail, t_quantile, t_two_sided
from .holm import holm, holm_levels
from .independence import NOT_KNOWN, SEQUENCE_NOT_KNOWN, Independence, independence
from .outliers import outliers
from .replication import Plan, plan_replicates
from .summary import CellSummary, from_moments, interval_by_cluster, summarise
from .timeline import Cluster, Timeline, timeline

__all__ = [
    "NOT_KNOWN",
    "ORDER_OF_MEANS",
    "SEQUENCE_NOT_KNOWN",
    "Beyond",
    "CellIntervals",
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
    "beyond",
    "cell_intervals",
    "compare",
    "f_tail",
    "from_moments",
    "holm",
    "holm_levels",
    "independence",
    "interval_by_cluster",
    "judge",
    "judge_settings",
    "outliers",
    "plan_replicates",
    "summarise",
    "t_quantile",
    "t_two_sided",
    "timeline",
]
