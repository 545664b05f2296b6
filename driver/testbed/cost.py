# SPDX-License-Identifier: Apache-2.0
"""What the blocks cost: elapsed time, and CPU time, which a busy machine changes little."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

_NAME = "cost.json"


@dataclass(frozen=True)
class Cost:
    """Of one guest, from its boot to its end."""

    elapsed_s: float
    cpu_s: float

    def write(self, block: Path) -> None:
        """Leave it in a block's folder: finished blocks are kept."""
        (block / _NAME).write_text(json.dumps(asdict(self)))

    @classmethod
    def of(cls, block: Path) -> Self:
        """Return what a block cost."""
        return cls(**json.loads((block / _NAME).read_text()))


def costs(blocks: Iterable[Path], elapsed_s: float) -> str:
    """Return a line for each block that says its cost, and one for all.

    `elapsed_s`: of the command, which may have kept blocks from before.
    """
    by_block = {block.name: Cost.of(block) for block in blocks if (block / _NAME).exists()}
    lines = [
        f"block {name}: {cost.elapsed_s / 60:5.1f} min elapsed, {cost.cpu_s:6.0f} s of CPU"
        for name, cost in by_block.items()
    ]
    cpu_s = sum(cost.cpu_s for cost in by_block.values())
    return "\n".join(
        [
            *lines,
            f"all: {elapsed_s / 60:.1f} min elapsed now, {cpu_s:,.0f} s of CPU in "
            f"{len(by_block)} guests, that is {cpu_s / 2 / 60:.1f} min of two CPUs",
        ]
    )
