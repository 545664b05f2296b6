# SPDX-License-Identifier: Apache-2.0
"""All that a sweep can set on a host, one row each: a factor for the plan, an attribute here. Pure.

A new attribute of the kernel is one more row: its group (`settings.groups`) reads, sets and
restores it, and the plan knows its name, its levels and what the field calls it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from .factor_rule import CPUS, SWITCH, FactorRule, choice, cpus_of, whole
from .features import FEATURES

U32 = (1 << 32) - 1
WORKLOAD_CPUS = "workload_cpus"
"""Set on the command as it is started, and on no host."""


@dataclass(frozen=True)
class Setting:
    """One thing that can be set.

    Attributes:
        name: the factor's, in a plan.
        word: what ethtool, the netlink specification or sysctl calls it; understood as well.
        attribute: the netlink attribute without its prefix, or the kernel's file.
        rule: its levels.
        group: which group of `settings.groups` sets it.
        delays_interrupts: tells a device when to interrupt: without interrupts it says nothing.
        maximum: the attribute that holds the highest number that the device allows.
        overridden_by: another switch that must be off for it to count.
        in_glossary: it stands in a run log under its own name, not as `factor.NAME`.
        needs: another setting that brings it about: where a cell sets both, it need not be there
            before.
        aliases: further names that people use.
    """

    name: str
    word: str
    attribute: str
    rule: FactorRule
    group: str
    delays_interrupts: bool
    maximum: str | None = None
    overridden_by: str | None = None
    in_glossary: bool = False
    needs: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off, and nothing else."""
        return self.rule is SWITCH


# where packets may wait for an interrupt, each row says whether it is one of those
_coalescing = partial(Setting, group="coalescing")
_rx_moderation = partial(_coalescing, delays_interrupts=True)
_rx_delay = partial(_rx_moderation, overridden_by="adaptive_rx")
_other_coalescing = partial(_coalescing, delays_interrupts=False)
_tx_delay = partial(_other_coalescing, overridden_by="adaptive_tx")
_napi = partial(Setting, group="napi")
_no_delay = partial(Setting, delays_interrupts=False)
_rings = partial(_no_delay, group="rings")
_channels = partial(_no_delay, group="channels")
_pause = partial(_no_delay, group="pause")
_sysctl = partial(_no_delay, group="sysctl")
_rss = partial(_no_delay, group="rss")
_steering = partial(_no_delay, group="steering")
_interrupts = partial(_no_delay, group="interrupts")
_machine = partial(_no_delay, group="machine")

_US = FactorRule("a number of microseconds, 0 or more", (int, float), 0, U32)
_FRAMES = whole(0, U32, "in frames")
_DESCRIPTORS = whole(1, 1 << 20, "in descriptors")
_QUEUES = whole(0, 4096, "the number of queues")
_NANOSECONDS = whole(0, 10**12, "in nanoseconds")
_CPUS_OR_NONE = FactorRule(
    'CPUs as the kernel lists them, such as "0" or "0-3,8", or "none"',
    (str,),
    pattern=rf"none|{CPUS.pattern}",
    reads=lambda text: text == "none" or cpus_of(text),
)
_PROFILE_LEVEL = r"(\d+|n),(\d+|n),(\d+|n)"
_PROFILE = FactorRule(
    "five of USECS,FRAMES,COMPLETIONS joined by _, each a number or n: 1,64,n_8,64,n_…",
    (str,),
    pattern=f"{_PROFILE_LEVEL}(_{_PROFILE_LEVEL}){{4}}",
)

