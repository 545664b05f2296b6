# SPDX-License-Identifier: Apache-2.0
"""Which member of a log's environment holds the setting that a factor names. Pure.

The names are those of the registry of settings (`plan.registry`), as a log writes them. The logger
compares them when recording starts: driver/logger/recorded_settings.py writes its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType


class Form(Enum):
    """How the environment writes a level."""

    PLAIN = "a number, a switch or a word, as the level"
    SPLIT = "the number of auto, off, on"
    CPU_LIST = "CPUs as a list"
    CPU_MASK = "CPUs as a mask"
    PROFILE = "the lines of dynamic moderation's profile"
    SPREAD = "how many entries of the table lead to each queue"
    COUNTED = "how many CPUs have each word"
    IDLE_STATES = "the idle states of a CPU, from the lightest"


@dataclass(frozen=True)
class RecordedSetting:
    """Where a setting stands.

    Attributes:
        paths: members joined by "/", "*" for each of a list or an object; of several, the first
            that holds anything.
        form: how it is written there.
        overridden_by: the factor of a switch that must be off for it to count.
    """

    paths: tuple[str, ...]
    form: Form = Form.PLAIN
    overridden_by: str | None = None


_RX, _TX = "factor.adaptive_rx", "factor.adaptive_tx"
_NEGOTIATED = "factor.pause_autoneg"
# the factor's name, and ethtool's word where it is another
_COALESCING: tuple[tuple[str, str, str | None], ...] = (
    ("adaptive_rx", "adaptive_rx", None),
    ("adaptive_tx", "adaptive_tx", None),
    ("delay_us", "rx_usecs", _RX),
    ("rx_frames", "rx_frames", _RX),
    ("rx_delay_irq_us", "rx_usecs_irq", _RX),
    ("rx_frames_irq", "rx_frames_irq", _RX),
    ("tx_delay_us", "tx_usecs", _TX),
    ("tx_frames", "tx_frames", _TX),
    ("tx_delay_irq_us", "tx_usecs_irq", _TX),
    ("tx_frames_irq", "tx_frames_irq", _TX),
    ("stats_block_us", "stats_block_usecs", None),
    ("packet_rate_low", "pkt_rate_low", None),
    ("rx_delay_low_us", "rx_usecs_low", None),
    ("rx_frames_low", "rx_frames_low", None),
    ("tx_delay_low_us", "tx_usecs_low", None),
    ("tx_frames_low", "tx_frames_low", None),
    ("packet_rate_high", "pkt_rate_high", None),
    ("rx_delay_high_us", "rx_usecs_high", None),
    ("rx_frames_high", "rx_frames_high", None),
    ("tx_delay_high_us", "tx_usecs_high", None),
    ("tx_frames_high", "tx_frames_high", None),
    ("sample_interval_s", "sample_interval", None),
    ("cqe_mode_rx", "cqe_mode_rx", None),
    ("cqe_mode_tx", "cqe_mode_tx", None),
    ("tx_aggr_bytes", "tx_aggr_max_bytes", None),
    ("tx_aggr_frames", "tx_aggr_max_frames", None),
    ("tx_aggr_delay_us", "tx_aggr_time_usecs", None),
    ("rx_cqe_frames", "rx_cqe_frames", None),
    ("rx_cqe_delay_ns", "rx_cqe_nsecs", None),
)
_PROFILES = {"dim_profile_rx": "rx_profile", "dim_profile_tx": "tx_profile"}
_RINGS = {
    "ring_rx": "rx",
    "ring_rx_mini": "rx_mini",
    "ring_rx_jumbo": "rx_jumbo",
    "ring_tx": "tx",
    "rx_buf_len": "rx_buf_len",
    "cqe_size": "cqe_size",
    "tx_push": "tx_push",
    "rx_push": "rx_push",
    "tx_push_buf_len": "tx_push_buf_len",
    "hds_thresh": "hds_thresh",
}
_QUEUES = {
    "queues": "combined",
    "queues_rx": "rx",
    "queues_tx": "tx",
    "queues_other": "other",
}
_NAPI = {
    "napi_defer_hard_irqs": ("napi/*/defer_hard_irqs", "napi_defer_hard_irqs"),
    "gro_flush_timeout_ns": ("napi/*/gro_flush_timeout_ns", "gro_flush_timeout_ns"),
    "irq_suspend_timeout_ns": ("napi/*/irq_suspend_timeout_ns",),
    "napi_threaded": ("napi/*/threaded", "napi_threaded"),
}
_OFFLOAD = "factor.offload_"
_SYSCTLS = {
    "busy_poll_us": "busy_poll",
    "busy_read_us": "busy_read",
    "netdev_budget": "netdev_budget",
    "netdev_budget_us": "netdev_budget_usecs",
    "dev_weight": "dev_weight",
}
_OFFLOADS = {
    "rx": "rx_checksum",
    "tx": "tx_checksum",
    "sg": "scatter_gather",
    "tso": "tso",
    "gso": "gso",
    "gro": "gro",
    "gro_hw": "gro_hw",
    "lro": "lro",
    "rxhash": "rxhash",
    "rxvlan": "rxvlan",
    "txvlan": "txvlan",
    "ntuple": "ntuple",
}
_OTHERS = {
    "mtu_bytes": RecordedSetting(("mtu_bytes",)),
    "factor.tcp_data_split": RecordedSetting(("ring/tcp_data_split",), Form.SPLIT),
    "factor.rss_queues": RecordedSetting(("rss/entries",), Form.SPREAD),
    "factor.rss_hash": RecordedSetting(("rss/hash_function",)),
    "factor.rps_cpus": RecordedSetting(("rps_cpus/*",), Form.CPU_MASK),
    "factor.xps_cpus": RecordedSetting(("xps_cpus/*",), Form.CPU_MASK),
    "factor.rps_flows": RecordedSetting(("rfs/flow_count/*",)),
    "factor.rps_sock_flows": RecordedSetting(("rfs/sock_flow_entries",)),
    "factor.irq_cpus": RecordedSetting(("interrupt_affinity/*",), Form.CPU_LIST),
    "factor.napi_cpus": RecordedSetting(("napi/*/cpus",), Form.CPU_LIST),
    "factor.governor": RecordedSetting(("governors",), Form.COUNTED),
    "factor.turbo": RecordedSetting(("turbo",)),
    "factor.deepest_idle_state": RecordedSetting(
        ("idle_states", "idle_state_sets/*/states"), Form.IDLE_STATES
    ),
    "factor.irqbalance": RecordedSetting(("irqbalance",)),
}


def _rows() -> Iterator[tuple[str, RecordedSetting]]:
    for name, member, switch in _COALESCING:
        row = RecordedSetting((f"coalescing/{member}",), overridden_by=switch)
        yield (name if name == "delay_us" else f"factor.{name}"), row
        if member != name:
            yield f"factor.{member}", row
    for name, member in _PROFILES.items():
        yield f"factor.{name}", RecordedSetting((f"coalescing/{member}",), Form.PROFILE)
    for name, member in _RINGS.items():
        yield f"factor.{name}", RecordedSetting((f"ring/{member}",))
    for name, member in _QUEUES.items():
        yield f"factor.{name}", RecordedSetting((f"queues/{member}",))
    yield "factor.pause_autoneg", RecordedSetting(("pause/autoneg",))
    for way in ("rx", "tx"):
        row = RecordedSetting((f"pause/{way}",), overridden_by=_NEGOTIATED)
        yield f"factor.pause_{way}", row
    for name, paths in _NAPI.items():
        yield f"factor.{name}", RecordedSetting(paths)
    for name, member in _SYSCTLS.items():
        yield f"factor.{name}", RecordedSetting((f"sysctls/net.core.{member}",))
    for name, member in _OFFLOADS.items():
        yield f"{_OFFLOAD}{name}", RecordedSetting((f"offloads/{member}",))
    yield from _OTHERS.items()


RECORDED: Mapping[str, RecordedSetting] = MappingProxyType(dict(_rows()))
"""By the name of the factor in a log; coalescing by ethtool's own word, too."""

NOT_RECORDED: Mapping[str, str] = MappingProxyType(
    {
        "workload_cpus": "the sweep starts the command there; the log notes it",
    }
)
"""Settings of the registry that are not in RECORDED, and why."""


def recorded_setting(name: str) -> RecordedSetting | None:
    """Where a factor of a log stands: of RECORDED, or a feature of `ethtool -k` by its own name."""
    row = RECORDED.get(name)
    if row is None and name.startswith(_OFFLOAD):
        return RecordedSetting((f"offloads/{name.removeprefix(_OFFLOAD)}",))
    return row


USECS_MODES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "e1000": (1, 3, 4),
        "e1000e": (1, 3, 4),
        "igb": (1, 3),
        "igc": (1, 3),
        "ixgbe": (1,),
    }
)
"""Levels of rx-usecs that are ways to adapt the delay, by driver."""

_TIMES = ("_us", "_ns", "_s", "_usecs", "_nsecs", "_rate_low", "_rate_high", "_interval")


def is_of_time(name: str) -> bool:
    """Whether it is a time or a rate, which an emulated host has by a clock of its own."""
    return name.endswith(_TIMES) or "_usecs_" in name
