# SPDX-License-Identifier: Apache-2.0
"""Writes docs/scored.md: every model of the catalogue beside every data set that has what it needs.

    python docs/scored.py > docs/scored.md
    python docs/scored.py --fetched nic-tuning-2022 FILE > docs/scored-fetched.md

The second is of a data set that is not shipped; FILE is what its source.toml says to fetch.

A model is scored where a data set's cells, and what its source.toml says of all of them
(`[settings]`), give all of its inputs, and where an output of it was measured. Nothing is fitted
to the cells that are scored, except where a row says so.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from coalescope.datasets.bundles import read_bundle
from coalescope.datasets.fetching import as_dataset, convert, read_from
from coalescope.datasets.recipes import find_recipe
from coalescope.datasets.source import Dataset, find_datasets
from coalescope.datasets.tables import dataset_table, table_runs
from coalescope.runs.records import NewRun
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.run_logs import parse_run_log
from coalescope_models.catalogue import MODELS, DomainError, Model, evaluate
from coalescope_models.inference.fitting import fit_linear, fit_nonlinear
from coalescope_models.phenomena.link import frame_rate_hz
from coalescope_models.vocabulary.following import FOLLOWING
from coalescope_models.vocabulary.quantity import QUANTITIES

DATASETS = Path(__file__).parents[1] / "datasets"
#: Median relative error [%] from which on a row is a failure, and set in bold.
FAILURE_PERCENT = 10.0
#: A factor with more levels than this is put into so many classes.
CLASSES = 6

#: Workloads that a model is of. One that is not named here is scored on all.
TRAFFIC: Mapping[str, tuple[str, ...]] = {
    "cpu-overhead-open-loop": ("udp",),
    "link-bound": ("udp", "tcp"),
    "timer-packets-per-interrupt": ("udp",),
    "request-response": ("nfs", "request_response"),
    "napi-receive": ("forwarding",),
    "moderation-trade": ("ping", "iperf"),
    "end-system-costs": ("", "tcp", "udp"),  # chase-1999 names no workload: TCP in bulk
    "receive-open-loop": ("udp",),
    "receive-windowed": ("tcp",),
    "throttle-poisson": ("memcached",),  # the others count from the first packet
    "first-packet-timer-poisson": ("udp", "tcp", "request_response"),
    "ping-pong-throttle": ("ping",),
}

#: What else than its traffic parts a data set from a model.
NOT_OF_THE_MODEL: Mapping[tuple[str, str], str] = {
    ("link-bound", "chase-1999"): "It is of Ethernet's frames; the link there is another."
}

#: More of why a model is scored beside nothing, and of which data set that is.
REMARKS: Mapping[str, tuple[str, str]] = {
    "queue-imbalance": (
        "dillon-2004-streams",
        "dillon-2004-streams has ten, by number, and a card of one queue.",
    ),
    "throttle-poisson": (
        "virtual-testbed",
        "Its throttle ticks whether packets come or not; the timers of virtual-testbed count from "
        "the first packet. Fetched data are of it: [scored-fetched.md](scored-fetched.md).",
    ),
    "deferred-interrupts": (
        "threaded-busy-poll-2025",
        "threaded-busy-poll-2025 prints whole round trips, not what moderation adds, and neither "
        "interrupts nor polls.",
    ),
    "suspended-interrupts": (
        "threaded-busy-poll-2025",
        "threaded-busy-poll-2025 prints whole round trips, no share of a loop in the packets, and "
        "names no irq_suspend_timeout.",
    ),
}

#: Outputs that a model is not asked for, as the data here are of something else.
NOT_ASKED: Mapping[str, tuple[str, ...]] = {
    # pings a second apart, and not each as the reply to the one before is there
    "ping-pong-throttle": ("latency_us", "shared_interrupt_latency_us", "ticking_latency_us"),
}

#: Parameters whose defaults were fitted to a data set, or chosen after seeing it. A model that is
#: not named here: not said.
CHOSEN_AFTER: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "cpu-overhead": {"geist-2005-nfs": ("alpha", "beta", "gamma")},
    "cpu-overhead-surface": {"geist-2005-nfs": ("alpha", "beta", "gamma")},
    "cpu-overhead-open-loop": {"geist-2005-nfs": ("alpha", "beta", "gamma")},
    "link-bound": {},
    "timer-packets-per-interrupt": {},
    "bus-bound": {},
    "request-response": {
        "geist-2005-nfs": (
            *("alpha", "beta", "gamma", "small_packets"),
            *("idle_us", "delay_waits", "burst_rate_mbps"),
        )
    },
    "coalesced-interrupt-load": {},
    "end-system-costs": {"chase-1999": ("copy_cost_ns", "packet_cost_us", "interrupt_cost_us")},
    "napi-receive": {},
    "moderation-trade": {"dillon-2004": ("interrupt_cost_us", "packet_cost_us", "base_latency_us")},
    "receive-open-loop": {},
    "throttle-poisson": {},
    "first-packet-timer-poisson": {},
    "usecs-or-frames-poisson": {},
    "usecs-or-frames-back-to-back": {},
    "deferred-interrupts": {},
    "suspended-interrupts": {},
    "ping-pong-throttle": {"dillon-2004": ("base_latency_us",)},
    "receive-windowed": {"geist-2005-points": ("window_bytes", "rtt_min_us")},
}

_COSTS = ("byte_cost_ns", "packet_cost_us", "interrupt_cost_us")
#: Parameters that are also fitted on the cells of the other MTUs, and to which output; besides
#: those of a linear fit.
FITTED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "receive-open-loop": ("system_cpu_percent", _COSTS),
    "receive-windowed": ("system_cpu_percent", _COSTS),
    "coalesced-interrupt-load": ("system_cpu_percent", ("packet_cost_us", "interrupt_cost_us")),
    "request-response": ("throughput_mbps", ("idle_us", "delay_waits")),
}

#: Measures that an output stands beside, the first that a cell has; by default that of its name.
#: Models predict what receiving costs, so the receiver's own CPU time goes before the host's.
MEASURED_AS: Mapping[str, tuple[str, ...]] = {
    "system_cpu": ("traffic_cpu_jiffies", "system_cpu_jiffies"),
    "system_cpu_per_gb": ("traffic_cpu_jiffies_per_gb", "system_cpu_jiffies_per_gb"),
    "system_cpu_percent": ("traffic_cpu_percent", "system_cpu_percent"),
    "rx_interrupt_rate_hz": ("rx_interrupt_rate_hz", "rx_line_interrupt_rate_hz"),
    "packets_per_interrupt": ("packets_per_interrupt", "packets_per_line_interrupt"),
    "unlocked_latency_us": ("latency_us",),
}


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell: the levels of its factors, and all that is known of it as numbers, by quantity."""

    levels: Mapping[str, str | float]
    numbers: Mapping[str, float]


