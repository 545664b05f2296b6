/* SPDX-License-Identifier: Apache-2.0 */
/* Written by recorded_settings.py beside this file. */
#ifndef RECORDED_SETTINGS_H
#define RECORDED_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "level_forms.h"

struct recorded_setting {
	const char *factor;
	const char *paths[2]; /* the second where the first holds nothing */
	const char *overridden_by;
	bool of_time; /* or a rate */
	enum form form;
};

static const struct recorded_setting RECORDED[] = {
	{"factor.adaptive_rx", {"coalescing/adaptive_rx", NULL}, NULL, false, PLAIN},
	{"factor.adaptive_tx", {"coalescing/adaptive_tx", NULL}, NULL, false, PLAIN},
	{"delay_us", {"coalescing/rx_usecs", NULL}, "factor.adaptive_rx", true, PLAIN},
	{"factor.rx_usecs", {"coalescing/rx_usecs", NULL}, "factor.adaptive_rx", true, PLAIN},
	{"factor.rx_frames", {"coalescing/rx_frames", NULL}, "factor.adaptive_rx", false, PLAIN},
	{"factor.rx_delay_irq_us", {"coalescing/rx_usecs_irq", NULL}, "factor.adaptive_rx", true, PLAIN},
	{"factor.rx_usecs_irq", {"coalescing/rx_usecs_irq", NULL}, "factor.adaptive_rx", true, PLAIN},
	{"factor.rx_frames_irq", {"coalescing/rx_frames_irq", NULL}, "factor.adaptive_rx", false, PLAIN},
	{"factor.tx_delay_us", {"coalescing/tx_usecs", NULL}, "factor.adaptive_tx", true, PLAIN},
	{"factor.tx_usecs", {"coalescing/tx_usecs", NULL}, "factor.adaptive_tx", true, PLAIN},
	{"factor.tx_frames", {"coalescing/tx_frames", NULL}, "factor.adaptive_tx", false, PLAIN},
	{"factor.tx_delay_irq_us", {"coalescing/tx_usecs_irq", NULL}, "factor.adaptive_tx", true, PLAIN},
	{"factor.tx_usecs_irq", {"coalescing/tx_usecs_irq", NULL}, "factor.adaptive_tx", true, PLAIN},
	{"factor.tx_frames_irq", {"coalescing/tx_frames_irq", NULL}, "factor.adaptive_tx", false, PLAIN},
	{"factor.stats_block_us", {"coalescing/stats_block_usecs", NULL}, NULL, true, PLAIN},
	{"factor.stats_block_usecs", {"coalescing/stats_block_usecs", NULL}, NULL, true, PLAIN},
	{"factor.packet_rate_low", {"coalescing/pkt_rate_low", NULL}, NULL, true, PLAIN},
	{"factor.pkt_rate_low", {"coalescing/pkt_rate_low", NULL}, NULL, true, PLAIN},
	{"factor.rx_delay_low_us", {"coalescing/rx_usecs_low", NULL}, NULL, true, PLAIN},
	{"factor.rx_usecs_low", {"coalescing/rx_usecs_low", NULL}, NULL, true, PLAIN},
	{"factor.rx_frames_low", {"coalescing/rx_frames_low", NULL}, NULL, false, PLAIN},
	{"factor.tx_delay_low_us", {"coalescing/tx_usecs_low", NULL}, NULL, true, PLAIN},
	{"factor.tx_usecs_low", {"coalescing/tx_usecs_low", NULL}, NULL, true, PLAIN},
	{"factor.tx_frames_low", {"coalescing/tx_frames_low", NULL}, NULL, false, PLAIN},
	{"factor.packet_rate_high", {"coalescing/pkt_rate_high", NULL}, NULL, true, PLAIN},
	{"factor.pkt_rate_high", {"coalescing/pkt_rate_high", NULL}, NULL, true, PLAIN},
	{"factor.rx_delay_high_us", {"coalescing/rx_usecs_high", NULL}, NULL, true, PLAIN},
	{"factor.rx_usecs_high", {"coalescing/rx_usecs_high", NULL}, NULL, true, PLAIN},
	{"factor.rx_frames_high", {"coalescing/rx_frames_high", NULL}, NULL, false, PLAIN},
	{"factor.tx_delay_high_us", {"coalescing/tx_usecs_high", NULL}, NULL, true, PLAIN},
	{"factor.tx_usecs_high", {"coalescing/tx_usecs_high", NULL}, NULL, true, PLAIN},
	{"factor.tx_frames_high", {"coalescing/tx_frames_high", NULL}, NULL, false, PLAIN},
	{"factor.sample_interval_s", {"coalescing/sample_interval", NULL}, NULL, true, PLAIN},
	{"factor.sample_interval", {"coalescing/sample_interval", NULL}, NULL, true, PLAIN},
	{"factor.cqe_mode_rx", {"coalescing/cqe_mode_rx", NULL}, NULL, false, PLAIN},
	{"factor.cqe_mode_tx", {"coalescing/cqe_mode_tx", NULL}, NULL, false, PLAIN},
	{"factor.tx_aggr_bytes", {"coalescing/tx_aggr_max_bytes", NULL}, NULL, false, PLAIN},
	{"factor.tx_aggr_max_bytes", {"coalescing/tx_aggr_max_bytes", NULL}, NULL, false, PLAIN},
	{"factor.tx_aggr_frames", {"coalescing/tx_aggr_max_frames", NULL}, NULL, false, PLAIN},
	{"factor.tx_aggr_max_frames", {"coalescing/tx_aggr_max_frames", NULL}, NULL, false, PLAIN},
	{"factor.tx_aggr_delay_us", {"coalescing/tx_aggr_time_usecs", NULL}, NULL, true, PLAIN},
	{"factor.tx_aggr_time_usecs", {"coalescing/tx_aggr_time_usecs", NULL}, NULL, true, PLAIN},
	{"factor.rx_cqe_frames", {"coalescing/rx_cqe_frames", NULL}, NULL, false, PLAIN},
	{"factor.rx_cqe_delay_ns", {"coalescing/rx_cqe_nsecs", NULL}, NULL, true, PLAIN},
	{"factor.rx_cqe_nsecs", {"coalescing/rx_cqe_nsecs", NULL}, NULL, true, PLAIN},
	{"factor.dim_profile_rx", {"coalescing/rx_profile", NULL}, NULL, false, PROFILE},
	{"factor.dim_profile_tx", {"coalescing/tx_profile", NULL}, NULL, false, PROFILE},
	{"factor.ring_rx", {"ring/rx", NULL}, NULL, false, PLAIN},
	{"factor.ring_rx_mini", {"ring/rx_mini", NULL}, NULL, false, PLAIN},
	{"factor.ring_rx_jumbo", {"ring/rx_jumbo", NULL}, NULL, false, PLAIN},
	{"factor.ring_tx", {"ring/tx", NULL}, NULL, false, PLAIN},
	{"factor.rx_buf_len", {"ring/rx_buf_len", NULL}, NULL, false, PLAIN},
	{"factor.cqe_size", {"ring/cqe_size", NULL}, NULL, false, PLAIN},
	{"factor.tx_push", {"ring/tx_push", NULL}, NULL, false, PLAIN},
	{"factor.rx_push", {"ring/rx_push", NULL}, NULL, false, PLAIN},
	{"factor.tx_push_buf_len", {"ring/tx_push_buf_len", NULL}, NULL, false, PLAIN},
	{"factor.hds_thresh", {"ring/hds_thresh", NULL}, NULL, false, PLAIN},
	{"factor.queues", {"queues/combined", NULL}, NULL, false, PLAIN},
	{"factor.queues_rx", {"queues/rx", NULL}, NULL, false, PLAIN},
	{"factor.queues_tx", {"queues/tx", NULL}, NULL, false, PLAIN},
	{"factor.queues_other", {"queues/other", NULL}, NULL, false, PLAIN},
	{"factor.pause_autoneg", {"pause/autoneg", NULL}, NULL, false, PLAIN},
	{"factor.pause_rx", {"pause/rx", NULL}, "factor.pause_autoneg", false, PLAIN},
	{"factor.pause_tx", {"pause/tx", NULL}, "factor.pause_autoneg", false, PLAIN},
	{"factor.napi_defer_hard_irqs", {"napi/*/defer_hard_irqs", "napi_defer_hard_irqs"}, NULL, false, PLAIN},
	{"factor.gro_flush_timeout_ns", {"napi/*/gro_flush_timeout_ns", "gro_flush_timeout_ns"}, NULL, true, PLAIN},
	{"factor.irq_suspend_timeout_ns", {"napi/*/irq_suspend_timeout_ns", NULL}, NULL, true, PLAIN},
	{"factor.napi_threaded", {"napi/*/threaded", "napi_threaded"}, NULL, false, PLAIN},
	{"factor.busy_poll_us", {"sysctls/net.core.busy_poll", NULL}, NULL, true, PLAIN},
	{"factor.busy_read_us", {"sysctls/net.core.busy_read", NULL}, NULL, true, PLAIN},
	{"factor.netdev_budget", {"sysctls/net.core.netdev_budget", NULL}, NULL, false, PLAIN},
	{"factor.netdev_budget_us", {"sysctls/net.core.netdev_budget_usecs", NULL}, NULL, true, PLAIN},
	{"factor.dev_weight", {"sysctls/net.core.dev_weight", NULL}, NULL, false, PLAIN},
	{"factor.offload_rx", {"offloads/rx_checksum", NULL}, NULL, false, PLAIN},
	{"factor.offload_tx", {"offloads/tx_checksum", NULL}, NULL, false, PLAIN},
	{"factor.offload_sg", {"offloads/scatter_gather", NULL}, NULL, false, PLAIN},
	{"factor.offload_tso", {"offloads/tso", NULL}, NULL, false, PLAIN},
	{"factor.offload_gso", {"offloads/gso", NULL}, NULL, false, PLAIN},
	{"factor.offload_gro", {"offloads/gro", NULL}, NULL, false, PLAIN},
	{"factor.offload_gro_hw", {"offloads/gro_hw", NULL}, NULL, false, PLAIN},
	{"factor.offload_lro", {"offloads/lro", NULL}, NULL, false, PLAIN},
	{"factor.offload_rxhash", {"offloads/rxhash", NULL}, NULL, false, PLAIN},
	{"factor.offload_rxvlan", {"offloads/rxvlan", NULL}, NULL, false, PLAIN},
	{"factor.offload_txvlan", {"offloads/txvlan", NULL}, NULL, false, PLAIN},
	{"factor.offload_ntuple", {"offloads/ntuple", NULL}, NULL, false, PLAIN},
	{"mtu_bytes", {"mtu_bytes", NULL}, NULL, false, PLAIN},
	{"factor.tcp_data_split", {"ring/tcp_data_split", NULL}, NULL, false, SPLIT},
	{"factor.rss_queues", {"rss/entries", NULL}, NULL, false, SPREAD},
	{"factor.rss_hash", {"rss/hash_function", NULL}, NULL, false, PLAIN},
	{"factor.rps_cpus", {"rps_cpus/*", NULL}, NULL, false, CPU_MASK},
	{"factor.xps_cpus", {"xps_cpus/*", NULL}, NULL, false, CPU_MASK},
	{"factor.rps_flows", {"rfs/flow_count/*", NULL}, NULL, false, PLAIN},
	{"factor.rps_sock_flows", {"rfs/sock_flow_entries", NULL}, NULL, false, PLAIN},
	{"factor.irq_cpus", {"interrupt_affinity/*", NULL}, NULL, false, CPU_LIST},
	{"factor.napi_cpus", {"napi/*/cpus", NULL}, NULL, false, CPU_LIST},
	{"factor.governor", {"governors", NULL}, NULL, false, COUNTED},
	{"factor.turbo", {"turbo", NULL}, NULL, false, PLAIN},
	{"factor.deepest_idle_state", {"idle_states", "idle_state_sets/*/states"}, NULL, false, IDLE_STATES},
	{"factor.irqbalance", {"irqbalance", NULL}, NULL, false, PLAIN},
};

/* Levels of rx-usecs that are ways to adapt the delay. */
static const struct {
	const char *driver;
	unsigned int usecs;
} USECS_MODES[] = {
	{"e1000", 1},
	{"e1000", 3},
	{"e1000", 4},
	{"e1000e", 1},
	{"e1000e", 3},
	{"e1000e", 4},
	{"igb", 1},
	{"igb", 3},
	{"igc", 1},
	{"igc", 3},
	{"ixgbe", 1},
};

#endif
