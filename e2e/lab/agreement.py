# SPDX-License-Identifier: Apache-2.0
"""Does a log agree with iperf3's own report? Payload plus headers for each packet, within 1 %."""

from collections.abc import Mapping
from dataclasses import dataclass

from coalescope_host.run_log import RunLog

LINK_HEADER = 14
FCS = 4
NETWORK_AND_TRANSPORT = {"tcp": 20 + 20 + 12, "udp": 20 + 8}  # TCP with its timestamps option
TOLERANCE = 0.01


@dataclass(frozen=True)
class Agreement:
    """One run, twice: as its log has it and as iperf3 has it.

    `log_bytes` and `iperf_bytes` are link-level bytes with FCS over the whole log;
    `log_mbps` and `iperf_mbps` rates, the log's over its window, iperf3's over its test.
    """

    log_bytes: int
    iperf_bytes: float
    log_mbps: float
    iperf_mbps: float
    packets: int
    window_s: float

    @property
    def bytes_difference(self) -> float:
        """Relative difference of the bytes."""
        return self.log_bytes / self.iperf_bytes - 1

    @property
    def rate_difference(self) -> float:
        """Relative difference of the rates."""
        return self.log_mbps / self.iperf_mbps - 1

    @property
    def bytes_agree(self) -> bool:
        """Whether the bytes agree within 1 %."""
        return abs(self.bytes_difference) <= TOLERANCE

    @property
    def holds(self) -> bool:
        """Whether both agree within 1 %."""
        return self.bytes_agree and abs(self.rate_difference) <= TOLERANCE


def compare(log: RunLog, report: Mapping[str, object], workload: str) -> Agreement:
    """Compare a log of the receiver with the receiving iperf3's own report.

    Raises:
        ValueError: if the log has no window or iperf3 received nothing.
    """
    times = log.streams[0].column("t_monotonic_ns")
    octets, packets = log.streams[0].column("rx_bytes"), log.streams[0].column("rx_packets")
    start, end = log.window
    if start is None or end is None:
        raise ValueError("the log has no measurement window")
    first, last = times.index(start), times.index(end)
    missing = _missing_bytes_a_packet(log)
    total_packets = packets[-1] - packets[0]
    headers = LINK_HEADER + FCS + NETWORK_AND_TRANSPORT[workload]
    payload, seconds = received(report)
    if not payload or not seconds:
        raise ValueError("iperf3 received nothing")
    window_s = (end - start) / 1e9
    in_window = octets[last] - octets[first] + missing * (packets[last] - packets[first])
    a_packet = 1 + headers / (payload / _data_packets(report, total_packets))
    return Agreement(
        log_bytes=int(octets[-1] - octets[0] + missing * total_packets),
        iperf_bytes=payload + headers * total_packets,
        log_mbps=in_window * 8e-6 / window_s,
        iperf_mbps=payload * 8e-6 / seconds * a_packet,
        packets=int(total_packets),
        window_s=window_s,
    )


def received(report: Mapping[str, object]) -> tuple[float, float]:
    """Payload bytes that the receiving iperf3 counted, and over how many seconds."""
    end = report.get("end")
    if not isinstance(end, dict) or "sum_received" not in end:
        raise ValueError("iperf3's report has no sum of what was received")
    total = end["sum_received"]
    return float(total["bytes"]), float(total["seconds"])


def uncounted(report: Mapping[str, object], sender: Mapping[str, object]) -> float:
    """Share of the sender's payload that the receiving iperf3 did not count.

    Nothing is lost on a veth pair: the interface counted these bytes, but they ended in a full
    socket buffer, or came after iperf3 had closed its books.
    """
    end = sender.get("end")
    sent = float(end["sum_sent"]["bytes"]) if isinstance(end, dict) else 0.0
    return 1 - received(report)[0] / sent if sent else 0.0


def _data_packets(report: Mapping[str, object], counted: float) -> float:
    end = report["end"]
    assert isinstance(end, dict)
    total = end["sum_received"]
    if "packets" not in total:
        return counted
    return float(total["packets"]) - float(total["lost_packets"])


def _missing_bytes_a_packet(log: RunLog) -> int:
    field = log.field("rx_bytes")
    if field is None or field.bytes_include is None:
        raise ValueError("the log does not say what its byte counter includes")
    lacking = {"link_header": LINK_HEADER, "fcs": FCS}
    return sum(size for part, size in lacking.items() if part not in field.bytes_include)