SETTINGS: tuple[Setting, ...] = (
    _no_delay(
        "mtu_bytes", "mtu", "MTU", whole(68, 65536, "in bytes"), group="mtu", in_glossary=True
    ),
    # ethtool -C
    _rx_moderation("adaptive_rx", "adaptive-rx", "USE_ADAPTIVE_RX", SWITCH),
    _other_coalescing("adaptive_tx", "adaptive-tx", "USE_ADAPTIVE_TX", SWITCH),
    _rx_delay("delay_us", "rx-usecs", "RX_USECS", _US, in_glossary=True),
    _rx_delay("rx_frames", "rx-frames", "RX_MAX_FRAMES", _FRAMES, aliases=("rx-max-frames",)),
    _rx_delay("rx_delay_irq_us", "rx-usecs-irq", "RX_USECS_IRQ", _US),
    _rx_delay("rx_frames_irq", "rx-frames-irq", "RX_MAX_FRAMES_IRQ", _FRAMES),
    _tx_delay("tx_delay_us", "tx-usecs", "TX_USECS", _US),
    _tx_delay("tx_frames", "tx-frames", "TX_MAX_FRAMES", _FRAMES, aliases=("tx-max-frames",)),
    _tx_delay("tx_delay_irq_us", "tx-usecs-irq", "TX_USECS_IRQ", _US),
    _tx_delay("tx_frames_irq", "tx-frames-irq", "TX_MAX_FRAMES_IRQ", _FRAMES),
    _other_coalescing("stats_block_us", "stats-block-usecs", "STATS_BLOCK_USECS", _US),
    _other_coalescing("packet_rate_low", "pkt-rate-low", "PKT_RATE_LOW", _FRAMES),
    _rx_moderation("rx_delay_low_us", "rx-usecs-low", "RX_USECS_LOW", _US),
    _rx_moderation("rx_frames_low", "rx-frames-low", "RX_MAX_FRAMES_LOW", _FRAMES),
    _other_coalescing("tx_delay_low_us", "tx-usecs-low", "TX_USECS_LOW", _US),
    _other_coalescing("tx_frames_low", "tx-frames-low", "TX_MAX_FRAMES_LOW", _FRAMES),
    _other_coalescing("packet_rate_high", "pkt-rate-high", "PKT_RATE_HIGH", _FRAMES),
    _rx_moderation("rx_delay_high_us", "rx-usecs-high", "RX_USECS_HIGH", _US),
    _rx_moderation("rx_frames_high", "rx-frames-high", "RX_MAX_FRAMES_HIGH", _FRAMES),
    _other_coalescing("tx_delay_high_us", "tx-usecs-high", "TX_USECS_HIGH", _US),
    _other_coalescing("tx_frames_high", "tx-frames-high", "TX_MAX_FRAMES_HIGH", _FRAMES),
    _other_coalescing(
        "sample_interval_s", "sample-interval", "RATE_SAMPLE_INTERVAL", whole(0, U32, "in seconds")
    ),
    _other_coalescing("cqe_mode_rx", "cqe-mode-rx", "USE_CQE_MODE_RX", SWITCH),
    _other_coalescing("cqe_mode_tx", "cqe-mode-tx", "USE_CQE_MODE_TX", SWITCH),
    _other_coalescing(
        "tx_aggr_bytes", "tx-aggr-max-bytes", "TX_AGGR_MAX_BYTES", whole(0, U32, "in bytes")
    ),
    _other_coalescing("tx_aggr_frames", "tx-aggr-max-frames", "TX_AGGR_MAX_FRAMES", _FRAMES),
    _other_coalescing("tx_aggr_delay_us", "tx-aggr-time-usecs", "TX_AGGR_TIME_USECS", _US),
    _other_coalescing("dim_profile_rx", "rx-profile", "RX_PROFILE", _PROFILE),
    _other_coalescing("dim_profile_tx", "tx-profile", "TX_PROFILE", _PROFILE),
    _other_coalescing("rx_cqe_frames", "rx-cqe-frames", "RX_CQE_FRAMES", _FRAMES),
    _other_coalescing(
        "rx_cqe_delay_ns", "rx-cqe-nsecs", "RX_CQE_NSECS", whole(0, U32, "in nanoseconds")
    ),
    # ethtool -G
    _rings("ring_rx", "rx", "RX", _DESCRIPTORS, maximum="RX_MAX"),
    _rings("ring_rx_mini", "rx-mini", "RX_MINI", _DESCRIPTORS, maximum="RX_MINI_MAX"),
    _rings("ring_rx_jumbo", "rx-jumbo", "RX_JUMBO", _DESCRIPTORS, maximum="RX_JUMBO_MAX"),
    _rings("ring_tx", "tx", "TX", _DESCRIPTORS, maximum="TX_MAX"),
    _rings("rx_buf_len", "rx-buf-len", "RX_BUF_LEN", whole(1, U32, "in bytes")),
    _rings(
        "tcp_data_split",
        "tcp-data-split",
        "TCP_DATA_SPLIT",
        choice("auto", "off", "on"),
        aliases=("header-split",),
    ),
    _rings("cqe_size", "cqe-size", "CQE_SIZE", whole(1, U32, "in bytes")),
    _rings("tx_push", "tx-push", "TX_PUSH", SWITCH),
    _rings("rx_push", "rx-push", "RX_PUSH", SWITCH),
    _rings(
        "tx_push_buf_len",
        "tx-push-buf-len",
        "TX_PUSH_BUF_LEN",
        whole(0, U32, "in bytes"),
        maximum="TX_PUSH_BUF_LEN_MAX",
    ),
    _rings(
        "hds_thresh",
        "hds-thresh",
        "HDS_THRESH",
        whole(0, U32, "in bytes"),
        maximum="HDS_THRESH_MAX",
    ),
    # ethtool -L
    _channels("queues", "combined", "COMBINED_COUNT", _QUEUES, maximum="COMBINED_MAX"),
    _channels("queues_rx", "rx", "RX_COUNT", _QUEUES, maximum="RX_MAX"),
    _channels("queues_tx", "tx", "TX_COUNT", _QUEUES, maximum="TX_MAX"),
    _channels("queues_other", "other", "OTHER_COUNT", _QUEUES, maximum="OTHER_MAX"),
    # ethtool -A
    _pause("pause_autoneg", "autoneg", "AUTONEG", SWITCH),
    _pause("pause_rx", "rx", "RX", SWITCH, overridden_by="pause_autoneg"),
    _pause("pause_tx", "tx", "TX", SWITCH, overridden_by="pause_autoneg"),
    # netdev-genl napi-set, and sysfs
    _napi(
        "napi_defer_hard_irqs",
        "defer-hard-irqs",
        "DEFER_HARD_IRQS",
        whole(0, (1 << 31) - 1, "the number of deferrals"),
        delays_interrupts=True,
    ),
    _napi(
        "gro_flush_timeout_ns",
        "gro-flush-timeout",
        "GRO_FLUSH_TIMEOUT",
        _NANOSECONDS,
        delays_interrupts=False,
    ),
    _napi(
        "irq_suspend_timeout_ns",
        "irq-suspend-timeout",
        "IRQ_SUSPEND_TIMEOUT",
        _NANOSECONDS,
        delays_interrupts=False,
    ),
    _napi(
        "napi_threaded",
        "threaded",
        "THREADED",
        FactorRule('true, false or "busy-poll"', (bool, str), choices=("busy-poll",)),
        delays_interrupts=False,
    ),
    # ethtool -X
    _rss(
        "rss_queues",
        "equal",
        "INDIR",
        whole(1, 4096, "the queues that share the load"),
        aliases=("rss-equal",),
    ),
    _rss("rss_hash", "hfunc", "HFUNC", choice("toeplitz", "xor", "crc32")),
    # /sys/class/net/NAME/queues
    _steering("rps_cpus", "rps", "rps_cpus", _CPUS_OR_NONE),
    _steering("xps_cpus", "xps", "xps_cpus", _CPUS_OR_NONE, needs="queues"),
    _steering("rps_flows", "rps_flow_cnt", "rps_flow_cnt", whole(0, 1 << 29, "in flows")),
    # sysctl net.core
    _sysctl(
        "busy_poll_us", "net.core.busy_poll", "busy_poll", whole(0, U32 >> 1, "in microseconds")
    ),
    _sysctl(
        "busy_read_us", "net.core.busy_read", "busy_read", whole(0, U32 >> 1, "in microseconds")
    ),
    _sysctl(
        "netdev_budget", "net.core.netdev_budget", "netdev_budget", whole(1, U32 >> 1, "in packets")
    ),
    _sysctl(
        "netdev_budget_us",
        "net.core.netdev_budget_usecs",
        "netdev_budget_usecs",
        whole(1, U32 >> 1, "in microseconds"),
    ),
    _sysctl("dev_weight", "net.core.dev_weight", "dev_weight", whole(1, U32 >> 1, "in packets")),
    _sysctl(
        "rps_sock_flows",
        "net.core.rps_sock_flow_entries",
        "rps_sock_flow_entries",
        whole(0, 1 << 29, "in flows"),
    ),
    # what dominates the variance: which processor does what, and how fast it is
    _interrupts(
        "irq_cpus",
        "smp_affinity_list",
        "smp_affinity_list",
        CPUS,
        aliases=("irq-affinity", "interrupt-affinity"),
    ),
    _interrupts("napi_cpus", "napi-affinity", "napi", CPUS, needs="napi_threaded"),
    _machine(
        "governor",
        "scaling_governor",
        "scaling_governor",
        FactorRule("a governor of the processor's frequency", (str,), pattern=r"[a-z_]+"),
    ),
    _machine("turbo", "boost", "boost", SWITCH),
    _machine(
        "deepest_idle_state",
        "cpuidle",
        "disable",
        whole(0, 15, "a number of /sys/devices/system/cpu/cpu0/cpuidle/state*"),
        aliases=("cstate", "c-state"),
    ),
    _machine("irqbalance", "irqbalance", "irqbalance", SWITCH),
    _no_delay(WORKLOAD_CPUS, "workload-affinity", "taskset", CPUS, group="workload"),
)