@dataclass(frozen=True)
class Cells:
    """The cells of one workload of a data set.

    Attributes:
        dataset: its name.
        kind: published, measured, emulated or simulated.
        workload: "" where the data set has none.
        cells: one for each combination of levels.
    """

    dataset: str
    kind: str
    workload: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Score:
    """One output of a model beside one measure.

    Attributes:
        errors: relative error of each cell [%]; of shares between 0 and 100 %, the difference in
            points. NaN where the model has no answer.
        parameters: where they are from.
        same_cells: parameters that were fitted to these cells or chosen after seeing them.
    """

    model: Model
    of: Cells
    output: str
    measure: str
    used: tuple[Cell, ...]
    errors: np.ndarray
    parameters: str
    same_cells: str

    @property
    def median(self) -> float:
        """Of the size of the errors."""
        return float(np.nanmedian(np.abs(self.errors)))

    @property
    def p95(self) -> float:
        """The error that 95 of 100 cells stay within; the largest of up to 20 cells."""
        return float(np.nanquantile(np.abs(self.errors), 0.95, method="higher"))


@dataclass(frozen=True)
class Particular:
    """What a model is of, where names of columns do not tell.

    Attributes:
        why: why it is not scored beside other cells.
        is_of: whether a cell is of it.
    """

    why: str
    is_of: Callable[[Cell], bool]


def _has(name: str) -> Callable[[Cell], bool]:
    return lambda cell: name in cell.numbers


