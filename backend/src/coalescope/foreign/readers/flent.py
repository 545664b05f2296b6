# SPDX-License-Identifier: Apache-2.0
"""flent's data files (.flent.gz, formats 3 and 4): gzipped JSON.

What its runners measured stands in SERIES_META: the mean of each TCP stream as netperf gave it. Of
pings, those count that were sent while the streams ran; flent also pings before and after.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from coalescope.foreign.json_text import as_number, at, documents, number, text_at, written
from coalescope.foreign.records import (
    ENVIRONMENT,
    Format,
    Reading,
    Record,
    ToolRun,
    Unreadable,
    Window,
    fact,
    measure,
)

_START = re.compile(r'\{\s*"(metadata|raw_values|results|version|x_values)"\s*:')
_TCP = re.compile(r"TCP (upload|download)(?! (avg|sum))")
_PING = "Ping (ms) ICMP"
_MBIT = "Mbits/s"
_MOST_SAMPLES = 1_000_000
_PERCENTILES = (
    (50.0, "latency_p50_us"),
    (90.0, "latency_p90_us"),
    (99.0, "latency_p99_us"),
)


def _begins(start: str) -> bool:
    return _START.match(start) is not None and (
        '"FLENT_VERSION"' in start or '"raw_values"' in start
    )


def _read(content: bytes) -> Reading:
    document = next(documents(content), None)
    if at(document, "metadata.NAME") is None:
        raise Unreadable(
            "It has no metadata: only data files of flent 0.10 and later are read.",
            "Leave the file out.",
            field="metadata",
        )
    streams = _streams(document)
    window = _window(document, [name for ways in streams.values() for name in ways])
    host = text_at(document, "metadata.LOCAL_HOST")
    records = [
        *_settings(document, streams, host),
        *_goodput(document, streams, window),
        *_pings(document, window),
    ]
    if window is not None:
        field = "raw_values[].t, first to last"
        records.append(measure("elapsed_s", window.length_s, field, window))
    return Reading(runs=[ToolRun(records, () if host is None else (host,))])


def _streams(document: Any) -> dict[str, list[str]]:
    """The names of TCP's series, by direction."""
    found: dict[str, list[str]] = {"upload": [], "download": []}
    series = at(document, "metadata.SERIES_META")
    for name, about in series.items() if isinstance(series, dict) else ():
        way = _TCP.match(name)
        if way is not None and isinstance(about, dict) and about.get("UNITS") == _MBIT:
            found[way[1]].append(name)
    return found


def _series(raw: Any, name: str) -> list[Any]:
    """The samples of that name; none where it is no list. Names have dots and spaces."""
    found = raw.get(name) if isinstance(raw, dict) else None
    return found[:_MOST_SAMPLES] if isinstance(found, list) else []


def _window(document: Any, names: list[str]) -> Window | None:
    """From the start of the first sample of the streams, or the pings, to the end of the last."""
    raw = at(document, "raw_values")
    samples = [
        (as_number(one.get("t"), 1.0), as_number(one.get("dur", 0.0), 0.0) or 0.0)
        for name in names or [_PING]
        for one in _series(raw, name)
        if isinstance(one, dict)
    ]
    known = [(t, length) for t, length in samples if t is not None]
    if not known:
        return None
    return Window(min(t - length for t, length in known), max(t for t, _ in known))


