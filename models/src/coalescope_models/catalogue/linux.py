# SPDX-License-Identifier: Apache-2.0
"""Models of what today's hosts do, on definitions of the Linux kernel's documentation."""

from __future__ import annotations

from types import MappingProxyType

from ..phenomena.idle_states import receive_energy, wake_up_latency
from ..phenomena.merging import receive_merging
from ..phenomena.queue_imbalance import queue_imbalance
from ..phenomena.receive_buffers import receive_buffers
from ..vocabulary.sources import SOURCES
from .model import DELAY_BY_MTU, DELAY_RIGHT_MTU_UP, Model, Plane, quantities, slider

_OWN = "; the formula is this project's"
_LINK = slider("link_rate_mbps", 10_000.0, 100.0, 800_000.0, 100.0)
_LOAD = slider("link_load", 1.0, 0.01, 1.0, 0.01)
_IDLE_STATES = SOURCES["linux_cpuidle"] + ", “The Idle Loop”" + _OWN
_DEEP_RESIDENCY = slider("deep_residency_us", 600.0, 1.0, 5000.0, 1.0)
_POISSON = (
    "Packets come at random at a constant rate, and interrupts at least the delay apart: a "
    "throttle."
)

MODELS = (
    Model(
        id="receive-merging",
        title="CPU time where packets are merged (GRO, LRO)",
        summary="CPU time per 10⁹ bytes where the packets that an interrupt brings are merged by "
        "connection before the protocols see them.",
        use="To see what a larger MTU or a longer delay still saves once packets are merged, and "
        "what many connections take from that.",
        assumptions=(
            "Packets come at random, each of any connection with the same probability, and an "
            "absolute timer gathers them.",
            "All packets are full TCP segments with timestamps, in order and without loss.",
            "What is held is handed up when the packets of an interrupt are through.",
        ),
        limits=(
            "Segments are within 6 % and CPU time within 4 % of events, for segments that hold 4 "
            "packets or more; without merging and for one packet an interrupt it is exact.",
            "It has steps along the MTU where one packet more fits into a segment.",
            "Packets that come in trains merge better than told. Polls that end early, with their "
            "budget, and more connections than the driver holds at once (8 in each of 8 lists in "
            "Linux) merge worse.",
        ),
        function=receive_merging,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(
            slider("byte_cost_ns", 0.15, 0.0, 20.0, 0.01),
            slider("packet_cost_us", 0.15, 0.01, 20.0, 0.01),
            slider("segment_cost_us", 0.8, 0.0, 20.0, 0.01),
            slider("interrupt_cost_us", 2.0, 0.0, 40.0, 0.01),
            slider("connections", 4.0, 1.0, 64.0, 1.0),
            slider("merge_bytes", 65536.0, 0.0, 524288.0, 1024.0),
            slider("merge_packets", 256.0, 1.0, 512.0, 1.0),
            _LINK,
            _LOAD,
        ),
        outputs=quantities(
            "system_cpu_s_per_gb",
            "cpu_limited_throughput_mbps",
            "packets_per_segment",
            "packets_per_interrupt",
            "largest_segment_packets",
        ),
        named=(
            "system_cpu_s_per_gb",
            "packets_per_segment",
            "packets_per_interrupt",
            "largest_segment_packets",
        ),
        citation=SOURCES["linux_gro"] + ", “skb_gro_receive”" + _OWN,
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=(
            "The costs are this project's assumptions, to be replaced by fitted ones.",
            "The kernel goes on past the 17 fragments of a buffer by chaining buffers; a device "
            "that stops there merges “packets per segment at most” 17.",
        ),
    ),
    Model(
        id="queue-imbalance",
        title="Flows over receive queues (RSS)",
        summary="How much more than its share the busiest receive queue gets when flows are "
        "hashed, and the throughput at which its CPU is full.",
        use="To know how many flows it takes until queues share the load, and what the busiest "
        "one leaves of the throughput.",
        assumptions=(
            "The hash is as good as random, and the table holds the queues in turn.",
            "All flows have the same rate, and each queue has a CPU of its own.",
        ),
        limits=(
            "The mean over many hash keys and flows: one key and one set of flows can be far off.",
            "Within 5 % of events for up to 128 queues, within 9 % where their number does not "
            "divide the table's entries; flows and queues are whole numbers.",
            "Throughput is that at the mean of the busiest share; its own mean is a little more.",
            "A few large flows among many small ones, and flows that are moved to other queues, "
            "are not in it.",
        ),
        function=queue_imbalance,
        inputs=quantities("streams", "mtu_bytes"),
        parameters=(
            slider("queues", 8.0, 1.0, 128.0, 1.0),
            slider("table_entries", 128.0, 32.0, 2048.0, 1.0),
            slider("byte_cost_ns", 0.15, 0.0, 20.0, 0.01),
            slider("packet_cost_us", 0.8, 0.01, 20.0, 0.01),
            slider("link_rate_mbps", 100_000.0, 100.0, 800_000.0, 100.0),
        ),
        outputs=quantities(
            "throughput_mbps",
            "busiest_queue_percent",
            "queue_imbalance",
            "cpu_limited_throughput_mbps",
            "busiest_cpu_percent",
        ),
        named=("throughput_mbps", "busiest_queue_percent", "cpu_limited_throughput_mbps"),
        citation=SOURCES["linux_scaling"]
        + ", “RSS: Receive Side Scaling”; for bounds on the busiest: "
        + SOURCES["raab_1998"]
        + _OWN,
        plane=Plane("streams", "mtu_bytes"),
        axes=MappingProxyType({"streams": "x", "mtu_bytes": "y"}),
        notes=("The costs are this project's assumptions, to be replaced by fitted ones.",),
    ),
    Model(
        id="wake-up-latency",
        title="Waking up from C-states and ASPM",
        summary="How long an interrupt waits for a CPU and a PCI Express link that sleep between "
        "interrupts.",
        use="To see when a longer delay makes latency worse by letting the CPU sleep deeper, and "
        "how much of a latency is the link's sleep.",
        assumptions=(
            _POISSON,
            "The governor knows how long the CPU will be idle and takes the deep state where that "
            "pays; the CPU is busy for the same time at each interrupt.",
            "The link sleeps after a fixed time without packets or interrupts.",
        ),
        limits=(
            "It jumps where the delay becomes long enough for the deep state each time.",
            "A governor that guesses wrong sleeps deeper or less deep; timers and other work wake "
            "the CPU too.",
            "What packets themselves wait for the interrupt is not in it.",
        ),
        function=wake_up_latency,
        inputs=quantities("packet_rate_hz", "delay_us"),
        parameters=(
            slider("interrupt_cost_us", 5.0, 0.0, 40.0, 0.01),
            slider("shallow_exit_us", 2.0, 0.0, 50.0, 0.1),
            slider("deep_exit_us", 133.0, 0.0, 1000.0, 1.0),
            _DEEP_RESIDENCY,
            slider("link_exit_us", 85.0, 0.0, 200.0, 0.1),
            slider("link_idle_us", 16.0, 0.0, 1000.0, 0.1),
        ),
        outputs=quantities(
            "wake_latency_us",
            "longest_wake_latency_us",
            "deep_wake_percent",
            "link_wake_percent",
            "rx_interrupt_rate_hz",
        ),
        named=("deep_wake_percent", "link_wake_percent"),
        citation=_IDLE_STATES,
        plane=Plane("packet_rate_hz", "delay_us"),
        axes=MappingProxyType({"packet_rate_hz": "x", "delay_us": "y"}),
        notes=(
            "The idle states are C1 and C6 of Skylake servers as the kernel's intel_idle driver "
            "lists them: exit in 2 and 133 µs, target residency 600 µs.",
            "85 µs is what ASPM L1 added to the median reply in the data set of ASPM, rx-usecs and "
            "C-states 2026; how many times the link woke up for one is not printed there.",
        ),
    ),
    Model(
        id="receive-energy",
        title="Energy of receiving",
        summary="Power of a receiving CPU and energy per 10⁹ bytes, from the time at work and in "
        "idle states.",
        use="To see what a longer delay saves in energy by fewer interrupts and by sleep that is "
        "long enough to pay.",
        assumptions=(
            _POISSON,
            "The governor knows how long the CPU will be idle; entering and leaving the deep state "
            "costs what its target residency says.",
            "One CPU receives; everything else draws the same power all the time.",
        ),
        limits=(
            "Power and energy are within 1 % of events; the share of deep idle jumps where "
            "the delay reaches busy time and residency, and is blurred there in reality.",
            "Frequency and voltage do not change, and packages that sleep only when all their "
            "CPUs do are not in it.",
            "A full CPU draws its active power, and what it cannot take is lost.",
        ),
        function=receive_energy,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(
            slider("interrupt_cost_us", 3.0, 0.0, 40.0, 0.01),
            slider("packet_cost_us", 1.0, 0.01, 20.0, 0.01),
            slider("active_power_w", 8.0, 0.0, 50.0, 0.1),
            slider("shallow_power_w", 4.2, 0.0, 50.0, 0.1),
            slider("deep_power_w", 0.0, 0.0, 50.0, 0.1),
            _DEEP_RESIDENCY,
            slider("other_power_w", 8.5, 0.0, 500.0, 0.1),
            slider("link_rate_mbps", 1000.0, 100.0, 800_000.0, 100.0),
            slider("link_load", 0.1, 0.01, 1.0, 0.01),
        ),
        outputs=quantities(
            "energy_j_per_gb",
            "package_power_w",
            "packet_energy_uj",
            "system_cpu_percent",
            "deep_idle_percent",
            "rx_interrupt_rate_hz",
        ),
        named=("package_power_w", "packet_energy_uj"),
        citation=_IDLE_STATES,
        plane=DELAY_BY_MTU,
        axes=DELAY_RIGHT_MTU_UP,
        notes=(
            "Powers are set after the data set of ASPM, rx-usecs and C-states 2026: about 8.5 W "
            "with all states allowed, 33.9 W with none deeper than C1E, a sixth of the difference "
            "for each core; the active power is an assumption.",
        ),
    ),
    Model(
        id="receive-buffers",
        title="Memory of a received frame",
        summary="What a frame takes in one contiguous buffer, which goes up by powers of two, "
        "and in pages.",
        use="To choose an MTU that does not just miss a buffer size, and to see which allocations "
        "need contiguous pages.",
        assumptions=(
            "The driver rounds a frame up to a power of two, 2 KB or more; the stack's record goes "
            "behind it, and the allocator rounds up again.",
            "Each descriptor of the ring holds one buffer.",
        ),
        limits=(
            "It is a staircase along the MTU; between its steps nothing changes.",
            "Drivers that put several frames into a page, or a frame into fragments of other "
            "sizes, take other steps.",
            "What an allocation costs in time is not told: no source with numbers was found.",
        ),
        function=receive_buffers,
        inputs=quantities("mtu_bytes"),
        parameters=(
            slider("buffer_overhead_bytes", 320.0, 0.0, 1024.0, 1.0),
            slider("page_bytes", 4096.0, 4096.0, 65536.0, 4096.0),
            slider("ring_descriptors", 256.0, 64.0, 8192.0, 1.0),
        ),
        outputs=quantities(
            "frame_memory_bytes",
            "buffer_bytes",
            "page_order",
            "buffer_fill_percent",
            "ring_memory_mb",
            "paged_memory_bytes",
        ),
        named=("frame_memory_bytes", "buffer_bytes"),
        citation=SOURCES["polyakov_2006"],
        axes=MappingProxyType({"mtu_bytes": "x"}),
        notes=(
            "320 bytes for the stack's record are this project's assumption, for 64-bit kernels.",
        ),
    ),
)
