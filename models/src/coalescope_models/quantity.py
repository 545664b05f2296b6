# SPDX-License-Identifier: Apache-2.0
"""The one vocabulary: every factor, measure, parameter and model quantity, each as one object.

The same object writes the glossary, checks a column of an uploaded table, validates an input of a
model, draws test values and scales a slider. Nothing here depends on anything outside the standard
library, so the page can import it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

Role = Literal["factor", "measure", "parameter", "model"]
Better = Literal["more", "less"]
Aim = Literal["throughput", "cpu", "latency"]

#: What each role means, in the words of the glossary.
ROLES: Mapping[str, str] = MappingProxyType(
    {
        "factor": "set by the experimenter; spans the cells of an experiment",
        "measure": "observed in a run, or derived from what was observed",
        "parameter": "a constant of a model, fitted or set by hand",
        "model": "appears only as an input or an output of a model",
    }
)

GEIST_2005 = (
    "R. Geist, J. Martin, J. Westall, V. Yalla, "
    "“Performance Tuning of Gigabit Network Interfaces”, 2005"
)
ZEC_2002 = (
    "M. Zec, M. Mikuc, M. Žagar, “Estimating the Impact of Interrupt Coalescing Delays on "
    "Steady State TCP Throughput”, SoftCOM 2002"
)
CHASE_1999 = (
    "J. Chase, A. Gallatin, K. Yocum, “End-System Optimizations for High-Speed TCP”, Trapeze "
    "measurements of 1999"
)
DILLON_2004 = "M. Dillon, freebsd-stable mailing list, 21 November 2004"
RONCIAK_2005 = "J. Ronciak et al., e1000 case study, 2005"
INTEL_8254X = "Intel, PCI/PCI-X Family of Gigabit Ethernet Controllers Software Developer's Manual"


@dataclass(frozen=True)
class Quantity:
    """One named quantity.

    Attributes:
        name: the only name it has, in Python, SQL, JSON, TypeScript and CSV.
        label: what a page calls it, in sentence case, without the unit.
        symbol: LaTeX, as it stands in an equation.
        unit: the unit of every number under this name; "" for a pure number or a text.
        description: what it is, in one or two sentences.
        domain: the closed interval of values that make sense; None where there is no bound.
        typical: the interval that a plot or a slider shows unless asked otherwise.
        role: one of `ROLES`.
        text: True when the values are words, not numbers.
        source: where the definition comes from, "" when it is this project's own.
        better: whether more or less of it is better when all else is equal; None where neither is.
        aim: which goal of a recommendation it can stand for. Of several that a run has, the one
            declared first here stands for it.
        meanings: of a number that is a code, what 0, 1, 2 … stand for; empty for others.
    """

    name: str
    label: str
    symbol: str
    unit: str
    description: str
    domain: tuple[float | None, float | None] = (None, None)
    typical: tuple[float, float] | None = None
    role: Role = "measure"
    text: bool = False
    source: str = ""
    better: Better | None = None
    aim: Aim | None = None
    meanings: tuple[str, ...] = ()

    def meaning(self, value: float) -> str | None:
        """Return what a code stands for; None for another number."""
        if value < 0 or value != int(value) or value >= len(self.meanings):
            return None
        return self.meanings[int(value)]

    def contains(self, value: float) -> bool:
        """Say whether a number lies in the domain; NaN, "not known", does."""
        lo, hi = self.domain
        return not (lo is not None and value < lo) and not (hi is not None and value > hi)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that the page, the API and the model bundle share."""
        return {
            "name": self.name,
            "label": self.label,
            "symbol": self.symbol,
            "unit": self.unit,
            "description": self.description,
            "domain": list(self.domain),
            "typical": None if self.typical is None else list(self.typical),
            "role": self.role,
            "text": self.text,
            "source": self.source,
            "better": self.better,
            "aim": self.aim,
            "meanings": list(self.meanings),
        }


def _of(role: Role) -> Callable[..., Quantity]:
    return partial(Quantity, role=role)


_factor = _of("factor")
_measure = _of("measure")
_parameter = _of("parameter")
_model = _of("model")

_NOT_NEGATIVE = (0.0, None)
_PERCENT = (0.0, 100.0)

