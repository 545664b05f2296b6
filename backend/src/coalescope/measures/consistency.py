# SPDX-License-Identifier: Apache-2.0
"""Do the values of one run agree with each other, with its link and with its CPUs? Pure.

For runs of logs and rows of tables alike. What the link and the CPUs are, the factors `speed_mbps`
and `cpus` say, or the log's environment; where neither does, only what hardly any host has is
doubted, in words that ask for it.
"""

from collections.abc import Iterator, Mapping

from coalescope.experiments.records import FactorValue
from coalescope.measures.derived import RATIOS
from coalescope.runs.records import RunWarning

# their speed is a number in a table, not a limit
NOMINAL_SPEED = frozenset({"veth", "tun", "bridge", "bonding", "virtio_net", "dummy"})
GAP_BYTES = 20  # preamble and gap
SHARE = 0.01
_FEW_FRAMES = 16
_HEADER_BYTES = 38  # of Ethernet: header, check sequence, preamble and gap
_LEAST_PACKET_BYTES = 46
# as counted: a header and an empty datagram, or an ARP message. A card pads it to 60, but not all
# count the padding or the header, nor do virtual ones pad; acknowledgements have 54 to 66
_LEAST_COUNTED_BYTES = 42
_OF_RUNS, _OF_MEANS = 0.02, 0.1  # ratios: of rounded numbers, and of means
_UNSAID_SPEED_MBPS = 10_000.0
_UNSAID_CPUS = 64
_IDLE = "idle_cpu_percent"
_IDLE_SHARE = 0.2  # the kernel samples system time at ticks, and measures idle time
_TICK_S = 0.01  # CPU times are counted in these, on each CPU
# each with its seconds and its percent of one CPU
_BUSY = {
    name: (f"{name}_s", f"{name}_percent")
    for name in ("host_cpu", "system_cpu", "traffic_cpu", "interface_cpu", "workload_cpu")
}
_CPU_TIMES = frozenset(name for names in _BUSY.values() for name in names)

Values = Mapping[str, float]
Environment = Mapping[str, object]
Factors = Mapping[str, FactorValue]


def contradictions(
    values: Values, environment: Environment, factors: Factors, *, means: bool = False
) -> Iterator[RunWarning]:
    """What cannot be. `means`: the values are means of several runs."""
    yield from _no_time(values)
    yield from _link(values, environment, factors)
    yield from _cpus(values, environment, factors)
    yield from _interrupts(values)
    yield from _packets(values, environment, factors)
    yield from _small_packets(values, environment)
    yield from _requests(values)
    yield from _latencies(values)
    yield from _rate(values, means=means)
    yield from _ratios(values, means=means)


