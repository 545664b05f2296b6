# SPDX-License-Identifier: Apache-2.0
"""docs/scored.py: what is scored, against what, and that nothing is fitted to its own cells."""

import hashlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from coalescope_models.catalogue import MODELS, Model
from coalescope_models.catalogue.model import quantities, slider
from coalescope_models.vocabulary.quantity import QUANTITIES

from ..datasets.converters.test_nic_tuning import SAMPLE

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def scored() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scored", DOCS / "scored.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["scored"] = module
    spec.loader.exec_module(module)
    return module


def made_up(model_id: str = "made-up") -> Model:
    """Throughput that is twice the offered rate, and a second output without a measure."""

    def function(offered_mbps: Any, link_rate_mbps: Any, xp: Any) -> dict[str, Any]:
        return {"throughput_mbps": 2.0 * offered_mbps, "latency_us": link_rate_mbps}

    return Model(
        id=model_id,
        title="",
        summary="",
        function=function,
        inputs=quantities("offered_mbps"),
        parameters=(slider("link_rate_mbps", 1000.0, 1.0, 1e4, 1.0),),
        outputs=quantities("throughput_mbps", "latency_us"),
        citation="",
    )


def cells_of(scored: ModuleType, *numbers: dict[str, float]) -> Any:
    return scored.Cells("made-up", "measured", "udp", tuple(scored.Cell({}, n) for n in numbers))


def test_an_error_is_relative_and_of_a_share_in_points(scored: ModuleType) -> None:
    cells = cells_of(
        scored,
        {"offered_mbps": 50.0, "throughput_mbps": 80.0},
        {"offered_mbps": 50.0, "throughput_mbps": 125.0},
        {"offered_mbps": 50.0},
        {"throughput_mbps": 1.0},
    )
    (score,) = scored.scores(made_up(), cells)
    assert list(score.errors) == pytest.approx([25.0, -20.0])
    assert (score.output, score.median, score.p95) == ("throughput_mbps", 22.5, 25.0)
    assert score.same_cells == "not said"  # a new model has not declared it
    assert scored.error("idle_cpu_percent", 3.0, 2.0) == 1.0
    assert scored.error("throughput_mbps", 3.0, 2.0) == 50.0


def test_what_was_set_is_not_taken_for_measured(scored: ModuleType) -> None:
    numbers = {"offered_mbps": 50.0, "throughput_mbps": 80.0}
    observed, chosen = (
        scored.Cells("", "measured", "", (scored.Cell(levels, numbers),))
        for levels in ({}, {"throughput_mbps": 80.0})
    )
    assert list(scored.scores(made_up(), observed))
    assert not list(scored.scores(made_up(), chosen))


def test_parameters_are_fitted_on_other_cells_only(scored: ModuleType) -> None:
    """Three MTUs cost alike, the fourth ten times as much: its own cells would have told."""
    model = MODELS["cpu-overhead"]
    cells = []
    for mtu, price in ((1500.0, 1.0), (3000.0, 1.0), (4500.0, 1.0), (6000.0, 10.0)):
        for interrupts in (10.0, 50.0, 200.0, 400.0):
            counts = {
                "rx_megabytes": 1000.0 + interrupts,
                "rx_kilopackets": 1e6 / mtu,
                "rx_kilointerrupts": interrupts,
            }
            cost = 0.8 * counts["rx_megabytes"] + 0.3 * counts["rx_kilopackets"] + interrupts
            cells.append({**counts, "mtu_bytes": mtu, "system_cpu_jiffies": price * cost})
    _, held_out = scored.scores(model, cells_of(scored, *cells))
    assert "fitted on the other MTUs" in held_out.parameters
    assert held_out.errors[-4:] == pytest.approx([-90.0] * 4)
    alike = cells_of(scored, *cells[:12])
    _, held_out = scored.scores(model, alike)
    assert held_out.errors == pytest.approx([0.0] * 12, abs=1e-6)


def test_every_model_is_scored_or_told_why_not(scored: ModuleType) -> None:
    text = (DOCS / "scored.md").read_text()
    told = {line.split(" | ")[0].removeprefix("| ") for line in text.splitlines()}
    assert MODELS.keys() <= told
    named = scored.TRAFFIC.keys() | scored.PARTICULAR.keys() | scored.REMARKS.keys()
    assert named <= MODELS.keys()
    assert {model_id for model_id, _ in scored.NOT_OF_THE_MODEL} <= MODELS.keys()
    assert scored.CHOSEN_AFTER.keys() <= MODELS.keys()
    for model_id, chosen in scored.CHOSEN_AFTER.items():
        names = {name for group in chosen.values() for name in group}
        assert names <= MODELS[model_id].defaults.keys(), model_id


def columns_suffice(scored: ModuleType, model: Model, cells: Any) -> bool:
    """From the columns alone: one cell has the inputs of an output, and what it stands beside."""
    inputs = {quantity.name for quantity in model.inputs}
    for output in (quantity.name for quantity in model.outputs):
        needed = inputs & scored.names_behind(model, output)
        asked = output not in scored.NOT_ASKED.get(model.id, ())
        beside = scored.MEASURED_AS.get(output, (output,))
        if asked and any(
            needed <= cell.numbers.keys()
            and any(m in cell.numbers and m not in cell.levels and m not in needed for m in beside)
            for cell in cells.cells
        ):
            return True
    return False