def _settings(document: Any, streams: dict[str, list[str]], host: str | None) -> Iterator[Record]:
    test = text_at(document, "metadata.NAME") or ""
    yield fact("workload", f"flent-{test}", "metadata.NAME")
    total = sum(len(names) for names in streams.values())
    if total:
        yield fact("streams", float(total), "metadata.SERIES_META, TCP streams")
    for name, path in (
        ("workload_tool", "metadata.FLENT_VERSION"),
        ("kernel_version", "metadata.KERNEL_RELEASE"),
        ("interface", "metadata.EGRESS_INFO.iface"),
        ("driver", "metadata.EGRESS_INFO.driver"),
    ):
        value = text_at(document, path)
        if value is not None:
            shown = f"flent {value}" if name == "workload_tool" else value
            yield fact(f"{ENVIRONMENT}{name}", shown, path, host)
    offloads = at(document, "metadata.EGRESS_INFO.offloads")
    for feature, state in offloads.items() if isinstance(offloads, dict) else ():
        if isinstance(state, bool):
            path = f"metadata.EGRESS_INFO.offloads.{feature}"
            yield fact(f"{ENVIRONMENT}offloads.{feature}", state, path, host)


def _goodput(
    document: Any, streams: dict[str, list[str]], window: Window | None
) -> Iterator[Record]:
    field = "SERIES_META[TCP …].MEAN_VALUE, sum of the streams"
    rates = {way: _sum(document, names, "MEAN_VALUE") for way, names in streams.items() if names}
    for way, rate in rates.items():
        if rate is None:
            continue
        if len(rates) == 1:
            yield measure("goodput_mbps", rate, field, window)
        else:
            yield Record(f"measure.goodput_{way}_mbps", rate, "Mb/s", field, window)
    if len(rates) == 1:
        names = [name for names in streams.values() for name in names]
        again = _sum(document, names, "TCP_RETRANSMIT")
        if again is not None:
            where = "SERIES_META[TCP …].TCP_RETRANSMIT, sum of the streams"
            yield measure("retransmitted_segments", again, where, window)


def _sum(document: Any, names: list[str], member: str) -> float | None:
    """Over all streams; None where one of them does not say it."""
    series = at(document, "metadata.SERIES_META")
    total = 0.0
    for name in names:
        value = series[name].get(member)
        known = written(value, 0.0) if isinstance(value, str) else as_number(value, 0.0)
        if known is None:
            return None
        total += known
    return total


def _pings(document: Any, window: Window | None) -> Iterator[Record]:
    raw = at(document, "raw_values")
    found = []
    for one in _series(raw, _PING):
        moment, milliseconds = number(one, "t", 1.0), number(one, "val", 0.0)
        if window is None or moment is None or milliseconds is None:
            continue
        if window.start_s <= moment <= window.end_s:
            found.append(1e3 * milliseconds)
    if not found:
        return
    values = np.asarray(found, dtype=np.float64)
    where = f"raw_values[{_PING}].val while the streams ran, {len(found)} pings"
    yield measure("latency_us", float(values.mean()), f"{where}, mean", window)
    yield measure("latency_max_us", float(values.max()), f"{where}, longest", window)
    for percent, quantity in _PERCENTILES:
        if len(found) * (1.0 - 0.01 * percent) >= 1.0:
            value = float(np.percentile(values, percent))
            yield measure(quantity, value, f"{where}, percentile {percent:g}", window)


FORMAT = Format(
    "flent",
    "flent TEST -H HOST (its .flent.gz)",
    _begins,
    _read,
    (
        ("metadata.NAME", "workload", "flent-rrul, flent-tcp_upload …"),
        ("metadata.SERIES_META, TCP streams", "streams", ""),
        ("SERIES_META[TCP …].MEAN_VALUE", "goodput_mbps", "of one direction, sum of its streams"),
        ("SERIES_META[TCP upload …].MEAN_VALUE", "measure.goodput_upload_mbps", "of two"),
        ("SERIES_META[TCP download …].MEAN_VALUE", "measure.goodput_download_mbps", "of two"),
        ("SERIES_META[TCP …].TCP_RETRANSMIT", "retransmitted_segments", ""),
        ("raw_values[Ping (ms) ICMP].val", "latency_us", "of the pings while the streams ran"),
        ("likewise", "latency_max_us", ""),
        *(("likewise", quantity, "if a ping lies beyond it") for _, quantity in _PERCENTILES),
        ("raw_values[].t", "elapsed_s", ""),
    ),
)