_ONE_CONNECTION = Particular(
    "It is of one connection; the TCP data here are of ten at a time, the rest of other traffic.",
    lambda cell: cell.numbers.get("connections") == 1.0,
)
_COUNT_OF_FRAMES = Particular("No data set here sets a count of frames.", _has("rx_frames"))

#: By the model's id. Cells that are of it are scored, whoever brings them.
PARTICULAR: Mapping[str, Particular] = {
    "tcp-coalescing-throughput": _ONE_CONNECTION,
    "tcp-lossy-throughput": _ONE_CONNECTION,
    "receive-merging": Particular(
        "It is of merged packets; no data set here has them merged and counted.",
        _has("packets_per_segment"),
    ),
    "wake-up-latency": Particular(
        "It is of CPUs that sleep, of which virtual-testbed says nothing, and gives the mean and "
        "the longest wait; aspm-c-states-2026 prints percentiles of whole replies, and interrupts "
        "of sending with those of receiving. Its link exit was set to what the medians there "
        "differ by, so that they would come back.",
        _has("wake_latency_us"),
    ),
    "receive-energy": Particular(
        "It is of the energy of one CPU; in aspm-c-states-2026 all six cores sleep or may not. Its "
        "powers were set after both, so that they would come back; and the throttle there is in "
        "words. Of virtual-testbed no power is known.",
        lambda cell: {"package_power_w", "delay_us"} <= cell.numbers.keys(),
    ),
    "usecs-or-frames-poisson": _COUNT_OF_FRAMES,
    "usecs-or-frames-back-to-back": _COUNT_OF_FRAMES,
    "interrupt-livelock": Particular(
        "Its CPU time is that of interrupts alone, which no data set here has. The one printed "
        "rate of livelock was matched, see [published-vs-predicted.md](published-vs-predicted.md).",
        lambda _: False,  # there is no such measure: NAPI is in what the glossary has
    ),
}


# ---- data -------------------------------------------------------------------------------------


@cache
def shipped_cells() -> tuple[Cells, ...]:
    """Every workload of every data set that is shipped."""
    return tuple(each for dataset in find_datasets(DATASETS) for each in _by_workload(dataset))


def fetched_cells(slug: str, file: Path) -> tuple[Cells, ...]:
    """Every workload of a data set that is fetched, of a copy of its file."""
    recipe = find_recipe(DATASETS, slug)
    table = convert(recipe, read_from(recipe, file))
    with as_dataset(recipe, table) as dataset:
        return tuple(_by_workload(dataset))


def _by_workload(dataset: Dataset) -> Iterator[Cells]:
    is_table = not dataset.is_bundle
    runs = table_runs(dataset, dataset_table(dataset)) if is_table else list(_bundle_runs(dataset))
    workloads = dict.fromkeys(str(run.factors.get("workload", "")) for run in runs)
    for workload in workloads:
        own = [run for run in runs if str(run.factors.get("workload", "")) == workload]
        groups: dict[tuple[tuple[str, object], ...], list[NewRun]] = {}
        for run in own:
            groups.setdefault(tuple(sorted(run.factors.items())), []).append(run)
        settings = settings_of(dataset, workload)
        cells = tuple(
            Cell(group[0].factors, complete({**settings, **_mean(group)}))
            for group in groups.values()
        )
        yield Cells(dataset.slug, dataset.kind, workload, cells)


def _bundle_runs(dataset: Dataset) -> Iterator[NewRun]:
    for name, content in read_bundle(dataset.path):
        request = UploadRequest(
            name.replace("/", "-"),
            experiment=dataset.slug,
            kind=dataset.kind,
            environment=dataset.source.get("environment", {}),
        )
        yield from parse_run_log(content, request).runs


def settings_of(dataset: Dataset, workload: str) -> dict[str, float]:
    """What source.toml says of all cells, and of all of a workload, by the glossary's names."""
    table: Mapping[str, object] = dataset.source.get("settings", {})
    own = table.get(workload, {})
    assert isinstance(own, Mapping)
    everywhere = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
    return {name: float(str(value)) for name, value in {**everywhere, **own}.items()}


