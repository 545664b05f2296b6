# SPDX-License-Identifier: Apache-2.0
"""GET /api/policies and POST /api/policies/trials."""

from fastapi import APIRouter

from coalescope.policies import service
from coalescope.policies.schemas import PolicyOut, TrialIn, TrialOut, policy_out, trial_out

router = APIRouter(prefix="/policies", tags=["policies"])


@router.get("", summary="List adaptive policies")
def list_policies() -> list[PolicyOut]:
    """The adaptive moderation of Linux drivers, as it can be tried here."""
    return [policy_out(known) for known in service.list_policies()]


@router.post("/trials", summary="Try an adaptive policy beside fixed intervals")
def create_policy_trial(body: TrialIn) -> TrialOut:
    """Which intervals a policy would choose for some traffic, and what that costs.

    The policy and each fixed interval are played over the same packets, or under the same waiting
    clients. A price is the CPU time of a packet, plus its wait for the interrupt times
    `wait_weight`.
    """
    return trial_out(service.try_policy(body.trial()))