def positive(value: object) -> float | None:
    """A number above zero; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    return float(value)


def _no_time(values: Values) -> Iterator[RunWarning]:
    if values.get("elapsed_s") == 0.0:
        yield RunWarning(
            "no_time",
            "The elapsed time is 0: nothing can have been received, and no rate follows.",
            {"field": "elapsed_s"},
        )


def _link(values: Values, environment: Environment, factors: Factors) -> Iterator[RunWarning]:
    """A level of speed_mbps is held against rates; without any, very high ones are doubted."""
    speed = positive(factors.get("speed_mbps"))
    if environment.get("driver") in NOMINAL_SPEED:
        return
    if speed is None and positive(environment.get("speed_mbps")) is not None:
        return  # with the log's clock: audits
    for direction, name in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        rate = max(values.get(name, 0.0), _bytes_mbps(values, direction) or 0.0)
        line = rate + _gaps_mbps(values, direction)
        if speed is not None and line > (1.0 + SHARE) * speed:
            yield RunWarning(
                "faster_than_link",
                f"{name} comes to {line:,.0f} Mb/s on the wire, on a link of {speed:,.0f}.",
                {"field": name, "speed_mbps": speed},
            )
        elif speed is None and rate > _UNSAID_SPEED_MBPS:
            yield RunWarning(
                "link_not_known",
                f"{name} comes to {rate:,.0f} Mb/s, and nothing says that the link is that fast: "
                "give its speed in speed_mbps.",
                {"field": name},
            )


def _cpus(values: Values, environment: Environment, factors: Factors) -> Iterator[RunWarning]:
    cpus = positive(factors.get("cpus")) or positive(environment.get("cpus"))
    slack = SHARE + (_TICK_S / values["elapsed_s"] if values.get("elapsed_s") else 0.0)
    for name, needed, said in _cpus_needed(values):
        if cpus is not None and needed > (1.0 + slack) * cpus:
            yield RunWarning(
                "cpu_above_all",
                f"{said}: that takes {needed:,.3g} CPUs, and there are {cpus:,.0f}.",
                {"field": name, "cpus": cpus},
            )
            return
        if cpus is None and needed > (_UNSAID_CPUS if name != _IDLE else 1.0 + slack):
            yield RunWarning(
                "cpus_not_known",
                f"{said}: that takes {needed:,.3g} CPUs, and nothing says how many there are: give "
                "them in cpus.",
                {"field": name},
            )
            return


def _cpus_needed(values: Values) -> Iterator[tuple[str, float, str]]:
    """A measure, how many CPUs it takes, and what it says."""
    if _CPU_TIMES.isdisjoint(values):
        return
    busy = {name: share for name in _BUSY if (share := _busy_percent(values, name)) is not None}
    if busy:
        name, most = max(busy.items(), key=lambda item: item[1])
        yield name, 0.01 * most, f"{name} comes to {most:,.4g} % of one CPU"
    system, idle = busy.get("system_cpu"), values.get(_IDLE)
    if system is not None and idle is not None:
        not_idle = 1.0 - 0.01 * idle + _IDLE_SHARE
        said = f"system_cpu comes to {system:,.4g} % of one CPU beside {idle:,.4g} % of all idle"
        yield _IDLE, 0.01 * system / not_idle, said


def _busy_percent(values: Values, name: str) -> float | None:
    """In percent of one CPU: as it is given or as it follows from seconds, the larger."""
    in_seconds, in_percent = _BUSY[name]
    seconds, elapsed_s = values.get(in_seconds), values.get("elapsed_s", 0.0)
    given = values.get(in_percent)
    follows = 100.0 * seconds / elapsed_s if seconds is not None and elapsed_s > 0.0 else None
    known = [share for share in (given, follows) if share is not None]
    return max(known, default=None)


def _interrupts(values: Values) -> Iterator[RunWarning]:
    interrupts, packets = values.get("rx_interrupts"), values.get("rx_packets")
    if interrupts is not None and packets is not None:
        too_many = interrupts > (1.0 + SHARE) * packets + _FEW_FRAMES
        said, field = (
            f"{interrupts:,.0f} receive interrupts brought {packets:,.0f}",
            "rx_interrupts",
        )
    else:
        field = "packets_per_interrupt"
        ratio = values.get(field, 1.0)
        too_many = ratio < 1.0 - SHARE
        said = f"A receive interrupt brought {ratio:,.3g}"
    if too_many:
        yield RunWarning(
            "more_interrupts_than_packets",
            f"{said} packets: others share the line, or packets were merged before they were "
            "counted.",
            {"field": field},
        )


def _packets(values: Values, environment: Environment, factors: Factors) -> Iterator[RunWarning]:
    if positive(environment.get("mtu_bytes")) is not None:
        return  # the log knows what it had: run_log_measures
    mtu, mean = positive(factors.get("mtu_bytes")), values.get("mean_packet_bytes")
    if mean is None and values.get("rx_packets"):
        mean = values.get("rx_bytes", 0.0) / values["rx_packets"]
    if mtu is not None and mean is not None and mean > mtu + _HEADER_BYTES:
        yield RunWarning(
            "packets_above_mtu",
            f"Packets average {mean:,.0f} bytes at mtu_bytes {mtu:,.0f}: an offload merged them "
            "before they were counted, or one of the two is wrong.",
            {"field": "mean_packet_bytes", "mtu_bytes": mtu},
        )


def _small_packets(values: Values, environment: Environment) -> Iterator[RunWarning]:
    """Merging makes packets larger only; interfaces without Ethernet's header are not judged."""
    if environment.get("driver") in NOMINAL_SPEED:
        return
    for direction, name in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        packets, elapsed_s = values.get(f"{direction}_packets", 0.0), values.get("elapsed_s", 0.0)
        sizes = {}
        if packets > _FEW_FRAMES:
            if f"{direction}_bytes" in values:
                sizes[f"{direction}_bytes"] = values[f"{direction}_bytes"] / packets
            if name in values and elapsed_s > 0.0:
                sizes[name] = values[name] * 1e6 / 8.0 * elapsed_s / packets
        if direction == "rx" and "mean_packet_bytes" in values:
            sizes["mean_packet_bytes"] = values["mean_packet_bytes"]
        least = min(sizes, key=lambda field: sizes[field], default=None)
        if least is not None and sizes[least] < (1.0 - SHARE) * _LEAST_COUNTED_BYTES:
            yield RunWarning(
                "packets_below_frame",
                f"By {least} packets average {sizes[least]:,.3g} bytes, and no Ethernet frame has "
                f"fewer than {_LEAST_COUNTED_BYTES}: bytes and packets are not of the same time or "
                "the same traffic.",
                {"field": least},
            )