BY_NAME: Mapping[str, Setting] = MappingProxyType({row.name: row for row in SETTINGS})

#: Offloads by the short words of `ethtool -K`: the kernel's name of the feature.
OFFLOADS: Mapping[str, str] = MappingProxyType(
    {
        "rx": "rx-checksum",
        "sg": "tx-scatter-gather",
        "gso": "tx-generic-segmentation",
        "gro": "rx-gro",
        "gro_hw": "rx-gro-hw",
        "lro": "rx-lro",
        "rxhash": "rx-hashing",
        "rxvlan": "rx-vlan-hw-parse",
        "txvlan": "tx-vlan-hw-insert",
        "ntuple": "rx-ntuple-filter",
    }
)
#: Short words that stand for all features whose name begins so.
OFFLOAD_FAMILIES: Mapping[str, str] = MappingProxyType({"tx": "tx-checksum-", "tso": "tx-tcp"})
#: What `ethtool -k` prints for them.
_OFFLOAD_TITLES = {
    "rx-checksumming": "rx",
    "tx-checksumming": "tx",
    "scatter-gather": "sg",
    "tcp-segmentation-offload": "tso",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "rx-vlan-offload": "rxvlan",
    "tx-vlan-offload": "txvlan",
    "ntuple-filters": "ntuple",
    "receive-hashing": "rxhash",
}


