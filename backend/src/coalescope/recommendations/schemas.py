# SPDX-License-Identifier: Apache-2.0
"""Questions as the API takes them."""

from typing import Annotated, Literal

from coalescope_models.catalogue import Model
from coalescope_models.inference.recommendation import Goal, Limit
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from coalescope.experiments.schemas import Level, Where
from coalescope.predictions.service import require_model
from coalescope.recommendations.question import Question, aim, constraint
from coalescope.runs.selection import LeftOut
from coalescope.user_models.schemas import UserModelIn
from coalescope.user_models.service import read_user_model
from coalescope.web.whole_numbers import JSON_INTEGER


class AimIn(BaseModel):
    """One measure of the goal."""

    model_config = ConfigDict(extra="forbid", strict=True)

    measure: Annotated[str, Field(max_length=120)]
    sense: Literal["more", "less"] | None = Field(
        default=None, description="Which is wanted; by default what the glossary calls better"
    )
    weight: Annotated[float, Field(gt=0, le=1000)] = Field(
        default=1.0, description="What a relative change of it is worth"
    )


class ConstraintIn(BaseModel):
    """A bound that the setting must keep, on a measure or on a factor."""

    model_config = ConfigDict(extra="forbid", strict=True)

    measure: Annotated[str, Field(max_length=120)]
    limit: Limit
    value: FiniteFloat = Field(
        description="For `within`: percent from the best of the measure; for `within current`: "
        "percent that it may be worse than in the measured setting that is nearest to what is set "
        "now, or else in the least. Of a loss, chance aside: counts scatter"
    )


class QuestionIn(BaseModel):
    """What is wanted, and for which interface."""

    model_config = ConfigDict(extra="forbid", strict=True)

    aims: Annotated[list[AimIn], Field(min_length=1, max_length=8)]
    goal: Goal = Field(
        default="trade",
        description="What several aims are worth together: trade, their weighed sum; balance, the "
        "knee of the trade-off curve between two, for which nothing has to be weighed",
    )
    constraints: Annotated[list[ConstraintIn], Field(max_length=16)] = []
    guarded: bool = Field(
        default=True,
        description="Keep the throughput within 1 % of its best where a cost is aimed at, "
        "latency within 10 % of what it is now, and each kind of loss (drops, datagrams lost, "
        "segments retransmitted) within 10 % and chance of what it is now; where costs alone are "
        "aimed at and no latency is known, ask for a limit on a wait. False ranks what is aimed at "
        "alone",
    )
    current: dict[str, Level] = Field(
        default_factory=dict,
        description="Levels that are set now: the answer is compared with the nearest setting, and "
        "stays near to it. Without, with the default that the data's source names; else with that "
        "of the driver, where it is known and was measured; else with the setting in which packets "
        "wait least and the MTU is least",
    )
    tolerance_percent: Annotated[float, Field(ge=0, le=50)] | None = Field(
        default=None,
        description="A loss against the best that does not matter; by default 2 of a measure or a "
        "trade, and 5 of a balance, whose loss is a share of what choosing can change",
    )
    seed: Annotated[int, Field(ge=0, lt=2**53), JSON_INTEGER] = 1
    interface: Annotated[str, Field(max_length=15)] | None = Field(
        default=None, description="Write commands for it, such as eth0"
    )
    driver: Annotated[str, Field(max_length=31)] | None = Field(
        default=None, description="Of the interface, as `ethtool -i` shows it"
    )
    kernel: Annotated[str, Field(max_length=64)] | None = Field(
        default=None,
        description="That it runs, as `uname -r` shows it; by default the newest that is known of",
    )

    def question(self) -> Question:
        """Return it as the service takes it. Errors: 422 for an aim without a direction."""
        return Question(
            aims=[aim(a.measure, a.sense, a.weight) for a in self.aims],
            goal=self.goal,
            constraints=[constraint(c.measure, c.limit, c.value) for c in self.constraints],
            guarded=self.guarded,
            current=self.current,
            tolerance_percent=self.tolerance_percent,
            seed=self.seed,
            interface=self.interface,
            driver=self.driver,
            kernel=self.kernel,
        )


class RecommendationIn(QuestionIn):
    """What is wanted of an experiment's settings."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "aims": [
                        {"measure": "throughput_mbps"},
                        {"measure": "system_cpu_s_per_gb", "weight": 0.5},
                    ],
                    "constraints": [{"measure": "latency_us", "limit": "at most", "value": 500}],
                    "where": {"workload": "tcp"},
                    "interface": "eth0",
                    "driver": "e1000e",
                }
            ]
        },
    )

    where: Where = Field(default_factory=dict)
    without: LeftOut = Field(
        default_factory=list, description="Runs to leave out of this answer; nothing is deleted"
    )


_Levels = Annotated[list[FiniteFloat], Field(min_length=1, max_length=2000)]


class ModelRecommendationIn(QuestionIn):
    """What is wanted of the settings that a model predicts."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "model": "request-response",
                    "values": {"clients": 3},
                    "over": {"mtu_bytes": [1500, 9000], "delay_us": [10, 20, 40, 80, 160, 320]},
                    "aims": [{"measure": "throughput_mbps"}],
                }
            ]
        },
    )

    model: str | UserModelIn = Field(description="Id of any model, or a model of your own")
    values: dict[str, FiniteFloat] = Field(
        default_factory=dict, description="Inputs and parameters that are given"
    )
    over: dict[str, _Levels] = Field(description="What can be chosen, with the levels there are")

    def read_model(self) -> Model:
        """Return the model. Errors: 422."""
        if isinstance(self.model, str):
            return require_model(self.model)
        return read_user_model(self.model)
