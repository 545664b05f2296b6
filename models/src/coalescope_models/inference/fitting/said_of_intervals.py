# SPDX-License-Identifier: Apache-2.0
"""What messages say of intervals: it goes where the intervals go."""

from __future__ import annotations

WIDENED = (
    "No interval is sure: those given include the misfit, and hold if it differs at random from "
    "setting to setting."
)
CORRECTED = "; the interval is corrected for that, the estimate is not"
ALIKE_WITHOUT_OUTLIERS = "; without them the intervals hardly differ"
BUT_OF_A_MODEL_THAT_HOLDS = ", but those of a model that holds, which are not given"


def without_what_is_said_of_intervals(message: str | None) -> str | None:
    """The rest of a message whose intervals are withheld; None where nothing is left."""
    if message is None:
        return None
    for said in (CORRECTED, ALIKE_WITHOUT_OUTLIERS, BUT_OF_A_MODEL_THAT_HOLDS, WIDENED):
        message = message.replace(said, "")
    return " ".join(message.split()) or None
