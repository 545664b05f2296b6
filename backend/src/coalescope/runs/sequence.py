# SPDX-License-Identifier: Apache-2.0
"""From what is stored of when runs were recorded to the sequence that statistics take. Pure."""

from collections.abc import Sequence
from datetime import datetime

from coalescope_models.inference.statistics import Timeline, timeline

from coalescope.runs.records import When


def sequence_of(recorded: Sequence[When], experiments: Sequence[str] = ()) -> Timeline:
    """Put these runs, all that a question is about, in sequence.

    `experiments` are those of the runs, where a question is about several.
    """
    return timeline(
        [when.order for when in recorded],
        [when.block for when in recorded],
        [when.replicate for when in recorded],
        [_seconds(when.recorded_at) for when in recorded],
        experiments,
    )


def _seconds(moment: str | None) -> float | None:
    return None if moment is None else datetime.fromisoformat(moment).timestamp()