def _mean(runs: Sequence[NewRun]) -> dict[str, float]:
    """Numbers of a cell: its numeric factors, and the mean of each measure that all runs have."""
    numbers = {
        name: float(level)
        for name, level in runs[0].factors.items()
        if isinstance(level, (int, float))
    }
    shared = set.intersection(*(set(run.measures) for run in runs))
    return numbers | {
        name: sum(run.measures[name].value for run in runs) / len(runs) for name in shared
    }


def complete(numbers: Mapping[str, float]) -> dict[str, float]:
    """Add what follows from a cell's numbers by definition, where it is not there already."""
    found = dict(numbers)
    for name, needed, derive in DERIVED:
        if name not in found and all(each in found for each in needed):
            value = derive(*(found[each] for each in needed))
            if value is not None and math.isfinite(value):
                found[name] = value
    return found


#: What follows from what: name, what it is made of, how. Earlier ones are there for later ones.
DERIVED: Sequence[tuple[str, tuple[str, ...], Callable[..., float | None]]] = (
    *(
        (name, *FOLLOWING[name])
        for name in ("delay_us", "rx_megabytes", "rx_kilopackets", "rx_kilointerrupts")
    ),
    (  # only where hosts are said to bound the rate: a timer's delay is something else
        "moderation_rate_hz",
        ("delay_us", "moderated_hosts"),
        lambda delay_us, _: 1e6 / delay_us if delay_us else math.inf,
    ),
    ("packet_fill", ("mean_packet_bytes", "mtu_bytes"), lambda mean, mtu: min(1.0, mean / mtu)),
    ("interrupt_rate_hz", ("rx_interrupt_rate_hz",), lambda rate: rate),
    ("carried_packet_rate_hz", ("rx_packets", "elapsed_s"), lambda count, time: count / time),
    # what came stands for what was offered
    ("packet_rate_hz", ("carried_packet_rate_hz",), lambda rate: rate),
    (
        "drop_percent",
        ("drops", "rx_packets"),
        lambda drops, received: 100.0 * drops / (drops + received),
    ),
    (
        "link_load",
        ("drops", "rx_packets", "elapsed_s", "frame_bytes", "link_rate_mbps"),
        lambda drops, received, elapsed, frame, link: min(
            1.0, (drops + received) / elapsed / frame_rate_hz(frame, link)
        ),
    ),
)


# ---- scores -----------------------------------------------------------------------------------


@cache
def all_scores(data: tuple[Cells, ...]) -> tuple[Score, ...]:
    """Every score, model by model in the order of the catalogue."""
    return tuple(
        score
        for model in MODELS.values()
        for cells in data
        if left_out(model, cells) is None
        for score in scores(model, cells)
    )


def left_out(model: Model, cells: Cells) -> str | None:
    """Why a model is not scored beside cells, although their columns may suffice."""
    traffic = TRAFFIC.get(model.id, (cells.workload,))
    if cells.workload not in traffic:
        known = NOT_OF_THE_MODEL.get((model.id, cells.dataset))
        return known or f"It is of other traffic: {', '.join(filter(None, traffic))}."
    particular = PARTICULAR.get(model.id)
    return particular.why if particular and not all(map(particular.is_of, cells.cells)) else None


def suffices(model: Model, cells: Cells) -> bool:
    """Whether the columns alone would give a score."""
    return any(True for _ in scores(model, cells))


def scores(model: Model, cells: Cells) -> Iterator[Score]:
    """Each output that was measured in cells that have all inputs."""
    for output in (quantity.name for quantity in model.outputs):
        if output in NOT_ASKED.get(model.id, ()):
            continue
        reached = names_behind(model, output)
        needed = reached & {quantity.name for quantity in model.inputs}
        measure = next((m for m in MEASURED_AS.get(output, (output,)) if _measured(cells, m)), None)
        if measure is None or measure in needed:
            continue
        used = tuple(cell for cell in cells.cells if {measure, *needed} <= cell.numbers.keys())
        if not used:
            continue
        predicted = [_predicted(model, output, cell) for cell in used]
        errors = np.array(
            [
                error(measure, value, cell.numbers[measure])
                for value, cell in zip(predicted, used, strict=True)
            ]
        )
        if np.isnan(errors).all():
            continue
        names = [
            name
            for name in model.defaults
            if name in reached and any(name in cell.numbers for cell in used)
        ]
        told = f"defaults; of the cells: {', '.join(names)}" if names else "defaults"
        chosen = _chosen_after(model, cells.dataset, names, output)
        yield Score(model, cells, output, measure, used, errors, told, chosen)
        yield from _held_out(model, cells, output, measure, used)