def rows_below(heading: str) -> list[list[str]]:
    section = (DOCS / "scored.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines[1:]]


def test_each_pair_whose_columns_suffice_is_scored_or_named_with_a_reason(
    scored: ModuleType,
) -> None:
    data = scored.shipped_cells()
    found = {(s.model.id, s.of.dataset, s.of.workload) for s in scored.all_scores(data)}
    told = {row[0]: row for row in rows_below("Not scored")}
    left_out = rows_below("Left out")
    for model in MODELS.values():
        for cells in data:
            pair = (model.id, cells.dataset, cells.workload)
            if not columns_suffice(scored, model, cells):
                assert pair not in found
            elif pair not in found:
                why = scored.left_out(model, cells)
                assert why, pair
                rows = [told[model.id]] if model.id in told else left_out
                assert any(cells.dataset in " ".join(row) for row in rows if row[0] == model.id)


def test_what_no_data_have_is_in_none_of_them(scored: ModuleType) -> None:
    """The reasons that name columns, read back from the page."""
    everywhere = {
        name
        for cells in scored.shipped_cells()
        for cell in cells.cells
        for name in cell.numbers.keys() | cell.levels.keys()
    }
    named = 0
    for _, why, *_ in rows_below("Not scored"):
        absent = re.findall(r"No data here have ([a-z_, ]+)\.", why)
        unmeasured = re.findall(r"none of its outputs was measured: ([a-z_, ]+)\.", why)
        for name in ", ".join(absent + unmeasured).split(", "):
            assert name not in everywhere
            named += name != ""
    assert named > 5


@pytest.mark.parametrize(
    ("model_id", "numbers"),
    [
        ("tcp-coalescing-throughput", {"connections": 1.0, "throughput_mbps": 90.0}),
        ("tcp-lossy-throughput", {"connections": 1.0, "throughput_mbps": 90.0}),
        ("receive-merging", {"packets_per_segment": 4.0, "packets_per_interrupt": 5.0}),
        ("receive-energy", {"package_power_w": 9.0}),
        ("wake-up-latency", {"wake_latency_us": 9.0, "packet_rate_hz": 1e4}),
        ("usecs-or-frames-back-to-back", {"rx_frames": 8.0, "packets_per_interrupt": 8.0}),
        (
            "usecs-or-frames-poisson",
            {"rx_frames": 8.0, "packet_rate_hz": 1e4, "packets_per_interrupt": 8.0},
        ),
    ],
)
def test_cells_that_a_model_is_of_are_scored(
    scored: ModuleType, model_id: str, numbers: dict[str, float]
) -> None:
    """The reasons follow from the cells: none of them stays when data of the model's kind come."""
    model = MODELS[model_id]
    own = {"delay_us": 20.0, "mtu_bytes": 1500.0, **numbers}
    others = {**own, "connections": 10.0}
    for name in ("packets_per_segment", "package_power_w", "wake_latency_us", "rx_frames"):
        others.pop(name, None)
    assert scored.left_out(model, cells_of(scored, own)) is None
    assert [s for s in scored.all_scores((cells_of(scored, own),)) if s.model is model]
    assert scored.left_out(model, cells_of(scored, own, others)) is not None


def test_ten_connections_are_what_the_data_have(scored: ModuleType) -> None:
    of_tcp = [cells for cells in scored.shipped_cells() if cells.workload == "tcp"]
    assert {cell.numbers["connections"] for cells in of_tcp for cell in cells.cells} == {10.0}


def test_the_document_is_what_the_script_writes(scored: ModuleType) -> None:
    assert (DOCS / "scored.md").read_text() == "\n".join(scored.shipped()) + "\n"


def test_settings_of_data_sets_are_quantities(scored: ModuleType) -> None:
    for dataset in scored.find_datasets(scored.DATASETS):
        table = dataset.source.get("settings", {})
        workloads = [name for name, value in table.items() if isinstance(value, dict)]
        for workload in ("", *workloads):
            assert scored.settings_of(dataset, workload).keys() <= QUANTITIES.keys()


def test_failures_stay_in_the_table(scored: ModuleType) -> None:
    rows = [
        line for line in (DOCS / "scored.md").read_text().splitlines() if "napi-receive" in line
    ]
    assert any("napi-howto-2002" in row and "**" in row for row in rows)
    assert len(scored.all_scores(scored.shipped_cells())) > 60


def test_data_that_are_fetched_are_scored_from_a_copy_of_their_file(
    scored: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, copy = tmp_path / "a-study-2022", tmp_path / "copy.csv"
    folder.mkdir()
    copy.write_bytes(SAMPLE)
    (folder / "source.toml").write_text(
        'title = "A"\nkind = "published"\ncitation = "B"\nlicence = "C"\n[settings]\nqueues = 16\n'
        f'[fetch]\nurl = "http://127.0.0.1:9/file"\ncommit = "0123"\n'
        f'sha256 = "{hashlib.sha256(SAMPLE).hexdigest()}"\n'
        f'bytes = {len(SAMPLE)}\nconverter = "nic-tuning-mcd"\n'
    )
    monkeypatch.setattr(scored, "DATASETS", tmp_path)
    (cells,) = scored.fetched_cells("a-study-2022", copy)
    at_50 = next(cell for cell in cells.cells if cell.levels["delay_us"] == 50)
    assert at_50.numbers["latency_p99_us"] == pytest.approx((105.5 + 106) / 2)
    assert at_50.numbers["queues"] == 16
    text = "\n".join(scored.fetched("a-study-2022", copy))
    assert "a-study-2022, published | memcached | rx_interrupt_rate_hz" in text
    assert "geist" not in text.partition("## Scores")[2]
