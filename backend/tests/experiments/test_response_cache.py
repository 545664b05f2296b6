# SPDX-License-Identifier: Apache-2.0
"""Answers about an experiment are sent again as they were, up to a size."""

from typing import Any

import pytest
from coalescope.experiments import cells as answered
from coalescope.experiments import response_cache
from coalescope_models.vocabulary.quantity import QUANTITIES

MANY_UP_TO = 2**20
# of the largest data set that is shipped
CELLS = 111


def table(cells: int, first: int = 0) -> bytes:
    """So many settings with every measure, twice; `first` is the first one's delay."""
    measures = [name for name, quantity in QUANTITIES.items() if quantity.role == "measure"]
    lines = [",".join(["delay_us", "replicate", *measures])]
    for delay in range(first, first + cells):
        for replicate in (1, 2):
            values = [repr((delay + replicate) / (7 * cells + k)) for k in range(len(measures))]
            lines.append(",".join([str(delay), str(replicate), *values]))
    return "\n".join(lines).encode()


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Cells that were put into answers."""
    seen: list[object] = []
    real = answered.cell_out

    def noted(cell: Any) -> Any:
        seen.append(cell)
        return real(cell)

    monkeypatch.setattr(answered, "cell_out", noted)
    return seen


@pytest.mark.parametrize(
    ("cells", "few_up_to", "kept"),
    [
        (CELLS, 2**23, True),
        (3 * CELLS, 2**23, True),
        (3 * CELLS, MANY_UP_TO + 1, False),
    ],
)
def test_answers_are_kept_many_of_the_usual_size_and_a_few_larger_ones(
    make_client: Any,
    worked_out: list[object],
    monkeypatch: pytest.MonkeyPatch,
    cells: int,
    few_up_to: int,
    *,
    kept: bool,
) -> None:
    monkeypatch.setattr(response_cache, "KEPT", {MANY_UP_TO: 64, few_up_to: 4})
    client = make_client()
    assert client.upload(table(cells), "lab.csv").status_code == 201
    first, again = (client.get("/api/experiments/lab/cells") for _ in range(2))
    assert (first.status_code, again.content) == (200, first.content)
    assert (len(first.content) <= MANY_UP_TO) is (cells == CELLS), len(first.content)
    assert len(worked_out) == (cells if kept else 2 * cells)


def test_what_grew_is_kept_beside_what_it_was(client: Any, worked_out: list[object]) -> None:
    assert client.upload(table(CELLS), "lab.csv").status_code == 201
    small = client.get("/api/experiments/lab/cells")
    assert client.upload(table(3 * CELLS, CELLS), "lab.csv").status_code == 201
    first, again = (client.get("/api/experiments/lab/cells") for _ in range(2))
    assert len(small.content) <= MANY_UP_TO < len(first.content)
    assert again.content == first.content
    assert len(worked_out) == CELLS + 4 * CELLS
