// SPDX-License-Identifier: GPL-2.0
/*
 * What counting costs on this machine: the probes themselves, called for a device that does not exist, as they are for one
 * that is monitored. What the kernel does around a call, and caches that are cold, come on top.
 *
 * The time that it takes is counted as that of interrupts of others.
 */
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <asm/tsc.h>

#include "contexts.h"
#include "cost.h"
#include "frames.h"
#include "interrupts.h"
#include "monitor.h"

#define TURNS 200
#define ROUNDS 5 /* the best counts: interrupts disturb the others */
#define NO_LINE INT_MAX

/* What an event of the device consists of. */
struct stand_in {
	struct net_device *device;
	struct napi_struct *napi;
	struct sk_buff *skb;
	struct irqaction *action;
};

static DEFINE_MUTEX(cost_lock);
static struct probe_cost last_cost;

static void free_stand_in(struct stand_in *stand_in)
{
	kfree(stand_in->action);
	kfree(stand_in->napi);
	kfree_skb(stand_in->skb);
	if (stand_in->device)
		free_netdev(stand_in->device);
}

static bool make_stand_in(struct stand_in *stand_in)
{
	*stand_in = (struct stand_in){
		.device = alloc_netdev(0, "probes", NET_NAME_UNKNOWN, ether_setup),
		.napi = kzalloc(sizeof(*stand_in->napi), GFP_KERNEL),
		.skb = alloc_skb(ETH_ZLEN, GFP_KERNEL),
		.action = kzalloc(sizeof(*stand_in->action), GFP_KERNEL),
	};
	if (!stand_in->device || !stand_in->napi || !stand_in->skb || !stand_in->action) {
		free_stand_in(stand_in);
		return false;
	}
	stand_in->napi->dev = stand_in->device;
	stand_in->action->dev_id = stand_in->device;
	stand_in->skb->dev = stand_in->device;
	skb_reset_mac_header(stand_in->skb);
	skb_put_zero(stand_in->skb, ETH_ZLEN);
	skb_pull(stand_in->skb, ETH_HLEN);
	return true;
}

static void interrupt(const struct stand_in *stand_in)
{
	unsigned long flags;

	local_irq_save(flags);
	on_irq_handler_entry(NULL, NO_LINE, stand_in->action);
	napi_scheduled(stand_in->napi);
	on_irq_handler_exit(NULL, NO_LINE, stand_in->action, IRQ_HANDLED);
	local_irq_restore(flags);
}

/* Returns the cycles that these frames took after the first. */
static u64 poll(const struct stand_in *stand_in, unsigned int further_frames)
{
	unsigned int i;
	u64 began;

	on_softirq_entry(NULL, NET_RX_SOFTIRQ);
	on_napi_frame(NULL, stand_in->skb);
	began = get_cycles();
	for (i = 0; i < further_frames; i++)
		on_napi_frame(NULL, stand_in->skb);
	began = get_cycles() - began;
	on_napi_poll(NULL, stand_in->napi, 1 + further_frames, NAPI_POLL_WEIGHT);
	on_softirq_exit(NULL, NET_RX_SOFTIRQ);
	return began;
}

static u32 ns_each(u64 cycles)
{
	return DIV_ROUND_CLOSEST_ULL(cycles * USEC_PER_SEC, (u64)tsc_khz * TURNS);
}

static struct probe_cost one_round(const struct stand_in *stand_in)
{
	u64 began, interrupted, polled, frames;
	unsigned int i;

	local_bh_disable(); /* softirqs that come meanwhile wait */
	began = get_cycles();
	for (i = 0; i < TURNS; i++)
		interrupt(stand_in);
	interrupted = get_cycles();
	for (i = 0; i < TURNS; i++)
		poll(stand_in, 0);
	polled = get_cycles();
	frames = poll(stand_in, TURNS);
	local_bh_enable();
	return (struct probe_cost){ .irq = ns_each(interrupted - began),
				    .poll = ns_each(polled - interrupted),
				    .frame = ns_each(frames) };
}

static struct probe_cost best_round(const struct stand_in *stand_in)
{
	struct probe_cost best = { U32_MAX, U32_MAX, U32_MAX };
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		struct probe_cost cost = one_round(stand_in);

		best.irq = min(best.irq, cost.irq);
		best.poll = min(best.poll, cost.poll);
		best.frame = min(best.frame, cost.frame);
	}
	return best;
}

/**
 * measure_probe_cost() - find out what an interrupt, a poll and a frame cost more while they are counted
 *
 * Context: Process context; takes rtnl, sleeps. The probes are on. Without memory, or with all places taken by monitored
 * interfaces, what was measured before stays.
 */
void measure_probe_cost(void)
{
	struct stand_in stand_in;
	struct monitor *monitor;

	mutex_lock(&cost_lock);
	if (make_stand_in(&stand_in)) {
		monitor = monitor_stand_in(stand_in.device);
		if (!IS_ERR(monitor)) {
			last_cost = best_round(&stand_in);
			monitor_put(monitor);
		}
		free_stand_in(&stand_in);
	}
	mutex_unlock(&cost_lock);
}

struct probe_cost probe_cost(void)
{
	struct probe_cost cost;

	mutex_lock(&cost_lock);
	cost = last_cost;
	mutex_unlock(&cost_lock);
	return cost;
}