_FACTORS = (
    _factor(
        "mtu_bytes",
        "MTU",
        r"\mathrm{MTU}",
        "bytes",
        "Maximum transmission unit: network and transport headers included, "
        "link-layer header and frame check sequence not. The largest is that of the loopback "
        "interface `lo`.",
        domain=(68.0, 65536.0),
        typical=(1500.0, 9000.0),
        source="RFC 791 for the lower bound; " + GEIST_2005,
    ),
    _factor(
        "delay_us",
        "Interrupt delay",
        r"T_{d}",
        "µs",
        "The coalescing delay that was asked for, in microseconds. "
        "`delay_control` says which control set it.",
        domain=_NOT_NEGATIVE,
        typical=(10.0, 1000.0),
    ),
    _factor(
        "delay_ticks",
        "Interrupt delay register",
        r"T_{\mathrm{ticks}}",
        "ticks",
        "The coalescing delay as a device register counts it; one tick is 1.024 µs.",
        domain=(0.0, 65535.0),
        typical=(10.0, 640.0),
        source=INTEL_8254X,
    ),
    _factor(
        "moderation_rate_hz",
        "Interrupt moderation rate",
        r"f_{\mathrm{mod}}",
        "Hz",
        "Upper bound on interrupts per second that was asked for.",
        domain=_NOT_NEGATIVE,
        typical=(4000.0, 100000.0),
        source=DILLON_2004,
    ),
    _factor(
        "workload",
        "Workload",
        r"\mathrm{workload}",
        "",
        "What made the traffic, in a word: udp, tcp, nfs …",
        text=True,
    ),
    _factor(
        "delay_control",
        "Delay control",
        r"\mathrm{control}",
        "",
        "Which control set the delay: rx-abs-int-delay, rx-int-delay, interrupt-throttle, "
        "rx-usecs or adaptive.",
        text=True,
    ),
    _factor(
        "frame_bytes",
        "Frame size",
        r"F",
        "bytes",
        "Link-level frame, from destination address to frame check sequence: "
        "without preamble and inter-frame gap.",
        domain=(64.0, 65554.0),
        typical=(64.0, 9018.0),
        source=GEIST_2005 + "; " + RONCIAK_2005,
    ),
    _factor(
        "napi_weight",
        "NAPI weight",
        r"w_{\mathrm{NAPI}}",
        "packets",
        "The most packets that the driver handles in one poll.",
        domain=(1.0, None),
        typical=(8.0, 64.0),
        source=RONCIAK_2005,
    ),
    _factor(
        "streams",
        "Streams",
        r"n_{\mathrm{streams}}",
        "",
        "Number of flows sent at the same time.",
        domain=(1.0, None),
        typical=(1.0, 10.0),
    ),
    _factor(
        "packet_rate_hz",
        "Packet rate",
        r"B",
        "packets/s",
        "Packets per second: offered, where it is a factor; carried, where a model predicts it.",
        domain=_NOT_NEGATIVE,
        typical=(1000.0, 1500000.0),
    ),
    _factor(
        "driver_version",
        "Driver version",
        r"\mathrm{driver}",
        "",
        "Version of the network driver under test.",
        text=True,
        source=RONCIAK_2005,
    ),
    _factor(
        "kernel_version",
        "Kernel version",
        r"\mathrm{kernel}",
        "",
        "Release of the operating system kernel under test.",
        text=True,
        source=RONCIAK_2005,
    ),
    _factor(
        "host", "Host", r"\mathrm{host}", "", "Name given to the machine under test.", text=True
    ),
)

_COUNTED = (
    _measure(
        "elapsed_s",
        "Elapsed time",
        r"t",
        "s",
        "Length of the measurement window.",
        domain=_NOT_NEGATIVE,
    ),
    _measure(
        "rx_bytes",
        "Received bytes",
        r"N_{B}",
        "bytes",
        "Bytes received in the window, as the interface counts them.",
        domain=_NOT_NEGATIVE,
    ),
    _measure(
        "rx_packets",
        "Received packets",
        r"N_{P}",
        "packets",
        "Packets received in the window.",
        domain=_NOT_NEGATIVE,
    ),
    _measure(
        "tx_bytes",
        "Sent bytes",
        r"N_{B,\mathrm{tx}}",
        "bytes",
        "Bytes sent in the window, as the interface counts them.",
        domain=_NOT_NEGATIVE,
    ),
    _measure(
        "tx_packets",
        "Sent packets",
        r"N_{P,\mathrm{tx}}",
        "packets",
        "Packets sent in the window.",
        domain=_NOT_NEGATIVE,
    ),
    _measure(
        "rx_interrupts",
        "Receive interrupts",
        r"N_{I}",
        "interrupts",
        "Hard interrupts of the interface in which frames were received: those whose NAPI poll "
        "delivered at least one. One that met a poll already scheduled counts with that poll.",
        domain=_NOT_NEGATIVE,
        source=GEIST_2005,
    ),
    _measure(
        "rx_interrupt_rate_hz",
        "Receive interrupt rate",
        r"f_{I}",
        "interrupts/s",
        "Receive interrupts per second of the window.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20000.0),
        better="less",
    ),
    _measure(
        "packets_per_interrupt",
        "Packets per interrupt",
        r"\mathrm{PPI}",
        "packets/interrupt",
        "Packets received per receive interrupt.",
        domain=_NOT_NEGATIVE,
        typical=(1.0, 32.0),
        source=GEIST_2005,
        better="more",
    ),
    _measure(
        "rx_line_interrupts",
        "Interrupts of receive lines",
        r"N_{L}",
        "interrupts",
        "Interrupts of the interface's lines that serve receiving, as /proc/interrupts counts "
        "them: those that brought no frame, and those for sending on the same line, are among "
        "them.",
        domain=_NOT_NEGATIVE,
    ),
    _measure(
        "rx_line_interrupt_rate_hz",
        "Interrupt rate of receive lines",
        r"f_{L}",
        "interrupts/s",
        "`rx_line_interrupts` per second of the window.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20000.0),
        better="less",
    ),
    _measure(
        "packets_per_line_interrupt",
        "Packets per interrupt of receive lines",
        r"\mathrm{PPL}",
        "packets/interrupt",
        "Packets received per interrupt of the lines that serve receiving.",
        domain=_NOT_NEGATIVE,
        typical=(1.0, 32.0),
        better="more",
    ),
    _measure(
        "mean_packet_bytes",
        "Mean packet size",
        r"\bar{p}",
        "bytes",
        "Received bytes per received packet.",
        domain=_NOT_NEGATIVE,
        typical=(64.0, 9000.0),
    ),
)

