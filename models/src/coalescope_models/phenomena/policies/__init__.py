# SPDX-License-Identifier: Apache-2.0
"""Moderation policies over time: what an adaptive mode would choose, and what that costs.

The founding paper ends by asking for delays that follow the load. Drivers have them since; here
they are replayed over arrivals, or simulated on a closed loop of clients, beside the best fixed
setting.
"""

from .arrivals import Phase, arrivals
from .dim import DIM_RX_COMPLETIONS, DIM_RX_EVENTS, Dim
from .dynamic_throttle import DynamicThrottle
from .events import Arrival, Choice, Costs, Fixed, Interrupt, Policy, Run
from .loops import ClosedLoop, replay, simulate
from .profiles import Profile, cheapest_profile, profiles_to
from .verdict import INTERVALS_US, Verdict, beside_best_fixed

__all__ = [
    "DIM_RX_COMPLETIONS",
    "DIM_RX_EVENTS",
    "INTERVALS_US",
    "Arrival",
    "Choice",
    "ClosedLoop",
    "Costs",
    "Dim",
    "DynamicThrottle",
    "Fixed",
    "Interrupt",
    "Phase",
    "Policy",
    "Profile",
    "Run",
    "Verdict",
    "arrivals",
    "beside_best_fixed",
    "cheapest_profile",
    "profiles_to",
    "replay",
    "simulate",
]
