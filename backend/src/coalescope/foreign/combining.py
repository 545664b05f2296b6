# SPDX-License-Identifier: Apache-2.0
"""Records of one window become one: means of samples, differences, ratios of counts. Pure.

Values of different windows are never combined: a ratio is only made of counts of one window.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.foreign.folders import Folders, folder_of
from coalescope.foreign.link_level import link_records
from coalescope.foreign.records import Record, Unreadable
from coalescope.foreign.registry import ReadFile
from coalescope.foreign.totals import in_order
from coalescope.measures.derived import RATIOS, derive

ELAPSED = "elapsed_s"


def differences(within: Sequence[ReadFile], folders: Folders) -> list[Record]:
    """What came between two files of running totals, format by format and folder by folder."""
    found: dict[tuple[str, str], list[ReadFile]] = {}
    for file in within:
        if file.reading.counters:
            found.setdefault((folder_of(file.name), file.format.name), []).append(file)
    records = []
    for pair in found.values():
        names = ", ".join(file.name for file in pair)
        beside = folders.runs_beside(pair[0].name)
        if beside > 1:
            raise Unreadable(
                f"{names} lie beside {beside} runs: which of them they were taken around is "
                "not known.",
                "Put the files of each run into a folder of its own.",
                file=names,
            )
        if len(pair) != 2:
            raise Unreadable(
                f"Running totals need two files, before and after; there are {len(pair)}: {names}.",
                "Give both, or leave them out.",
                file=names,
            )
        records += _difference(*pair)
    return records


def _difference(one: ReadFile, other: ReadFile) -> list[Record]:
    ordered = in_order(one.reading.counters, other.reading.counters)
    if ordered is None or one.format.difference is None:
        raise Unreadable(
            f"Of {one.name} and {other.name} neither is the later one: some of their totals rose, "
            "others fell.",
            "Take both snapshots again.",
            file=f"{one.name}, {other.name}",
        )
    before, after = ordered
    names = f"{one.name}, {other.name}"
    return [replace(record, file=names) for record in one.format.difference(before, after)]


def means_of_samples(samples: Sequence[Record]) -> list[Record]:
    """The mean of each measure over the samples of a file, each as long as it was."""
    found: dict[tuple[str, str, str | None], list[Record]] = {}
    for record in samples:
        found.setdefault((record.file, record.quantity, record.interface), []).append(record)
    return [_mean(each) for each in found.values()]


def _mean(samples: Sequence[Record]) -> Record:
    weights = [1.0 if r.window is None else r.window.length_s for r in samples]
    total = sum(w * r.value for w, r in zip(weights, samples, strict=True))
    counted = f"{len(samples)} sample{'s' * (len(samples) != 1)}"
    where = f"{samples[0].field}, mean of {counted}"
    return replace(samples[0], value=total / sum(weights), field=where, kind="whole")


def with_ratios_and_rates(records: Sequence[Record], interface: str | None) -> list[Record]:
    """With the ratios and rates that follow from counts of one window."""
    own = {r.quantity: r for r in records if r.interface in (None, interface)}
    counts = {name: float(r.value) for name, r in own.items() if name in QUANTITIES}
    follows = {name: v for name, v in derive(counts).items() if name not in own}
    found = [_follows(name, value, own) for name, value in follows.items()]
    elapsed = own.get(ELAPSED)
    for way, name in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        octets, packets = own.get(f"{way}_bytes"), own.get(f"{way}_packets")
        if (
            elapsed is None
            or not elapsed.value
            or octets is None
            or packets is None
            or not interface
        ):
            continue
        rates = (octets.value / elapsed.value, packets.value / elapsed.value)
        where = f"{octets.field}, {packets.field}, by {elapsed.field}"
        made = link_records(name, *rates, where, None, octets.host, interface, "whole")
        found += [replace(one, file=octets.file) for one in made if one.quantity == name]
    return [*records, *found]


def _follows(name: str, value: float, own: Mapping[str, Record]) -> Record:
    above, below, _ = RATIOS[name]
    files = ", ".join(dict.fromkeys((own[above].file, own[below].file)))
    where = f"{own[above].field} by {own[below].field}"
    return replace(
        own[above], quantity=name, value=value, unit=QUANTITIES[name].unit, field=where, file=files
    )
