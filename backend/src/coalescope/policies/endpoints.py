# SPDX-License-Identifier: Apache-2.0
"""GET /api/policies and POST /api/policies/trials."""

from fastapi import APIRouter, Request

from coalescope.db.engine import Database
from coalescope.experiments.service import get_experiment
from coalescope.policies import service
from coalescope.policies.recorded import Recorded, read_traffic
from coalescope.policies.schemas import (
    PolicyOut,
    RecordedIn,
    TrialIn,
    TrialOut,
    policy_out,
    trial_out,
)
from coalescope.runs.selection import where_pairs

router = APIRouter(prefix="/policies", tags=["policies"])


@router.get("", summary="List adaptive policies")
def list_policies() -> list[PolicyOut]:
    """The adaptive moderation of Linux drivers, as it can be tried here."""
    return [policy_out(policy) for policy in service.list_policies()]


@router.post("/trials", summary="Try an adaptive policy beside fixed intervals")
def create_policy_trial(request: Request, body: TrialIn) -> TrialOut:
    """Which intervals a policy would choose for some traffic, and what that costs.

    The policy and each fixed interval are played over the same packets, or under the same waiting
    clients. A price is the CPU time of a packet, plus its wait for the interrupt times
    `wait_weight`.

    Traffic of kind `recorded` is that of an experiment's runs, as one stream or, with `clients`,
    as so many that wait. The fixed intervals are then the delays that its runs had, each beside
    what they counted.
    """
    recorded = _read(request, body)
    return trial_out(service.simulate_policy(body.simulation(recorded)), recorded)


def _read(request: Request, body: TrialIn) -> Recorded | None:
    traffic = body.traffic
    if not isinstance(traffic, RecordedIn):
        return None
    database: Database = request.app.state.database
    with database.read() as connection:
        experiment = get_experiment(connection, traffic.experiment)
        where = where_pairs(traffic.where)
        return read_traffic(connection, experiment, where, traffic.clients, body.costs)