_LOSS = (
    _measure(
        "datagrams_lost",
        "Datagrams lost",
        r"N_{\mathrm{lost}}",
        "datagrams",
        "Datagrams that were sent and that the receiving workload never got, as it says itself, "
        "wherever they were lost.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "datagram_loss_percent",
        "Datagram loss",
        r"p_{\mathrm{lost}}",
        "%",
        "`datagrams_lost` in percent of the datagrams that were sent.",
        domain=_PERCENT,
        better="less",
    ),
    _measure(
        "retransmitted_segments",
        "Segments retransmitted",
        r"N_{\mathrm{retr}}",
        "segments",
        "TCP segments that were sent again: as the workload says of its own, else all of the "
        "host's network namespace in the window.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "ring_drops",
        "Drops at the ring",
        r"N_{\mathrm{ring}}",
        "packets",
        "Received packets that the card had no buffer for: the driver's rx_missed_errors and "
        "rx_fifo_errors, or the hardware drops of its queues where these are more.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "interface_drops",
        "Drops at the interface",
        r"N_{\mathrm{if}}",
        "packets",
        "Received packets that the kernel dropped at the interface: its counter rx_dropped.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "drops",
        "Drops",
        r"N_{\mathrm{drop}}",
        "packets",
        "Received packets that were lost at the interface in the window: its counters rx_dropped "
        "and rx_missed_errors together, as far as it has them.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "backlog_drops",
        "Drops at the backlog",
        r"N_{\mathrm{backlog}}",
        "packets",
        "Received packets that found the backlog queue of a CPU full (softnet_stat), of whatever "
        "interface.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "socket_drops",
        "Drops at sockets",
        r"N_{\mathrm{socket}}",
        "packets",
        "Datagrams that found the buffer of their socket full, and TCP segments for which the "
        "receive queue had no room, in the host's network namespace.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
)

#: Name, label, index of the symbol, how many, what a plot reaches to.
_LATENCY_PERCENTILES = (
    ("p50", "median", "50", "half", 1000.0),
    ("p90", "90th percentile", "90", "90 of 100", 5000.0),
    ("p95", "95th percentile", "95", "95 of 100", 5000.0),
    ("p99", "99th percentile", "99", "99 of 100", 5000.0),
    ("p999", "99.9th percentile", "99.9", "999 of 1000", 10000.0),
)

_RATES = (
    _measure(
        "throughput_mbps",
        "Throughput",
        r"R",
        "Mb/s",
        "Receive rate at link level, in 10⁶ bits per second: whole frames with frame check "
        "sequence, without preamble and gap.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 1000.0),
        source=GEIST_2005,
        better="more",
        aim="throughput",
    ),
    _measure(
        "tx_throughput_mbps",
        "Send throughput",
        r"R_{\mathrm{tx}}",
        "Mb/s",
        "Send rate at link level, counted as `throughput_mbps` is.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 1000.0),
        better="more",
    ),
    _measure(
        "goodput_mbps",
        "Goodput",
        r"G",
        "Mb/s",
        "Rate at which the application received its payload in the window, in 10⁶ bits per second.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 1000.0),
        better="more",
        aim="throughput",
    ),
    _measure(
        "latency_us",
        "Latency",
        r"L",
        "µs",
        "Round-trip time that the workload saw: the mean over its requests.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 1000.0),
        better="less",
        aim="latency",
    ),
    *(
        _measure(
            f"latency_{name}_us",
            f"Latency, {label}",
            rf"L_{{{index}}}",
            "µs",
            f"Round-trip time that {share} of the workload's requests stayed within.",
            domain=_NOT_NEGATIVE,
            typical=(0.0, most),
            better="less",
            aim="latency",
        )
        for name, label, index, share, most in _LATENCY_PERCENTILES
    ),
    _measure(
        "latency_max_us",
        "Latency, longest",
        r"L_{\mathrm{max}}",
        "µs",
        "The longest round-trip time of the workload's requests.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 10000.0),
        better="less",
    ),
    _measure(
        "request_rate_hz",
        "Request rate",
        r"f_{R}",
        "requests/s",
        "Requests per second that the workload had answered.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20000.0),
        better="more",
        aim="throughput",
    ),
    _measure(
        "effective_delay_us",
        "Effective delay",
        r"T_{\mathrm{eff}}",
        "µs",
        "The delay inferred from what the device did; some devices pin the value asked for.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 1000.0),
    ),
)


@dataclass(frozen=True)
class _Party:
    """Somebody whose CPU time is told apart from that of others."""

    name: str
    label: str
    index: str
    what: str

    def measures(self) -> tuple[Quantity, ...]:
        """Return its CPU time, in seconds and in jiffies."""
        time_s = f"{self.name}_cpu_s"
        symbol = rf"T_{{{self.index}}}"
        return (
            _measure(
                time_s, self.label, symbol, "s", self.what, domain=_NOT_NEGATIVE, better="less"
            ),
            _measure(
                f"{self.name}_cpu_jiffies",
                self.label,
                symbol,
                "jiffies",
                f"`{time_s}` in jiffies of 10 ms, as in the 2005 study.",
                domain=_NOT_NEGATIVE,
                better="less",
            ),
        )

    def per_gb(self, aim: Aim | None = None) -> tuple[Quantity, ...]:
        """Return the same for 10⁹ bytes received."""
        return tuple(
            _measure(
                f"{time.name}_per_gb",
                f"{self.label} per 10⁹ bytes",
                rf"T_{{{self.index},\mathrm{{GB}}}}",
                f"{time.unit}/GB",
                f"`{time.name}` per 10⁹ bytes received.",
                domain=_NOT_NEGATIVE,
                better="less",
                aim=aim,
            )
            for time in self.measures()
        )

    def percent(self, aim: Aim | None = None) -> Quantity:
        """Return it as a share of the window."""
        return _measure(
            f"{self.name}_cpu_percent",
            self.label.removesuffix(" time"),
            rf"U_{{{self.index}}}",
            "%",
            f"`{self.name}_cpu_s` as a share of the window, in percent of one CPU: with several "
            "CPUs busy it exceeds 100.",
            domain=_NOT_NEGATIVE,
            typical=_PERCENT,
            better="less",
            aim=aim,
        )


_INTERFACE = _Party(
    "interface",
    "Interface CPU time",
    "i",
    "CPU time of the interface in the window, of all CPUs together: its hard interrupts and its "
    "NAPI, be it in the network softirq or in a thread. From counters of cycles, so not sampled "
    "by ticks.",
)
_WORKLOAD = _Party(
    "workload",
    "Workload CPU time",
    "w",
    "CPU time in the window of the command that was recorded and of all its children, in user and "
    "in system mode; of tasks in a network namespace of the interface's own, where the log is of "
    "such a one.",
)
_TRAFFIC = _Party(
    "traffic",
    "Traffic CPU time",
    "t",
    "What the traffic cost this host in the window: `interface_cpu_s` and `workload_cpu_s` "
    "together. Not known where one of them is not.",
)

#: Traffic first, as it is the cost with nothing else in it; then what more hosts can tell.
_CPU_TIMES = (
    *_TRAFFIC.measures(),
    _measure(
        "system_cpu_s",
        "System CPU time",
        r"T_{s}",
        "s",
        "CPU time spent in system mode in the window, of all CPUs together, hard and soft "
        "interrupts (irq and softirq) included.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "system_cpu_jiffies",
        "System CPU time",
        r"T",
        "jiffies",
        "CPU time in system mode, in the kernel's ticks; one jiffy was 10 ms in the 2005 study.",
        domain=_NOT_NEGATIVE,
        source=GEIST_2005,
        better="less",
    ),
    *_INTERFACE.measures(),
    *_WORKLOAD.measures(),
    _measure(
        "host_cpu_s",
        "Host CPU time",
        r"T_{h}",
        "s",
        "CPU time in the window that was not idle, of all CPUs and for whatever purpose; waiting "
        "for input or output counts as idle.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "probe_cpu_s",
        "CPU time of the probes",
        r"T_{\mathrm{probe}}",
        "s",
        "Estimate of the CPU time in the window that went into counting: how often each probe ran, "
        "times what one run of it cost when it was attached. It is part of the other CPU times.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
)

_CPU_PER_GB = (
    *_TRAFFIC.per_gb("cpu"),
    _measure(
        "system_cpu_s_per_gb",
        "System CPU time per 10⁹ bytes",
        r"T_{s,\mathrm{GB}}",
        "s/GB",
        "Seconds in system mode per 10⁹ bytes received.",
        domain=_NOT_NEGATIVE,
        better="less",
        aim="cpu",
    ),
    _measure(
        "system_cpu_jiffies_per_gb",
        "System CPU time per 10⁹ bytes",
        r"T_{\mathrm{GB}}",
        "jiffies/GB",
        "Jiffies in system mode per 10⁹ bytes received.",
        domain=_NOT_NEGATIVE,
        source=GEIST_2005,
        better="less",
        aim="cpu",
    ),
    *_INTERFACE.per_gb("cpu"),
    *_WORKLOAD.per_gb(),
)

_CPU_SHARES = (
    _measure(
        "cycles_per_packet",
        "Cycles per packet",
        r"c_{P}",
        "cycles/packet",
        "CPU cycles spent in receive interrupts and in the soft interrupts that they raise, "
        "per received packet: (irq + softirq cycles)/rx_packets.",
        domain=_NOT_NEGATIVE,
        better="less",
        aim="cpu",
    ),
    _TRAFFIC.percent("cpu"),
    _measure(
        "system_cpu_percent",
        "System CPU",
        r"U",
        "%",
        "CPU time in system mode (`system_cpu_s`) as a share of the window, in percent of one CPU: "
        "with several CPUs busy it exceeds 100.",
        domain=_NOT_NEGATIVE,
        typical=_PERCENT,
        source=GEIST_2005,
        better="less",
        aim="cpu",
    ),
    _INTERFACE.percent("cpu"),
    _WORKLOAD.percent(),
    _measure(
        "host_cpu_percent",
        "Host CPU",
        r"U_{h}",
        "%",
        "`host_cpu_s` as a share of the window, in percent of one CPU.",
        domain=_NOT_NEGATIVE,
        typical=_PERCENT,
        better="less",
    ),
    _measure(
        "other_cpu_percent",
        "CPU of others",
        r"U_{o}",
        "%",
        "CPU time of the host's tasks that are not the workload's, in percent of one CPU; "
        "interrupts are not in it. Not known where the workload's tasks are not told apart.",
        domain=_NOT_NEGATIVE,
        typical=_PERCENT,
        better="less",
    ),
    _measure(
        "idle_cpu_percent",
        "Idle CPU",
        r"U_{\mathrm{idle}}",
        "%",
        "Share of the time of all CPUs together that was idle; waiting for input or output is "
        "not counted as idle.",
        domain=_PERCENT,
        typical=_PERCENT,
        source=DILLON_2004,
        better="more",
        aim="cpu",
    ),
)

_PER_GB = (
    _measure(
        "rx_interrupts_per_gb",
        "Receive interrupts per 10⁹ bytes",
        r"N_{I,\mathrm{GB}}",
        "interrupts/GB",
        "Receive interrupts per 10⁹ bytes received.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "rx_packets_per_gb",
        "Received packets per 10⁹ bytes",
        r"N_{P,\mathrm{GB}}",
        "packets/GB",
        "Packets received per 10⁹ bytes received.",
        domain=_NOT_NEGATIVE,
    ),
)

_ENERGY = (
    _measure(
        "package_energy_j",
        "Energy of the processor",
        r"E",
        "J",
        "Energy that the processor packages together used in the window, as they count it "
        "themselves (powercap).",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
    _measure(
        "package_power_w",
        "Power of the processor",
        r"P",
        "W",
        "`package_energy_j` per second of the window.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 200.0),
        better="less",
    ),
    _measure(
        "energy_j_per_gb",
        "Energy per 10⁹ bytes",
        r"E_{\mathrm{GB}}",
        "J/GB",
        "`package_energy_j` per 10⁹ bytes received.",
        domain=_NOT_NEGATIVE,
        better="less",
    ),
)

_PARAMETERS = (
    _parameter(
        "alpha",
        "Cost per megabyte",
        r"\alpha",
        "jiffies/MB",
        "System CPU time per 10⁶ bytes: copying, and checksums where software computes them.",
        typical=(0.0, 2.0),
        source=GEIST_2005,
    ),
    _parameter(
        "beta",
        "Cost per thousand packets",
        r"\beta",
        "jiffies/kpacket",
        "System CPU time per thousand packets: buffers, headers, protocol and queues.",
        typical=(0.0, 1.0),
        source=GEIST_2005,
    ),
    _parameter(
        "gamma",
        "Cost per thousand interrupts",
        r"\gamma",
        "jiffies/kinterrupt",
        "System CPU time per thousand receive interrupts.",
        typical=(0.0, 4.0),
        source=GEIST_2005,
    ),
    _parameter(
        "link_rate_mbps",
        "Link rate",
        r"C",
        "Mb/s",
        "Bit rate of the link, in 10⁶ bits per second.",
        domain=_NOT_NEGATIVE,
        typical=(100.0, 10000.0),
    ),
    _parameter(
        "link_load",
        "Link load",
        r"\rho",
        "",
        "Offered packet rate as a share of the packet rate of the saturated link.",
        domain=(0.0, 1.0),
        typical=(0.0, 1.0),
    ),
    _parameter(
        "medium_efficiency",
        "Medium efficiency",
        r"\eta",
        "",
        "Highest packet rate of the medium as a share of back-to-back frames at the link rate.",
        domain=(0.0, 1.0),
        typical=(0.5, 1.0),
        source=ZEC_2002,
    ),
    _parameter(
        "window_bytes",
        "TCP window",
        r"\mathrm{WSS}",
        "bytes",
        "Largest TCP window; the model counts the whole segments that fit in it.",
        domain=_NOT_NEGATIVE,
        typical=(16384.0, 1048576.0),
        source=ZEC_2002,
    ),
    _parameter(
        "rtt_min_us",
        "Smallest round-trip time",
        r"\mathrm{RTT}_{\mathrm{min}}",
        "µs",
        "Round-trip time of full segments with no coalescing delay.",
        domain=_NOT_NEGATIVE,
        typical=(50.0, 5000.0),
        source=ZEC_2002,
    ),
    _parameter(
        "coalescing_nics",
        "Coalescing interfaces on the path",
        r"N",
        "",
        "Interfaces that delay interrupts, counted over both directions of the path.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 4.0),
        source=ZEC_2002,
    ),
    _parameter(
        "clients",
        "Clients",
        r"n_{c}",
        "",
        "Clients that each wait for one reply at a time.",
        domain=(1.0, None),
        typical=(1.0, 64.0),
        source=GEIST_2005,
    ),
    _parameter(
        "reply_bytes",
        "Reply size",
        r"b_{r}",
        "bytes",
        "Link-level bytes received for one reply, all its packets together.",
        domain=_NOT_NEGATIVE,
        typical=(256.0, 65536.0),
    ),
    _parameter(
        "small_packets",
        "Small packets per reply",
        r"P_{s}",
        "packets",
        "Packets that come one by one with each reply: attributes, acknowledgements.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 4.0),
    ),
    _parameter(
        "idle_us",
        "Idle time per reply",
        r"t_{\mathrm{idle}}",
        "µs",
        "Time per reply, over all clients, that neither the CPU nor the interrupt delay takes: "
        "disks, servers, wires.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 2000.0),
    ),
    _parameter(
        "delay_waits",
        "Waits for the timer",
        r"k",
        "",
        "Interrupt delays that a client waits for, on average, from request to request.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 4.0),
    ),
    _parameter(
        "burst_rate_mbps",
        "Rate of a burst",
        r"C_{b}",
        "Mb/s",
        "Rate at which the packets of one reply arrive: that of the link, or less where the server "
        "cannot send so fast.",
        domain=_NOT_NEGATIVE,
        typical=(100.0, 10000.0),
    ),
    _parameter(
        "byte_cost_ns",
        "Cost per byte",
        r"c_{b}",
        "ns",
        "CPU time per byte: copying, and checksums where software computes them. 1 jiffy of 10 "
        "ms per megabyte is 10 ns.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20.0),
        source=GEIST_2005,
    ),
    _parameter(
        "packet_cost_us",
        "Cost per packet",
        r"c_{p}",
        "µs",
        "CPU time per packet: buffers, headers, protocol and queues. 1 jiffy of 10 ms per "
        "thousand packets is 10 µs.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20.0),
        source=GEIST_2005,
    ),
    _parameter(
        "interrupt_cost_us",
        "Cost per interrupt",
        r"c_{i}",
        "µs",
        "CPU time per receive interrupt. 1 jiffy of 10 ms per thousand interrupts is 10 µs.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 40.0),
        source=GEIST_2005 + "; " + ZEC_2002,
    ),
    _parameter(
        "system_call_cost_us",
        "Cost per system call",
        r"c_{s}",
        "µs",
        "CPU time per system call of the program that reads.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 10.0),
        source=GEIST_2005,
    ),
    _parameter(
        "poll_cost_us",
        "Cost per poll",
        r"c_{\mathrm{poll}}",
        "µs",
        "CPU time per poll, besides that of its packets.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20.0),
        source=RONCIAK_2005,
    ),
    _parameter(
        "read_bytes",
        "Bytes per read",
        r"b_{\mathrm{read}}",
        "bytes",
        "The most that a read of the receiving program returns; 0 where each read takes one "
        "packet.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 65536.0),
        source=GEIST_2005,
    ),
    _parameter(
        "connections",
        "Connections",
        r"n",
        "",
        "TCP connections that keep at most a window each under way.",
        domain=(1.0, None),
        typical=(1.0, 64.0),
        source=GEIST_2005,
    ),
    _parameter(
        "offered_mbps",
        "Offered rate",
        r"R_{\mathrm{off}}",
        "Mb/s",
        "Link-level rate that is sent, whatever the receiver does.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 1000.0),
    ),
    _parameter(
        "bus_rate_mbps",
        "Bus rate",
        r"R_{\mathrm{bus}}",
        "Mb/s",
        "Frames that the bus between interface and memory carries, in 10⁶ bits per second.",
        domain=_NOT_NEGATIVE,
        typical=(500.0, 10000.0),
        source=GEIST_2005,
    ),
    _parameter(
        "ring_descriptors",
        "Receive descriptors",
        r"D",
        "packets",
        "Packets that the receive ring holds.",
        domain=(1.0, None),
        typical=(64.0, 4096.0),
        source=DILLON_2004,
    ),
    _parameter(
        "moderation_kind",
        "Moderation",
        r"m",
        "",
        "How the interface delays interrupts: 0 not at all, 1 absolute timer, 2 packet timer, 3 "
        "both, 4 throttle, 5 leading edge.",
        domain=(0.0, 5.0),
        typical=(0.0, 5.0),
        source=INTEL_8254X,
        meanings=(
            "every packet",
            "absolute timer",
            "packet timer",
            "both timers",
            "throttle",
            "leading edge",
        ),
    ),
    _parameter(
        "packet_delay_us",
        "Packet timer",
        r"T_{p}",
        "µs",
        "Timer that starts anew with each packet (RDTR of the Intel 8254x).",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 2000.0),
        source=INTEL_8254X,
    ),
    _parameter(
        "interrupt_entry_us",
        "Entry of an interrupt",
        r"t_{A..C}",
        "µs",
        "Context switch, interrupt controller and counters: what every interrupt costs before "
        "any work.",
        domain=_NOT_NEGATIVE,
        typical=(1.0, 20.0),
        source=ZEC_2002,
    ),
    _parameter(
        "register_read_us",
        "Read of a device register",
        r"t_{\mathrm{PIO}}",
        "µs",
        "One programmed read across the bus.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 5.0),
        source=ZEC_2002,
    ),
    _parameter(
        "register_reads",
        "Register reads",
        r"n_{\mathrm{PIO}}",
        "",
        "Device registers read in each interrupt.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 8.0),
        source=ZEC_2002,
    ),
    _parameter(
        "cascade_us",
        "Cost of the cascade",
        r"t_{\mathrm{casc}}",
        "µs",
        "What an interrupt of the second, cascaded controller costs more.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 5.0),
        source=ZEC_2002,
    ),
    _parameter(
        "cascaded",
        "Second controller",
        r"j",
        "",
        "1 on a line of the second interrupt controller, 0 on one of the first.",
        domain=(0.0, 1.0),
        typical=(0.0, 1.0),
        source=ZEC_2002,
    ),
    _parameter(
        "poll_rate_hz",
        "Polls per second",
        r"f_{\mathrm{poll}}",
        "Hz",
        "How often a polling driver looks, whether there are packets or not.",
        domain=(1.0, None),
        typical=(100.0, 100000.0),
        source=ZEC_2002,
    ),
    _parameter(
        "loss_percent",
        "Packet loss",
        r"p",
        "%",
        "Packets lost on the way, in percent.",
        domain=_PERCENT,
        typical=(0.0, 10.0),
        source=ZEC_2002,
    ),
    _parameter(
        "packets_per_ack",
        "Packets per acknowledgement",
        r"b",
        "packets",
        "Packets that one acknowledgement covers.",
        domain=(1.0, None),
        typical=(1.0, 4.0),
        source=ZEC_2002,
    ),
    _parameter(
        "timeout_ms",
        "First retransmission timeout",
        r"T_{0}",
        "ms",
        "How long a sender waits for an acknowledgement before it sends again.",
        domain=_NOT_NEGATIVE,
        typical=(10.0, 3000.0),
        source=ZEC_2002,
    ),
    _parameter(
        "copy_cost_ns",
        "Cost to copy a byte",
        r"c_{\mathrm{copy}}",
        "ns",
        "CPU time to copy one byte from kernel to program.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20.0),
        source=CHASE_1999,
    ),
    _parameter(
        "copies",
        "Copies",
        r"n_{\mathrm{copy}}",
        "",
        "How often each byte is copied: 1, or 0 with zero-copy page remapping.",
        domain=(0.0, 4.0),
        typical=(0.0, 2.0),
        source=CHASE_1999,
    ),
    _parameter(
        "checksum_cost_ns",
        "Cost to checksum a byte",
        r"c_{\mathrm{sum}}",
        "ns",
        "CPU time to checksum one byte in software.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 20.0),
        source=CHASE_1999,
    ),
    _parameter(
        "checksums",
        "Checksums in software",
        r"n_{\mathrm{sum}}",
        "",
        "1 where the host computes checksums, 0 where the adapter does.",
        domain=(0.0, 2.0),
        typical=(0.0, 1.0),
        source=CHASE_1999,
    ),
    _parameter(
        "sender_cost_ratio",
        "Sender over receiver",
        r"s",
        "",
        "Cost per packet at the sender over that at the receiver; fewer interrupts make it less "
        "than 1.",
        domain=_NOT_NEGATIVE,
        typical=(0.1, 1.5),
        source=CHASE_1999,
    ),
    _parameter(
        "adapter_packet_rate_hz",
        "Packet rate of the adapter",
        r"B_{\mathrm{NIC}}",
        "packets/s",
        "The most packets per second that the processor of the adapter handles.",
        domain=(1.0, None),
        typical=(10000.0, 10000000.0),
        source=CHASE_1999,
    ),
    _parameter(
        "gathered_packets",
        "Packets per interrupt, given",
        r"P_{I}",
        "packets/interrupt",
        "Packets that one interrupt brings, where the model takes it as known.",
        domain=(1.0, None),
        typical=(1.0, 32.0),
    ),
    _parameter(
        "queues",
        "Receive queues",
        r"q",
        "",
        "Receive queues, each with a CPU of its own (RSS).",
        domain=(1.0, None),
        typical=(1.0, 32.0),
        source=RONCIAK_2005,
    ),
    _parameter(
        "base_latency_us",
        "Latency without moderation",
        r"L_{0}",
        "µs",
        "Round trip when no host delays interrupts.",
        domain=_NOT_NEGATIVE,
        typical=(10.0, 1000.0),
        source=DILLON_2004,
    ),
    _parameter(
        "moderated_hosts",
        "Moderating hosts",
        r"h",
        "",
        "Hosts on the round trip that bound their interrupt rate.",
        domain=(0.0, 2.0),
        typical=(0.0, 2.0),
        source=DILLON_2004,
    ),
    _parameter(
        "latency_share",
        "Share of the interval waited",
        r"w",
        "",
        "How much of the shortest interval between interrupts a lone packet waits for, on average.",
        domain=(0.0, 1.0),
        typical=(0.0, 1.0),
        source=DILLON_2004,
    ),
    _parameter(
        "flow_control",
        "Flow control",
        r"\phi",
        "",
        "1 where pause frames hold the sender back before the ring overflows, 0 without.",
        domain=(0.0, 1.0),
        typical=(0.0, 1.0),
        source=DILLON_2004,
        meanings=("without pause frames", "with pause frames"),
    ),
    _parameter(
        "bus_width_bits",
        "Width of the bus",
        r"w_{\mathrm{bus}}",
        "bits",
        "Bits that the bus moves per clock.",
        domain=(1.0, None),
        typical=(32.0, 64.0),
        source=GEIST_2005,
    ),
    _parameter(
        "bus_clock_mhz",
        "Clock of the bus",
        r"f_{\mathrm{bus}}",
        "MHz",
        "Clock of the bus, in 10⁶ per second.",
        domain=_NOT_NEGATIVE,
        typical=(33.0, 133.0),
        source=GEIST_2005,
    ),
    _parameter(
        "burst_bytes",
        "Burst of the bus",
        r"b_{\mathrm{burst}}",
        "bytes",
        "Bytes that the bus moves without giving up its turn.",
        domain=(1.0, None),
        typical=(32.0, 4096.0),
    ),
    _parameter(
        "burst_overhead_clocks",
        "Clocks lost per burst",
        r"n_{\mathrm{burst}}",
        "clocks",
        "Clocks of a burst in which no data move: arbitration, address, turnaround.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 16.0),
    ),
    _parameter(
        "descriptor_bytes",
        "Descriptor traffic",
        r"b_{d}",
        "bytes",
        "Bytes of descriptors moved for each frame.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 64.0),
    ),
)

_MODEL = (
    _model(
        "rx_megabytes",
        "Megabytes received",
        r"N_{\mathrm{MB}}",
        "MB",
        "Millions (10⁶) of bytes received.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 10000.0),
        source=GEIST_2005,
    ),
    _model(
        "rx_kilopackets",
        "Thousands of packets received",
        r"N_{\mathrm{KP}}",
        "kpackets",
        "Thousands of packets received.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 10000.0),
        source=GEIST_2005,
    ),
    _model(
        "rx_kilointerrupts",
        "Thousands of receive interrupts",
        r"N_{\mathrm{KI}}",
        "kinterrupts",
        "Thousands of receive interrupts.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 5000.0),
        source=GEIST_2005,
    ),
    _model(
        "packet_fill",
        "Packet fill",
        r"\varphi",
        "",
        "Mean packet size as a share of the MTU; the 2005 study takes it as 1, "
        "its own NFS packets average 0.88, 0.77 and 0.72. Slightly above 1 where an interface "
        "counts link-layer headers.",
        domain=_NOT_NEGATIVE,
        typical=(0.5, 1.0),
    ),
    _model(
        "system_cpu",
        "System CPU time",
        r"T",
        "jiffies",
        "System CPU time that the model predicts, in the unit of the fitted response.",
        source=GEIST_2005,
        better="less",
    ),
    _model(
        "system_cpu_per_gb",
        "System CPU time per 10⁹ bytes",
        r"T_{\mathrm{GB}}",
        "jiffies/GB",
        "System CPU time per 10⁹ bytes that the model predicts, "
        "in the unit of the fitted response.",
        source=GEIST_2005,
        better="less",
    ),
    _model(
        "byte_cost_per_gb",
        "Byte cost per 10⁹ bytes",
        r"T_{\alpha}",
        "jiffies/GB",
        "The part of the cost that neither larger frames nor fewer interrupts remove.",
        source=GEIST_2005,
        better="less",
    ),
    _model(
        "packet_cost_per_gb",
        "Packet cost per 10⁹ bytes",
        r"T_{\beta}",
        "jiffies/GB",
        "The part of the cost that larger frames reduce.",
        source=GEIST_2005,
        better="less",
    ),
    _model(
        "interrupt_cost_per_gb",
        "Interrupt cost per 10⁹ bytes",
        r"T_{\gamma}",
        "jiffies/GB",
        "The part of the cost that larger frames and fewer interrupts reduce.",
        source=GEIST_2005,
        better="less",
    ),
    _model(
        "window_packets",
        "TCP window in segments",
        r"W_{\mathrm{max}}",
        "packets",
        "Whole segments that fit in the TCP window.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002 + ", eq. 19",
    ),
    _model(
        "window_packet_rate_hz",
        "Packet rate that the window allows",
        r"B_{W}",
        "packets/s",
        "Packets per second of a connection that only its window and the coalescing delay limit.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002 + ", eq. 16",
    ),
    _model(
        "lone_rtt_us",
        "Round trip of a lone packet",
        r"\mathrm{RTT}_{1}",
        "µs",
        "Round-trip time when packets are so few that each waits half the coalescing delay.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002 + ", eq. 12 with eq. 1",
    ),
    _model(
        "medium_packet_rate_hz",
        "Packet rate of the medium",
        r"B_{\mathrm{max}}",
        "packets/s",
        "The most full packets that the medium carries in a second.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002 + ", eq. 4",
    ),
    _model(
        "interrupt_rate_hz",
        "Interrupts per second",
        r"f_{I}",
        "interrupts/s",
        "Interrupts per second that are raised, whatever they bring.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 250000.0),
        source=ZEC_2002,
        better="less",
    ),
    _model(
        "added_latency_us",
        "Added latency",
        r"\Delta L",
        "µs",
        "Mean time that a packet waits for its interrupt.",
        domain=_NOT_NEGATIVE,
        typical=(0.0, 1000.0),
        better="less",
    ),
    _model(
        "drop_percent",
        "Packets dropped",
        r"p_{\mathrm{drop}}",
        "%",
        "Packets that reach the host and are lost there, in percent of those sent.",
        domain=_PERCENT,
        better="less",
    ),
    _model(
        "binding_constraint",
        "Binding constraint",
        r"\mathrm{bound}",
        "",
        "What limits the throughput: 0 link, 1 bus, 2 receiver CPU, 3 offered load, 4 windows.",
        domain=(0.0, 4.0),
        meanings=("link", "bus", "receiver CPU", "offered load", "windows"),
    ),
    _model(
        "livelock_rate_hz",
        "Livelock rate",
        r"f_{\mathrm{live}}",
        "interrupts/s",
        "Interrupts per second from which on nothing else runs.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002,
        better="more",
    ),
    _model(
        "polling_cpu_percent",
        "CPU with polling",
        r"U_{\mathrm{poll}}",
        "%",
        "System CPU of the same stream when the driver polls instead.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002,
        better="less",
    ),
    _model(
        "polling_latency_us",
        "Latency with polling",
        r"\Delta L_{\mathrm{poll}}",
        "µs",
        "Mean time that a packet waits for the next poll.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002,
        better="less",
    ),
    _model(
        "loaded_rtt_us",
        "Round trip under load",
        r"\mathrm{RTT}",
        "µs",
        "Round-trip time with the coalescing delays of a busy path.",
        domain=_NOT_NEGATIVE,
        source=ZEC_2002 + ", eq. 12",
        better="less",
    ),
    _model(
        "cpu_limited_throughput_mbps",
        "CPU-limited throughput",
        r"R_{\mathrm{CPU}}",
        "Mb/s",
        "What the receiving CPU could take if nothing else were in the way.",
        domain=_NOT_NEGATIVE,
        source=CHASE_1999,
        better="more",
    ),
    _model(
        "sender_cpu_percent",
        "Sender CPU",
        r"U_{\mathrm{tx}}",
        "%",
        "CPU share of the sender, in percent of one CPU.",
        domain=_NOT_NEGATIVE,
        source=CHASE_1999,
        better="less",
    ),
    _model(
        "ring_slack_us",
        "Slack of the ring",
        r"t_{D}",
        "µs",
        "How long the ring lasts at the offered rate while a poll holds its descriptors.",
        domain=_NOT_NEGATIVE,
        source=RONCIAK_2005,
    ),
    _model(
        "lowest_moderation_rate_hz",
        "Lowest interrupt rate",
        r"f_{\mathrm{min}}",
        "Hz",
        "Bound on the interrupt rate below which the ring overflows between interrupts.",
        domain=_NOT_NEGATIVE,
        source=DILLON_2004,
    ),
    _model(
        "bus_throughput_mbps",
        "Throughput of the bus",
        r"R_{\mathrm{bus}}",
        "Mb/s",
        "Receive rate at which the bus is busy all the time, at link level.",
        domain=_NOT_NEGATIVE,
        source=GEIST_2005,
        better="more",
    ),
    _model(
        "bus_peak_mbps",
        "Bare rate of the bus",
        r"R_{\mathrm{peak}}",
        "Mb/s",
        "Width times clock: what the bus would move without arbitration.",
        domain=_NOT_NEGATIVE,
        source=GEIST_2005,
    ),
    _model(
        "arriving_packet_rate_hz",
        "Packets arriving",
        r"\lambda",
        "packets/s",
        "Packets per second that reach the host, before its CPU limits them.",
        domain=_NOT_NEGATIVE,
    ),
    _model(
        "receive_cost_us",
        "Cost of receiving a packet",
        r"c",
        "µs",
        "CPU time of one packet with its bytes, its system call and its share of an interrupt.",
        domain=_NOT_NEGATIVE,
        source=GEIST_2005,
        better="less",
    ),
    _model(
        "reply_cycle_us",
        "Time from reply to reply",
        r"t_{r}",
        "µs",
        "Mean time between two replies, over all clients.",
        domain=_NOT_NEGATIVE,
    ),
    _model(
        "lone_interrupts",
        "Interrupts of a lone reply",
        r"I_{1}",
        "interrupts",
        "Interrupts that one reply raises when nothing else is under way.",
        domain=_NOT_NEGATIVE,
    ),
    _model(
        "reply_work_us",
        "Time per reply without interrupts",
        r"t_{w}",
        "µs",
        "Idle time, CPU time and waiting for each reply, over all clients, without the cost of "
        "interrupts.",
        domain=_NOT_NEGATIVE,
    ),
    _model(
        "timer_wait_us",
        "Waiting for the timer",
        r"t_{d}",
        "µs",
        "How long one client waits for interrupt delays from request to request.",
        domain=_NOT_NEGATIVE,
    ),
)


def _by_name(quantities: tuple[Quantity, ...]) -> Mapping[str, Quantity]:
    table = {quantity.name: quantity for quantity in quantities}
    if len(table) != len(quantities):
        raise ValueError("two quantities have the same name")
    return MappingProxyType(table)


#: Every quantity by its name, in the order of the glossary.
QUANTITIES: Mapping[str, Quantity] = _by_name(
    _FACTORS
    + _COUNTED
    + _LOSS
    + _RATES
    + _CPU_TIMES
    + _CPU_PER_GB
    + _CPU_SHARES
    + _PER_GB
    + _ENERGY
    + _PARAMETERS
    + _MODEL
)

#: Measures that are no more, and those that say what their names promised. `receiver_cpu_*` counted
#: every task in the interface's network namespace as receiving.
RETIRED: Mapping[str, str] = MappingProxyType(
    {
        f"receiver_cpu_{unit}": f"traffic_cpu_{unit}"
        for unit in ("percent", "s", "jiffies", "s_per_gb", "jiffies_per_gb")
    }
)