def names_behind(model: Model, output: str) -> set[str]:
    """The inputs and parameters that an output depends on."""
    nodes = (model.graph.nodes[index] for index in model.graph.live(output))
    return {model.graph.inputs[node.args[0]] for node in nodes if node.op == "input"}


def _measured(cells: Cells, measure: str) -> bool:
    """Whether some cell has it as something observed, not as something set."""
    return any(measure in cell.numbers and measure not in cell.levels for cell in cells.cells)


def _predicted(
    model: Model, output: str, cell: Cell, fitted: Mapping[str, float] | None = None
) -> float:
    """The prediction; an input that the output does not depend on may be unknown."""
    told = {name: cell.numbers[name] for name in model.names if name in cell.numbers}
    unknown = {each.name: math.nan for each in model.inputs if each.name not in told}
    try:
        found: dict[str, float] = evaluate(model, {**told, **unknown, **(fitted or {})})
    except DomainError:
        return math.nan
    return found[output]


def error(measure: str, predicted: float, measured: float) -> float:
    """Relative error [%]; the difference in points where a share of 100 % is measured."""
    if is_share(measure):
        return predicted - measured
    return 100.0 * (predicted / measured - 1.0) if measured else math.nan


def is_share(measure: str) -> bool:
    """Whether a measure lies between 0 and 100 %: a relative error says little of small ones."""
    return QUANTITIES[measure].domain == (0.0, 100.0)


def _chosen_after(model: Model, slug: str, from_cells: Sequence[str], output: str) -> str:
    if model.id not in CHOSEN_AFTER:
        return "not said"
    names = CHOSEN_AFTER[model.id].get(slug, ())
    moving = names_behind(model, output) - set(from_cells)
    return ", ".join(name for name in names if name in moving)


def _held_out(
    model: Model, cells: Cells, output: str, measure: str, used: tuple[Cell, ...]
) -> Iterator[Score]:
    """For each MTU, parameters that were fitted on the cells of the others."""
    mtus = [cell.numbers.get("mtu_bytes", math.nan) for cell in used]
    if len(set(mtus)) < 2:
        return
    errors = []
    for mtu, cell in zip(mtus, used, strict=True):
        others = tuple(each for each, of in zip(used, mtus, strict=True) if of != mtu)
        fitted = _fit(model, output, measure, others)
        if fitted is None:
            return
        value = _predicted(model, output, cell, fitted)
        errors.append(error(measure, value, cell.numbers[measure]))
    told = f"{', '.join(fitted or ())} fitted on the other MTUs"
    yield Score(model, cells, output, measure, used, np.array(errors), told, "")


@cache
def _fit(
    model: Model, output: str, measure: str, cells: tuple[Cell, ...]
) -> dict[str, float] | None:
    """The parameters that suit the cells best; None where none are fitted, or cannot be."""
    linear = model.linear_fit
    if linear is not None and output == linear.output and measure in linear.responses:
        table = _columns(cells, (*linear.columns, measure))
        found = fit_linear(model, table, "ols", response=measure, resamples=0)
    elif FITTED.get(model.id, ("", ()))[0] == output:
        free = FITTED[model.id][1]
        table = _columns(cells, (*(each.name for each in model.inputs), measure))
        known = cells[0].numbers
        held = {name: known[name] for name in model.defaults if name in known and name not in free}
        found = fit_nonlinear(model, table, output, free, response=measure, held=held, resamples=0)
    else:
        return None
    values = {name: each.value for name, each in found.estimates.items() if each.value is not None}
    return values if found.identifiable and len(values) == len(found.estimates) else None


def _columns(cells: tuple[Cell, ...], names: Sequence[str]) -> dict[str, np.ndarray]:
    return {name: np.array([cell.numbers[name] for cell in cells]) for name in names}


# ---- the document -----------------------------------------------------------------------------


