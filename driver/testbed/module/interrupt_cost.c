// SPDX-License-Identifier: GPL-2.0
#include <linux/interrupt.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>
#include <asm/tsc.h>

#include "interrupt_cost.h"

#define CALIBRATION_TURNS (1u << 16)
/* After the probes of the snapshot module: these then see the cost as part of the handler. */
#define LAST_PRIORITY 0

static struct tracepoint *entry;
static bool registered;
static char handler[WIRE_NAME_BYTES];
static u32 turns;

/* Instructions only: reading the time stamp counter in a loop is what slows an emulator most. */
static noinline void spin(u32 count)
{
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(count));
}

static void on_irq_handler_entry(void *data, int irq, struct irqaction *action)
{
	if (turns && action->name && !strcmp(action->name, handler))
		spin(turns);
}

static u32 turns_of(u32 cost_ns)
{
	u64 cycles = get_cycles();

	spin(CALIBRATION_TURNS);
	cycles = max_t(u64, get_cycles() - cycles, 1);
	return div64_u64((u64)cost_ns * tsc_khz / 1000 * CALIBRATION_TURNS, cycles * 1000);
}

static void match_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "irq_handler_entry"))
		entry = tracepoint;
}

void interrupt_cost_remove(void)
{
	if (registered)
		tracepoint_probe_unregister(entry, on_irq_handler_entry, NULL);
	tracepoint_synchronize_unregister();
	registered = false;
}

int interrupt_cost_set(const struct wire_interrupt_cost *cost)
{
	int error;

	if (strnlen(cost->handler, sizeof(handler)) == sizeof(handler))
		return -EINVAL;
	interrupt_cost_remove();
	if (!cost->cost_ns)
		return 0;
	for_each_kernel_tracepoint(match_tracepoint, NULL);
	if (!entry)
		return -EOPNOTSUPP;
	strscpy(handler, cost->handler, sizeof(handler));
	turns = turns_of(cost->cost_ns);
	error = tracepoint_probe_register_prio(entry, on_irq_handler_entry, NULL, LAST_PRIORITY);
	registered = !error;
	return error;
}
