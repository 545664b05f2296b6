/* SPDX-License-Identifier: Apache-2.0 */
#include "source_set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counter_names.h"
#include "cpu_account.h"
#ifdef HAVE_EBPF
#include "ebpf_source.h"
#endif
#include "notes.h"
#include "terminal.h"
#include "threaded_interrupts.h"

/* Counts the source that was just opened, or takes back what a failed one has added. */
static int keep(struct source_set *set, int status)
{
	if (!status) {
		set->count++;
		set->columns = set->layout.count;
	}
	record_layout_shorten(&set->layout, set->columns);
	return status;
}

static struct source *next(struct source_set *set)
{
	return &set->sources[set->count];
}

/* --- where the counters can come from, the best first --- */

static int open_module(struct source_set *set, const char *interface)
{
	const struct source *module = next(set);
	int status = keep(set, module_source_open(next(set), &set->layout, interface, &set->facts));

	if (status)
		return status;
	module_driver_source_open(next(set), &set->layout, module);
	return keep(set, 0);
}

static int open_ebpf(struct source_set *set, const char *interface)
{
#ifdef HAVE_EBPF
	return keep(set, ebpf_source_open(next(set), &set->layout, interface, set->follow, &set->facts));
#else
	(void)set;
	(void)interface;
	return -ENOSYS;
#endif
}

/* The sources that are opened in any case are all that this one needs. */
static int open_proc(struct source_set *set, const char *interface)
{
	(void)set;
	(void)interface;
	return 0;
}

static const char *why_no_module(int status)
{
	switch (-status) {
	case ENOENT:
	case ENXIO:
		return "the kernel module is not loaded: modprobe coalescope, once it is built and installed "
		       "(docs/kernel-module.md)";
	case EACCES:
	case EPERM:
		return "not permitted to read /dev/coalescope and attach to it: run as root, or with CAP_NET_ADMIN";
	case ENODEV:
		return "the kernel module does not find this interface";
	case EOPNOTSUPP:
		return "this interface receives through another one below it (VLAN, bond, virtual function): record that one";
	case EINVAL:
	case ENOTTY:
	case EPROTO:
		return "/dev/coalescope answers what this version does not understand: install module and logger of "
		       "one version";
	default:
		return strerror(-status);
	}
}

static const char *why_no_ebpf(int status)
{
	switch (-status) {
	case ENOSYS:
#ifdef EBPF_MISSING
		return "this logger was built without eBPF, for want of " EBPF_MISSING ": install these packages, and "
		       "build it again (make logger)";
#else
		return "this logger was built without eBPF (EBPF=0)";
#endif
	case EACCES:
	case EPERM:
		return "not permitted to load eBPF programs: run as root, or with CAP_BPF, CAP_PERFMON and "
		       "CAP_NET_ADMIN";
	case EOPNOTSUPP:
		return "only for interfaces of Ethernet's kind that receive for themselves";
	case EMEDIUMTYPE:
		return "this interface receives through a virtual function, past the point where frames are counted: "
		       "record the function's own interface (ip link shows it with this one as its master)";
	case ENOENT:
		return "this kernel does not describe its types (no /sys/kernel/btf/vmlinux) or lacks a place to count "
		       "at";
	default:
		return strerror(-status);
	}
}

static const char *no_reason(int status)
{
	return strerror(-status);
}

static const struct candidate {
	const char *name;
	int (*open)(struct source_set *set, const char *interface);
	const char *(*why_not)(int status);
} CANDIDATES[] = {
	{"module", open_module, why_no_module},
	{"ebpf", open_ebpf, why_no_ebpf},
	{"proc", open_proc, no_reason},
};
enum { CANDIDATE_COUNT = sizeof(CANDIDATES) / sizeof(*CANDIDATES) };

static void refuse(struct source_set *set, const char *name, const char *reason)
{
	if (!set->refused.length)
		json_open(&set->refused, '{');
	json_member_string(&set->refused, name, reason);
}

static void report(const struct source_set *set, const char *const *reasons)
{
	size_t i;

	note("counters come from %s", set->taken);
	for (i = 0; i < CANDIDATE_COUNT && strcmp(CANDIDATES[i].name, set->taken) != 0; i++)
		note_more("not from %s: %s", CANDIDATES[i].name, reasons[i]);
}

static void open_best(struct source_set *set, const char *interface)
{
	const char *reasons[CANDIDATE_COUNT] = {NULL};
	size_t i;

	for (i = 0; i < CANDIDATE_COUNT && !set->taken; i++) {
		int status = CANDIDATES[i].open(set, interface);

		if (!status) {
			set->taken = CANDIDATES[i].name;
			continue;
		}
		reasons[i] = CANDIDATES[i].why_not(status);
		refuse(set, CANDIDATES[i].name, reasons[i]);
	}
	if (set->refused.length)
		json_close(&set->refused, '}');
	report(set, reasons);
}

static bool open_named(struct source_set *set, const char *wanted, const char *interface)
{
	const struct candidate *candidate = CANDIDATES;
	int status;

	while (strcmp(candidate->name, wanted) != 0)
		candidate++;
	status = candidate->open(set, interface);
	if (status)
		print_line(stderr, "coalescope-logger: --source %s: %s", wanted, candidate->why_not(status));
	set->taken = candidate->name;
	return !status;
}