def shipped() -> Iterator[str]:
    """The document about the data sets that are shipped."""
    yield "# Models beside data"
    yield ""
    yield (
        "Every model of the catalogue beside every published, measured or emulated data set that "
        "has what it needs. `python docs/scored.py` writes this page (`make client`); `make lint` "
        "fails when it is stale. Data that are fetched and not shipped have a page of their own, "
        "[scored-fetched.md](scored-fetched.md)."
    )
    yield from _reading()
    yield from _tables(shipped_cells())


def fetched(slug: str, file: Path) -> Iterator[str]:
    """The document about a data set that is fetched."""
    recipe = find_recipe(DATASETS, slug)
    yield "# Models beside data that are fetched"
    yield ""
    yield (
        "As [scored.md](scored.md), for data that are not this project's to pass on "
        f"(`coalescope datasets fetch {slug}`): {recipe.source['citation']} "
        f"`python docs/scored.py --fetched {slug} FILE` writes this page; no check renews it, as "
        "that takes the file."
    )
    yield from _reading()
    yield from _tables(fetched_cells(slug, file))


def _reading() -> Iterator[str]:
    """How the tables are to be read."""
    yield ""
    yield from (
        "- The error of a cell is the size of the prediction's relative difference from what was "
        "measured; of shares of 100 % (idle CPU, drops), the difference in points.",
        "- Parameters are the model's defaults, which its citation explains, and what the data "
        "set itself says of its cells (factors, and `[settings]` of its source.toml). “On these "
        "cells” names defaults that were fitted to these very data or chosen after seeing them: "
        "such a row is no test of the model, or only of its shape. “Not said”: nobody has "
        "declared it yet (docs/scored.py).",
        "- “Fitted on the other MTUs”: for each MTU, the parameters named are fitted to the cells "
        "of all others (least squares), and scored on its own. The rest are as in the row above.",
        "- A level that is right says nothing of where it begins: throughput that the study of "
        "2005 printed is that of plateaus, see [published-vs-predicted.md]"
        "(published-vs-predicted.md).",
        f"- Failures stay. A median above {FAILURE_PERCENT:g} % is in bold. With up to 20 cells, "
        "the 95th percentile is the largest error.",
        "- Emulated data are of this project's virtual testbed. Its CPU has costs of its own, so "
        "CPU times with the paper's costs are expected to fail there; shapes are meant "
        "([virtual-testbed.md](virtual-testbed.md)).",
    )


