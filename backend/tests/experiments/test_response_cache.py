# SPDX-License-Identifier: Apache-2.0
"""Answers about an experiment are sent again as they were, up to a size."""

from typing import Any

import pytest
from coalescope.experiments import endpoints
from coalescope_models.vocabulary.quantity import QUANTITIES

LARGEST_KEPT = 1024 * 1024
# of the largest data set that is shipped
CELLS = 111


def table(cells: int) -> bytes:
    """So many settings with every measure, twice."""
    measures = [name for name, quantity in QUANTITIES.items() if quantity.role == "measure"]
    lines = [",".join(["delay_us", "replicate", *measures])]
    for delay in range(cells):
        for replicate in (1, 2):
            values = [repr((delay + replicate) / (7 * cells + k)) for k in range(len(measures))]
            lines.append(",".join([str(delay), str(replicate), *values]))
    return "\n".join(lines).encode()


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Cells that were put into answers."""
    seen: list[object] = []
    real = endpoints.cell_out

    def noted(cell: Any) -> Any:
        seen.append(cell)
        return real(cell)

    monkeypatch.setattr(endpoints, "cell_out", noted)
    return seen


@pytest.mark.parametrize(("cells", "kept"), [(CELLS, True), (3 * CELLS, False)])
def test_the_cells_of_an_experiment_as_large_as_any_shipped_are_kept(
    client: Any, worked_out: list[object], cells: int, *, kept: bool
) -> None:
    assert client.upload(table(cells), "lab.csv").status_code == 201
    first, again = (client.get("/api/experiments/lab/cells") for _ in range(2))
    assert (first.status_code, again.content) == (200, first.content)
    assert (len(first.content) <= LARGEST_KEPT) is kept, len(first.content)
    assert len(worked_out) == (cells if kept else 2 * cells)