/* Without eBPF for want of packages, each log says which: not everybody who reads it has built the logger. */
static void tell_missing(struct source_set *set)
{
#ifdef EBPF_MISSING
	json_member_string(&set->facts, "ebpf_missing", EBPF_MISSING);
#else
	(void)set;
#endif
}

/* --- what they leave open --- */

static bool counters_missing(const struct record_layout *layout)
{
	size_t i;

	for (i = 0; i < COUNTER_COUNT; i++)
		if (!record_layout_has(layout, COUNTERS[i].name))
			return true;
	return false;
}

static int open_counters(struct source_set *set, const char *counters, const char *interface)
{
	bool any = !strcmp(counters, "auto");
	int status = -ENOENT;

	if (!counters_missing(&set->layout))
		return 0;
	if (any || !strcmp(counters, "netlink"))
		status = netlink_source_open(next(set), &set->layout, interface);
	if (status && (any || !strcmp(counters, "sysfs")))
		status = sysfs_source_open(next(set), &set->layout, interface);
	return keep(set, status);
}

/* From the next source on, not all are read for every sample. */
static void begin_lines(struct source_set *set)
{
	set->lines = set->count;
	set->seldom = set->columns;
}

static void tell_how_seldom(struct source_set *set, size_t first)
{
	size_t i;

	for (i = first; set->read_every_ns && i < set->columns; i++)
		json_member_integer(&set->layout.columns[i].attributes, "read_every_ns", (int64_t)set->read_every_ns);
}

static void tell_read_with_frames(struct source_set *set)
{
	size_t i;

	for (i = set->seldom; set->read_every_ns && i < set->columns; i++)
		json_member_bool(&set->layout.columns[i].attributes, "read_with_frames", true);
}

static bool open_rest(struct source_set *set, const char *counters, const char *interface)
{
	bool counted = record_layout_has(&set->layout, "rx_bytes");
	int status;

	keep(set, clock_source_open(next(set), &set->layout));
	if (counted && interrupts_are_threads())
		note("receive interrupts and CPU time of %s are not known: handlers of interrupts are threads here "
		     "(threadirqs)", interface);
	if (counted) /* what the system's counters and the lines add is there to compare */
		begin_lines(set);
	set->surroundings = set->count;
	set->counters = set->columns;
	status = open_counters(set, counters, interface);
	if (status) {
		print_line(stderr, "coalescope-logger: the interface's counters cannot be read: %s",
			   strerror(-status));
		return false;
	}
	/* these may be absent */
	if (!counted)
		begin_lines(set);
	keep(set, interrupt_source_open(next(set), &set->layout, interface));
	if (!counted) {
		tell_read_with_frames(set);
		set->surroundings = set->count;
	}
	keep(set, other_interrupt_source_open(next(set), &set->layout, interface));
	keep(set, cpu_source_open(next(set), &set->layout));
	keep(set, loss_source_open(next(set), &set->layout));
	keep(set, energy_source_open(next(set), &set->layout));
	set->often = set->count;
	tell_how_seldom(set, set->seldom);
	if (!record_layout_has(&set->layout, "rx_interrupts") && !record_layout_has(&set->layout, "rx_line_interrupts"))
		note("no interrupts of %s can be found: the log has none", interface);
	return true;
}

bool source_set_open(struct source_set *set, const char *wanted, const char *counters, const char *interface,
		     bool follow, uint64_t read_every_ns)
{
	*set = (struct source_set){.follow = follow, .read_every_ns = read_every_ns};
	tell_missing(set);
	if (!strcmp(wanted, "auto"))
		open_best(set, interface);
	else if (!open_named(set, wanted, interface))
		return false;
	return open_rest(set, counters, interface);
}

void source_set_add_workload(struct source_set *set, struct cpu_account *account)
{
	size_t column = set->columns;

	if (keep(set, workload_source_open(next(set), &set->layout, account)) || !cpu_account_forgets_nothing(account))
		return;
	set->often = set->count;
	tell_how_seldom(set, column);
}

static int sample_until(struct source_set *set, size_t i, size_t end, uint64_t *values, const char **failed)
{
	for (; i < end; i++) {
		int status = set->sources[i].sample(&set->sources[i], values);

		if (status) {
			*failed = set->sources[i].name;
			return status;
		}
	}
	return 0;
}

int source_set_sample(struct source_set *set, uint64_t *values, const char **failed)
{
	const uint64_t *counters = values + set->counters;
	const size_t bytes = (set->seldom - set->counters) * sizeof(*values);
	uint64_t before[COUNTER_COUNT];
	int status;

	memcpy(before, counters, bytes);
	status = sample_until(set, 0, set->lines, values, failed);
	set->moved = memcmp(before, counters, bytes) != 0;
	return status;
}

int source_set_sample_surroundings(struct source_set *set, uint64_t *values, bool whole, const char **failed)
{
	int status = 0;

	if (whole)
		return sample_until(set, set->lines, set->count, values, failed);
	if (set->moved)
		status = sample_until(set, set->lines, set->surroundings, values, failed);
	return status ? status : sample_until(set, set->often, set->count, values, failed);
}

void source_set_close(struct source_set *set)
{
	while (set->count) {
		struct source *source = &set->sources[--set->count];

		if (source->close)
			source->close(source);
	}
	record_layout_free(&set->layout);
	text_free(&set->refused);
	text_free(&set->facts);
}