def _spellings(word: str) -> set[str]:
    return {word, word.replace("-", "_"), word.replace("_", "-")}


def _field_names() -> Iterator[tuple[str, str]]:
    """What the field calls a factor, and the factor."""
    for row in SETTINGS:
        words = {row.name, row.word, row.word.rpartition(".")[2], *row.aliases}
        words |= {f"{row.group.rstrip('s')}-{row.word}", f"{row.group.rstrip('s')}.{row.word}"}
        for word in words:
            yield from ((spelling, row.name) for spelling in _spellings(word))
    for short in (*OFFLOADS, *OFFLOAD_FAMILIES):
        yield from ((spelling, f"offload.{short}") for spelling in _spellings(short))
    features = {feature: short for short, feature in OFFLOADS.items()}
    for word in (*features, *FEATURES):
        name = f"offload.{features.get(word, word)}"
        yield from ((spelling, name) for spelling in _spellings(word))
    for title, short in _OFFLOAD_TITLES.items():
        yield from ((spelling, f"offload.{short}") for spelling in _spellings(title))


def _meanings() -> dict[str, tuple[str, ...]]:
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for word, name in _field_names():
        found[word][name] = None
    return {word: (word,) if word in BY_NAME else tuple(names) for word, names in found.items()}


#: What the field calls it → the factors that this may mean; several where ethtool has it twice.
MEANINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(_meanings())