def _tables(data: tuple[Cells, ...]) -> Iterator[str]:
    found = all_scores(data)
    yield from ("", "## Scores", "")
    yield (
        "| model | data | traffic | quantity | cells | parameters | on these cells | median | "
        "95 % |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    yield from (_row(score) for score in found)
    yield from ("", "## By condition", "")
    yield (
        "The median error at each level of what varies, in the unit of the table above; behind the "
        "stroke, the error that 95 % of its cells stay within."
    )
    yield ""
    yield "| model | data | traffic | quantity | parameters | by | median / 95 % |"
    yield "|---|---|---|---|---|---|---|"
    for score in found:
        yield from _conditions(score)
    scored = {score.model for score in found}
    yield from ("", "## Not scored", "")
    yield "Models that are beside no data here, and the data that have the columns all the same."
    yield from ("", "| model | why | columns are there in |", "|---|---|---|")
    for model in MODELS.values():
        if model not in scored:
            there = _names([each for each in data if suffices(model, each)])
            yield f"| {model.id} | {_why_not(model, data)} | {there} |"
    yield from _left_out(data, scored)


def _left_out(data: tuple[Cells, ...], scored: set[Model]) -> Iterator[str]:
    rows = []
    for model in (each for each in MODELS.values() if each in scored):
        pairs = [(left_out(model, each), each) for each in data]
        out = [(why, each) for why, each in pairs if why is not None and suffices(model, each)]
        for why in dict.fromkeys(why for why, _ in out):
            names = _names([each for of, each in out if of == why])
            rows.append(f"| {model.id} | {names} | {why} |")
    if rows:
        yield from ("", "## Left out", "")
        yield (
            "Data that have the columns of a model that is scored beside others, and are not of it."
        )
        yield from ("", "| model | data | why |", "|---|---|---|", *rows)


def _names(data: Sequence[Cells]) -> str:
    """Data sets, each with its workloads."""
    workloads: dict[str, list[str]] = {}
    for each in data:
        workloads.setdefault(each.dataset, []).append(each.workload)
    return "; ".join(
        f"{name} ({', '.join(own)})" if any(own) else name for name, own in workloads.items()
    )


def _row(score: Score) -> str:
    unanswered = int(np.isnan(score.errors).sum())
    count = f"{len(score.errors)}" + (f" ({unanswered} without an answer)" if unanswered else "")
    unit = _unit(score)
    median = f"{_number(score.median)} {unit}"
    if score.median > FAILURE_PERCENT:
        median = f"**{median}**"
    return (
        f"| {_heads(score)} | {_quantity(score)} | {count} | {score.parameters} | "
        f"{score.same_cells} | {median} | {_number(score.p95)} {unit} |"
    )


def _heads(score: Score) -> str:
    return f"{score.model.id} | {score.of.dataset}, {score.of.kind} | {score.of.workload}"


def _quantity(score: Score) -> str:
    same = score.output == score.measure
    return score.output if same else f"{score.output}, beside {score.measure}"


def _conditions(score: Score) -> Iterator[str]:
    """A row for each factor that varies."""
    parameters = score.parameters.split(";")[0]
    for factor in score.used[0].levels:
        levels = [cell.levels.get(factor, "") for cell in score.used]
        found = [
            (name, np.abs(score.errors[[level in members for level in levels]]))
            for name, members in _classes(levels)
        ]
        if len(found) > 1:
            told = ", ".join(f"{name}: {_both(errors)}" for name, errors in found)
            yield f"| {_heads(score)} | {score.output} | {parameters} | {factor} | {told} |"


def _classes(levels: Sequence[str | float]) -> Iterator[tuple[str, list[str | float]]]:
    """Names and members of the classes of a factor: its levels, or neighbours together."""
    numbers = sorted({level for level in levels if not isinstance(level, str)})
    for text in dict.fromkeys(level for level in levels if isinstance(level, str)):
        yield text, [text]
    for part in np.array_split(numbers, min(CLASSES, len(numbers))) if numbers else ():
        members: list[str | float] = [float(level) for level in part]
        name = f"{part[0]:g}" + (f" to {part[-1]:g}" if len(part) > 1 else "")
        yield name, members


def _both(errors: np.ndarray) -> str:
    """Median and 95th percentile; one number where they are printed alike."""
    if np.isnan(errors).all():
        return "none"
    middle = _number(float(np.nanmedian(errors)))
    most = _number(float(np.nanquantile(errors, 0.95, method="higher")))
    return middle if most == middle else f"{middle} / {most}"


def _unit(score: Score) -> str:
    return "points" if is_share(score.measure) else "%"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}" if value >= 1.0 else f"{value:.2f}"


def _why_not(model: Model, data: tuple[Cells, ...]) -> str:
    """What the columns lack; where they lack nothing, what the data are not of."""
    reasons = [left_out(model, each) for each in data if suffices(model, each)]
    said = list(dict.fromkeys(filter(None, reasons))) or [_lacking(model, data)]
    named, remark = REMARKS.get(model.id, ("", ""))
    return " ".join([*said, remark] if named in {each.dataset for each in data} else said)


def _lacking(model: Model, data: tuple[Cells, ...]) -> str:
    inputs = {quantity.name for quantity in model.inputs}
    cells = [cell for each in data for cell in each.cells]
    nowhere = inputs.difference(*(cell.numbers for cell in cells))
    if nowhere:
        return f"No data here have {', '.join(sorted(nowhere))}."
    if not any(inputs <= cell.numbers.keys() for cell in cells):
        return f"No data here have all of its inputs: {', '.join(sorted(inputs))}."
    outputs = ", ".join(quantity.name for quantity in model.outputs)
    return f"Where its inputs are known, none of its outputs was measured: {outputs}."


def main() -> None:
    """Write one of the two documents to stdout."""
    parser = argparse.ArgumentParser(description="Write docs/scored.md to stdout.")
    parser.add_argument(
        "--fetched",
        nargs=2,
        metavar=("NAME", "FILE"),
        help="write docs/scored-fetched.md, of a data set that is fetched",
    )
    chosen = parser.parse_args().fetched
    lines = fetched(chosen[0], Path(chosen[1])) if chosen else shipped()
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
