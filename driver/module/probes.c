// SPDX-License-Identifier: GPL-2.0
/*
 * Probes are on while at least one file is attached, and cost nothing otherwise.
 */
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/tracepoint.h>
#include <trace/events/irq.h>
#include <trace/events/napi.h>
#include <trace/events/net.h>
#include <trace/events/sched.h>
#include <asm/trace/irq_vectors.h>

#include "contexts.h"
#include "frames.h"
#include "interrupts.h"
#include "probes.h"

struct probe {
	const char *tracepoint;
	void *called;
	bool optional; /* not in every kernel, and nothing is lost where the kernel has no such thing */
	struct tracepoint *found;
};

/* Exits before entries: an exit without its entry is recognised, an entry without its exit is not. */
static struct probe probes[] = {
	{ "irq_handler_exit", on_irq_handler_exit },
	{ "softirq_exit", on_softirq_exit },
	{ "local_timer_exit", on_vector_exit, true },
	{ "reschedule_exit", on_vector_exit, true },
	{ "call_function_exit", on_vector_exit, true },
	{ "call_function_single_exit", on_vector_exit, true },
	{ "irq_work_exit", on_vector_exit, true },
	{ "irq_handler_entry", on_irq_handler_entry },
	{ "softirq_entry", on_softirq_entry },
	{ "local_timer_entry", on_vector_entry, true },
	{ "reschedule_entry", on_vector_entry, true },
	{ "call_function_entry", on_vector_entry, true },
	{ "call_function_single_entry", on_vector_entry, true },
	{ "irq_work_entry", on_vector_entry, true },
	{ "sched_switch", on_sched_switch },
	{ "net_dev_xmit", on_xmit },
	{ "net_dev_start_xmit", on_start_xmit },
	{ "napi_poll", on_napi_poll },
	{ "napi_gro_receive_entry", on_napi_frame },
	{ "napi_gro_frags_entry", on_napi_frame },
	{ "netif_receive_skb_entry", on_napi_frame },
	{ "netif_receive_skb_list_entry", on_napi_frame },
	{ "netif_rx_entry", on_netif_rx },
};

/*
 * Never called. Tracepoints are found by name, so that nothing else would tell that those of another kernel have other
 * arguments: here the compiler does.
 */
static void __maybe_unused compare_arguments(void)
{
	check_trace_callback_type_irq_handler_entry(on_irq_handler_entry);
	check_trace_callback_type_irq_handler_exit(on_irq_handler_exit);
	check_trace_callback_type_softirq_entry(on_softirq_entry);
	check_trace_callback_type_softirq_exit(on_softirq_exit);
	check_trace_callback_type_sched_switch(on_sched_switch);
	check_trace_callback_type_net_dev_xmit(on_xmit);
	check_trace_callback_type_net_dev_start_xmit(on_start_xmit);
	check_trace_callback_type_napi_poll(on_napi_poll);
	check_trace_callback_type_napi_gro_receive_entry(on_napi_frame);
	check_trace_callback_type_napi_gro_frags_entry(on_napi_frame);
	check_trace_callback_type_netif_receive_skb_entry(on_napi_frame);
	check_trace_callback_type_netif_receive_skb_list_entry(on_napi_frame);
	check_trace_callback_type_netif_rx_entry(on_netif_rx);
	check_trace_callback_type_local_timer_entry(on_vector_entry);
	check_trace_callback_type_local_timer_exit(on_vector_exit);
}

/* There is no tracepoint where NAPI is scheduled. PERMANENT: refuse rather than count nothing when ftrace is off. */
static struct ftrace_ops schedule_probe = {
	.func = on_napi_schedule,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

static DEFINE_MUTEX(probes_lock);
static unsigned int users;

static void tracepoints_off(unsigned int count)
{
	while (count--)
		if (probes[count].found)
			tracepoint_probe_unregister(probes[count].found, probes[count].called, NULL);
	tracepoint_synchronize_unregister();
}

static int tracepoints_on(void)
{
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].found)
			continue;
		error = tracepoint_probe_register(probes[i].found, probes[i].called, NULL);
		if (error) {
			pr_err("tracepoint %s cannot be used: %d\n", probes[i].tracepoint, error);
			tracepoints_off(i);
			return error;
		}
	}
	return 0;
}

static int probes_on(void)
{
	int error = register_ftrace_function(&schedule_probe);

	if (error) {
		pr_err("ftrace cannot be used: %d (is the sysctl kernel.ftrace_enabled 0?)\n", error);
		return error;
	}
	error = tracepoints_on();
	if (error) {
		unregister_ftrace_function(&schedule_probe);
		return error;
	}
	start_counting_cycles();
	return 0;
}

static void probes_off(void)
{
	tracepoints_off(ARRAY_SIZE(probes));
	unregister_ftrace_function(&schedule_probe);
}

int probes_get(void)
{
	int error = 0;

	mutex_lock(&probes_lock);
	if (!users)
		error = probes_on();
	if (!error)
		users++;
	mutex_unlock(&probes_lock);
	return error;
}

void probes_put(void)
{
	mutex_lock(&probes_lock);
	if (!--users)
		probes_off();
	mutex_unlock(&probes_lock);
}

static void match_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(probes[i].tracepoint, tracepoint->name))
			probes[i].found = tracepoint;
}

/* The filter is memory that outlives the module, else. */
void probes_exit(void)
{
	ftrace_free_filter(&schedule_probe);
}

static int filter_schedule_probe(void)
{
	int error = ftrace_set_filter_ip(&schedule_probe, (unsigned long)__napi_schedule, 0, 0);

	if (!error)
		error = ftrace_set_filter_ip(&schedule_probe,
					     (unsigned long)__napi_schedule_irqoff, 0, 0);
	if (error) {
		pr_err("this kernel does not let ftrace see NAPI being scheduled: %d\n", error);
		probes_exit();
	}
	return error;
}

int probes_init(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].found && !probes[i].optional) {
			pr_err("this kernel has no tracepoint %s\n", probes[i].tracepoint);
			return -EOPNOTSUPP;
		}
	}
	return filter_schedule_probe();
}