def _requests(values: Values) -> Iterator[RunWarning]:
    """A request is a byte at least, whatever is in a packet."""
    requests, mbps = values.get("request_rate_hz"), values.get("throughput_mbps")
    if requests is None or mbps is None:
        return
    if requests > (1.0 + SHARE) * 1e6 * mbps / 8.0:
        yield RunWarning(
            "more_requests_than_bytes",
            f"{requests:,.3g} requests a second came with {1e6 * mbps / 8.0:,.3g} bytes a second.",
            {"field": "request_rate_hz"},
        )


def _latencies(values: Values) -> Iterator[RunWarning]:
    """No request takes longer than the time in which it was asked and answered."""
    longest = max(
        (name for name in values if name.startswith("latency_") and name.endswith("_us")),
        key=lambda name: values[name],
        default=None,
    )
    elapsed_s = values.get("elapsed_s", 0.0)
    if longest is None or elapsed_s <= 0.0:
        return
    if 1e-6 * values[longest] > (1.0 + SHARE) * elapsed_s:
        yield RunWarning(
            "latency_above_elapsed",
            f"{longest} is {1e-6 * values[longest]:,.4g} s, and all that was measured took "
            f"{elapsed_s:,.4g} s: one of the two is of another run or in another unit.",
            {"field": longest},
        )


def _rate(values: Values, *, means: bool) -> Iterator[RunWarning]:
    """Whole frames hold what the interface counts of them, and little more."""
    for direction, name in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        given, counted = values.get(name), _bytes_mbps(values, direction)
        if given is None or not counted:
            continue
        share = _OF_MEANS if means else _OF_RUNS
        packets = values.get(f"{direction}_packets")
        around = (
            counted * _HEADER_BYTES / _LEAST_PACKET_BYTES
            if packets is None
            else 8e-6 * _HEADER_BYTES * packets / values["elapsed_s"]
        )
        least, most = (1.0 - share) * (counted - around), (1.0 + share) * (counted + around)
        if not least <= given <= most:
            yield RunWarning(
                "rate_disagrees",
                f"{name} is {given:,.4g}, but {direction}_bytes in elapsed_s come to "
                f"{counted:,.4g} Mb/s.",
                {"field": name},
            )


def _ratios(values: Values, *, means: bool) -> Iterator[RunWarning]:
    """Ratios that are given beside what they are ratios of."""
    share = _OF_MEANS if means else _OF_RUNS
    for name, (above, below, scale) in RATIOS.items():
        if name not in values or above not in values or values.get(below, 0.0) <= 0.0:
            continue
        follows = scale * values[above] / values[below]
        if abs(values[name] - follows) > share * max(abs(follows), abs(values[name])):
            yield RunWarning(
                "ratio_disagrees",
                f"{name} is {values[name]:,.4g}, but {above} and {below} give {follows:,.4g}.",
                {"field": name},
            )


def _bytes_mbps(values: Values, direction: str) -> float | None:
    received, elapsed_s = values.get(f"{direction}_bytes"), values.get("elapsed_s", 0.0)
    return 8e-6 * received / elapsed_s if received is not None and elapsed_s > 0.0 else None


def _gaps_mbps(values: Values, direction: str) -> float:
    packets, elapsed_s = values.get(f"{direction}_packets", 0.0), values.get("elapsed_s", 0.0)
    return 8e-6 * GAP_BYTES * packets / elapsed_s if elapsed_s > 0.0 else 0.0
