/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf_source.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "coalescope.skel.h"
#include "counters.h"
#include "ethtool_query.h"
#include "interface.h"
#include "notes.h"
#include "text_file.h"

enum { MOST_TRIES = 1000, MOST_LINES = 1024, COST_ROUNDS = 5 };
static const uint64_t LOOK_EVERY_NS = 1000000000;

/* What all CPUs have counted together. */
struct totals {
	uint64_t rx_bytes, rx_packets, tx_bytes, tx_packets, rx_skbs, tx_skbs;
	uint64_t interrupts, rx_interrupts, schedules;
	uint64_t polls, rx_polls, poll_work;
	uint64_t idle_ns, task_ns, workload_ns, other_task_ns, irq_ns, softirq_ns, other_irq_ns, unknown_ns;
	uint64_t missed_events, retries;
};

/* What a kernel, an interface or a recording may lack. */
enum need { ALWAYS = 0, LINES = 1, SCHEDULES = 2, TIMES = 4, WORKLOAD = 8 };

#define FIELD(name, unit, kind, needs) {#name, unit, kind, needs, offsetof(struct totals, name)}
static const struct field {
	const char *name;
	const char *unit;
	enum column_kind kind;
	unsigned int needs;
	size_t offset;
} FIELDS[] = {
	FIELD(rx_bytes, "bytes", COLUMN_COUNTER, ALWAYS),
	FIELD(rx_packets, "packets", COLUMN_COUNTER, ALWAYS),
	FIELD(tx_bytes, "bytes", COLUMN_COUNTER, ALWAYS),
	FIELD(tx_packets, "packets", COLUMN_COUNTER, ALWAYS),
	FIELD(rx_skbs, "skbs", COLUMN_COUNTER, ALWAYS),
	FIELD(tx_skbs, "skbs", COLUMN_COUNTER, ALWAYS),
	FIELD(interrupts, "interrupts", COLUMN_COUNTER, LINES),
	FIELD(rx_interrupts, "interrupts", COLUMN_COUNTER, LINES | SCHEDULES),
	FIELD(schedules, "schedules", COLUMN_COUNTER, LINES | SCHEDULES),
	FIELD(polls, "polls", COLUMN_COUNTER, ALWAYS),
	FIELD(rx_polls, "polls", COLUMN_COUNTER, ALWAYS),
	FIELD(poll_work, "packets", COLUMN_COUNTER, ALWAYS),
	FIELD(idle_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(task_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(workload_ns, "ns", COLUMN_COUNTER, TIMES | WORKLOAD),
	FIELD(other_task_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(irq_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(softirq_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(other_irq_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(unknown_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(missed_events, "events", COLUMN_COUNTER, ALWAYS),
	FIELD(retries, "1", COLUMN_GAUGE, ALWAYS),
};
#undef FIELD
enum { FIELD_COUNT = sizeof(FIELDS) / sizeof(*FIELDS) };

struct state {
	struct coalescope_bpf *programs;
	struct cpu_counters *cpus; /* mapped: all CPUs, as they count */
	size_t cpu_count;
	size_t mapped_bytes;
	int socket; /* of the interface's namespace */
	int index;
	unsigned int lines[MOST_LINES]; /* message-signalled, so nobody else's */
	size_t line_count;
	unsigned int has; /* enum need */
	uint64_t torn;    /* copies that were used although the CPU had changed them meanwhile */
	uint64_t skipped; /* runs of programs */
	uint64_t looked_ns;
	struct totals last;
};

/* --- what can be observed --- */

static bool ask_driver(int fd, const char *interface, struct ethtool_drvinfo *info)
{
	struct ifreq request = {.ifr_data = (char *)info};

	info->cmd = ETHTOOL_GDRVINFO;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	return !ioctl(fd, SIOCETHTOOL, &request);
}

static bool is_ethernet(int fd, const char *interface)
{
	struct ifreq request = {0};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	return !ioctl(fd, SIOCGIFHWADDR, &request) && request.ifr_hwaddr.sa_family == ARPHRD_ETHER;
}

/* These take frames over from another interface inside the stack, after the point where they are counted. */
static bool receives_through_another(const struct ethtool_drvinfo *info)
{
	static const char *const drivers[] = {"802.1Q VLAN Support", "bonding", "team", "macvlan", "ipvlan", "vrf"};
	size_t i;

	for (i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(info->driver, drivers[i]))
			return true;
	return false;
}

/* A virtual function receives for them, and they take over inside the stack: net_failover always, Hyper-V's if it has one. */
static bool has_virtual_function(const struct ethtool_drvinfo *info, const char *interface)
{
	return !strcmp(info->driver, "net_failover") ||
	       (!strcmp(info->driver, "hv_netvsc") && interface_has_lower(interface));
}

/* The interrupt lines of a PCI device, which /sys shows whatever the network namespace. */
static void find_lines(struct state *state, const char *bus)
{
	char path[128];
	uint64_t line;
	struct dirent *entry;
	DIR *directory;

	if (!*bus)
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_irqs", bus);
	directory = opendir(path);
	while (directory && state->line_count < MOST_LINES && (entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			state->lines[state->line_count++] = (unsigned int)strtoul(entry->d_name, NULL, 10);
	if (directory)
		closedir(directory);
	if (state->line_count)
		state->has |= LINES;
	else if (read_unsigned(&line, "/sys/bus/pci/devices/%s/irq", bus) && line)
		state->has |= LINES;
}

static int examine(struct state *state, const char *interface)
{
	struct ethtool_drvinfo info = {0};

	state->index = (int)interface_index(interface);
	if (!state->index)
		return -ENODEV;
	state->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (state->socket < 0)
		return -errno;
	if (!is_ethernet(state->socket, interface))
		return -EOPNOTSUPP;
	if (!ask_driver(state->socket, interface, &info))
		return 0;
	if (receives_through_another(&info))
		return -EOPNOTSUPP;
	if (has_virtual_function(&info, interface))
		return -EMEDIUMTYPE;
	info.bus_info[sizeof(info.bus_info) - 1] = '\0';
	find_lines(state, info.bus_info);
	return 0;
}

/* Where soft interrupts are threads (PREEMPT_RT), whose time it is cannot be told in this way. */
static bool is_realtime_kernel(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

/* --- the programs --- */

static int quiet(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

/* Interrupts with a vector of their own: some of these x86 has, others depend on the kernel's configuration. */
static bool is_of_vector(const struct coalescope_bpf *programs, const struct bpf_program *program)
{
	const struct bpf_program *const of_vectors[] = {
		programs->progs.on_local_timer,          programs->progs.on_local_timer_end,
		programs->progs.on_reschedule,           programs->progs.on_reschedule_end,
		programs->progs.on_call_function,        programs->progs.on_call_function_end,
		programs->progs.on_call_function_single, programs->progs.on_call_function_single_end,
		programs->progs.on_irq_work,             programs->progs.on_irq_work_end,
		programs->progs.on_thermal_apic,         programs->progs.on_thermal_apic_end,
	};
	size_t i;

	for (i = 0; i < sizeof(of_vectors) / sizeof(*of_vectors); i++)
		if (program == of_vectors[i])
			return true;
	return false;
}

/* Programs at tracepoints that this kernel does not have are left out, if counters do without. */
static int choose_programs(struct coalescope_bpf *programs, bool with_schedules)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	struct bpf_program *program;
	int status = 0;

	if (libbpf_get_error(kernel))
		return -ENOENT;
	bpf_program__set_autoload(programs->progs.measure_cost,
				  libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) == 1);
	bpf_program__set_autoload(programs->progs.on_schedule, with_schedules);
	bpf_program__set_autoload(programs->progs.on_schedule_irqoff, with_schedules);
	bpf_object__for_each_program(program, programs->obj) {
		static const char prefix[] = "tp_btf/";
		const char *section = bpf_program__section_name(program);
		char type[64];

		if (strncmp(section, prefix, sizeof(prefix) - 1))
			continue;
		snprintf(type, sizeof(type), "btf_trace_%s", section + sizeof(prefix) - 1);
		if (btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF) > 0)
			continue;
		if (is_of_vector(programs, program))
			bpf_program__set_autoload(program, false);
		else
			status = -ENOENT;
	}
	btf__free(kernel);
	return status;
}

static int load(struct state *state, bool with_schedules)
{
	int cpus = libbpf_num_possible_cpus();
	struct coalescope_bpf *programs;
	struct stat namespace;
	int status;

	if (cpus < 0)
		return cpus;
	if (stat("/proc/self/ns/net", &namespace))
		return -errno;
	programs = coalescope_bpf__open();
	if (!programs)
		return -errno;
	programs->rodata->interface_index = state->index;
	programs->rodata->namespace_inode = (unsigned int)namespace.st_ino;
	programs->rodata->with_schedules = with_schedules;
	state->cpu_count = (size_t)cpus;
	status = bpf_map__set_max_entries(programs->maps.cpus, (unsigned int)cpus);
	if (!status)
		status = choose_programs(programs, with_schedules);
	if (!status)
		status = coalescope_bpf__load(programs);
	if (!status)
		status = coalescope_bpf__attach(programs);
	if (status) {
		coalescope_bpf__destroy(programs);
		return status;
	}
	state->programs = programs;
	return 0;
}

/* Some kernels allow tracepoints only: then it stays unknown which interrupts scheduled NAPI. */
static int load_best(struct state *state)
{
	int status = load(state, true);

	if (!status) {
		state->has |= SCHEDULES;
		return 0;
	}
	return load(state, false) ? status : 0;
}

static int map_counters(struct state *state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped;

	state->mapped_bytes = (state->cpu_count * sizeof(*state->cpus) + page - 1) / page * page;
	mapped = mmap(NULL, state->mapped_bytes, PROT_READ, MAP_SHARED,
		      bpf_map__fd(state->programs->maps.cpus), 0);
	if (mapped == MAP_FAILED)
		return -errno;
	state->cpus = mapped;
	return 0;
}

/* CPUs that are off do not answer; they begin to count when they are switched on. */
static void start_cpus(const struct state *state)
{
	int program = bpf_program__fd(state->programs->progs.start_cpu);
	unsigned int cpu;

	for (cpu = 0; cpu < state->cpu_count; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, once, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);

		bpf_prog_test_run_opts(program, &once);
	}
}

/* From here on, what this process starts is the workload. */
static int follow_children(struct state *state)
{
	LIBBPF_OPTS(bpf_test_run_opts, here);

	state->has |= WORKLOAD;
	return bpf_prog_test_run_opts(bpf_program__fd(state->programs->progs.follow_caller), &here);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void add_cost(struct text *facts, const char *name, uint64_t of_all_turns)
{
	json_member_integer(facts, name, (int64_t)((of_all_turns + PROBE_COST_TURNS / 2) / PROBE_COST_TURNS));
}

/* What an interrupt, a poll and a frame cost with these programs: the best of a few, as others disturb it. */
static void measure_cost(const struct state *state, struct text *facts)
{
	const struct coalescope_bpf *programs = state->programs;
	uint64_t irq = UINT64_MAX, poll = UINT64_MAX, frame = UINT64_MAX;
	int round;

	if (!bpf_program__autoload(programs->progs.measure_cost))
		return;
	for (round = 0; round < COST_ROUNDS; round++) {
		LIBBPF_OPTS(bpf_test_run_opts, here);

		if (bpf_prog_test_run_opts(bpf_program__fd(programs->progs.measure_cost), &here))
			return;
		irq = least(irq, programs->bss->probe_cost.irq);
		poll = least(poll, programs->bss->probe_cost.poll);
		frame = least(frame, programs->bss->probe_cost.frame);
	}
	json_name(facts, "probe_cost");
	json_open(facts, '{');
	add_cost(facts, "irq_ns", irq);
	add_cost(facts, "poll_ns", poll);
	add_cost(facts, "frame_ns", frame);
	json_close(facts, '}');
}

static int announce_lines(const struct state *state)
{
	struct {
		uint64_t action, irq;
	} handler = {0};
	uint32_t known = 1;
	size_t i;

	for (i = 0; i < state->line_count; i++) {
		handler.irq = state->lines[i];
		if (bpf_map__update_elem(state->programs->maps.handlers, &handler, sizeof(handler), &known,
					 sizeof(known), BPF_ANY))
			return -errno;
	}
	return 0;
}

/* --- sampling --- */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t sequence(const uint32_t *of)
{
	return __atomic_load_n(of, __ATOMIC_ACQUIRE);
}

/* Copies a CPU's counters, and the time now; false if the CPU changed them meanwhile. */
static bool copy(struct cpu_counters *into, const struct cpu_counters *from, uint64_t *now)
{
	uint32_t hard = sequence(&from->hard_sequence), soft = sequence(&from->soft_sequence);

	memcpy(into, from, sizeof(*into));
	*now = now_ns(CLOCK_MONOTONIC); /* the clock of bpf_ktime_get_ns() */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !((hard | soft) & 1) && sequence(&from->hard_sequence) == hard &&
	       sequence(&from->soft_sequence) == soft;
}

/*
 * Time that the running task has had since it was last charged. That of an interrupt in progress is charged when it ends,
 * because only then it is certain whose it is; so the times lag behind by as much.
 */
static void charge_running(struct cpu_counters *cpu, uint64_t now)
{
	uint64_t edge = now, clock;

	if (!cpu->counting || cpu->task_owner >= TASK_OWNERS)
		return;
	if (cpu->hard_since_ns)
		edge = cpu->hard_since_ns;
	clock = edge - cpu->hard_total_ns - cpu->soft_total_ns;
	if (cpu->softirq)
		clock -= edge - cpu->hard_total_ns - cpu->soft_since_ns;
	if ((int64_t)(clock - cpu->task_since_ns) > 0)
		cpu->task_ns[cpu->task_owner] += clock - cpu->task_since_ns;
}

static void add(struct totals *totals, const struct cpu_counters *cpu)
{
	totals->rx_bytes += cpu->rx_bytes;
	totals->rx_packets += cpu->rx_packets;
	totals->tx_bytes += cpu->tx_bytes;
	totals->tx_packets += cpu->tx_packets;
	totals->interrupts += cpu->interrupts;
	totals->rx_skbs += cpu->rx_skbs;
	totals->tx_skbs += cpu->tx_skbs;
	totals->rx_interrupts += cpu->rx_interrupts;
	totals->schedules += cpu->schedules;
	totals->polls += cpu->polls;
	totals->rx_polls += cpu->rx_polls;
	totals->poll_work += cpu->poll_work;
	totals->idle_ns += cpu->task_ns[TASK_IDLE];
	totals->task_ns += cpu->task_ns[TASK_OF_INTERFACE];
	totals->workload_ns += cpu->task_ns[TASK_OF_WORKLOAD];
	totals->other_task_ns += cpu->task_ns[TASK_OTHER];
	totals->unknown_ns += cpu->task_ns[TASK_UNKNOWN];
	totals->missed_events += cpu->missed_tasks;
	totals->irq_ns += cpu->hard_ns[OF_INTERFACE];
	totals->softirq_ns += cpu->soft_ns[OF_INTERFACE] + cpu->task_ns[TASK_NAPI_THREAD];
	totals->other_irq_ns += cpu->hard_ns[OF_OTHERS] + cpu->soft_ns[OF_OTHERS];
}

static void add_cpu(struct state *state, struct totals *totals, const struct cpu_counters *of)
{
	struct cpu_counters cpu;
	uint64_t now, tries = 0;

	while (!copy(&cpu, of, &now) && tries < MOST_TRIES)
		tries++;
	state->torn += tries == MOST_TRIES;
	charge_running(&cpu, now);
	add(totals, &cpu);
	totals->retries += tries;
}

/*
 * Runs that the kernel left out because the program had interrupted itself: what they would have counted is missing. To
 * ask takes a system call for each program.
 */
static uint64_t skipped_runs(const struct coalescope_bpf *programs)
{
	struct bpf_program *program;
	uint64_t sum = 0;

	bpf_object__for_each_program(program, programs->obj) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);

		if (bpf_program__fd(program) >= 0 &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			sum += info.recursion_misses;
	}
	return sum;
}

/* Still there, and in this namespace, whatever its name is now? */
static int still_there(const struct state *state)
{
	struct ifreq request = {.ifr_ifindex = state->index};

	return ioctl(state->socket, SIOCGIFNAME, &request) ? -errno : 0;
}

/* What takes system calls is asked seldom: each of them costs as much as reading the counters does. */
static int look_around(struct state *state, uint64_t now)
{
	if (now - state->looked_ns < LOOK_EVERY_NS)
		return 0;
	state->looked_ns = now;
	state->skipped = skipped_runs(state->programs);
	return still_there(state);
}

static uint64_t value_of(const struct totals *totals, const struct field *field)
{
	uint64_t value;

	memcpy(&value, (const char *)totals + field->offset, sizeof(value));
	return value;
}

/* The clocks of two CPUs may differ by nanoseconds: no counter runs backwards for that. */
static void keep_forward(struct totals *totals, const struct totals *last)
{
	size_t i;

	for (i = 0; i < FIELD_COUNT; i++)
		if (FIELDS[i].needs == TIMES && value_of(totals, &FIELDS[i]) < value_of(last, &FIELDS[i]))
			memcpy((char *)totals + FIELDS[i].offset, (const char *)last + FIELDS[i].offset,
			       sizeof(uint64_t));
}

static bool is_listed(const struct state *state, const struct field *field)
{
	return (field->needs & state->has) == field->needs;
}

static int sample(struct source *source, uint64_t *values)
{
	struct state *state = source->state;
	struct totals totals = {0};
	int status;
	size_t i;

	values += source->first;
	*values = now_ns(CLOCK_MONOTONIC_RAW);
	status = look_around(state, *values++);
	if (status)
		return status;
	for (i = 0; i < state->cpu_count; i++)
		add_cpu(state, &totals, &state->cpus[i]);
	totals.missed_events += state->torn + state->skipped;
	keep_forward(&totals, &state->last);
	state->last = totals;
	for (i = 0; i < FIELD_COUNT; i++)
		if (is_listed(state, &FIELDS[i]))
			*values++ = value_of(&totals, &FIELDS[i]);
	return 0;
}

/* --- opening and closing --- */

static void close_source(struct source *source)
{
	struct state *state = source->state;

	if (state->last.missed_events)
		note("ebpf: at least %llu events were not seen: counts are too low",
		     (unsigned long long)state->last.missed_events);
	if (state->cpus)
		munmap(state->cpus, state->mapped_bytes);
	coalescope_bpf__destroy(state->programs);
	if (state->socket >= 0)
		close(state->socket);
	free(state);
}

static const char *scope_of(const char *name)
{
	if (!strcmp(name, "idle_ns") || !strcmp(name, "unknown_ns") || !strncmp(name, "other_", strlen("other_")))
		return "machine";
	return !strcmp(name, "task_ns") ? "namespace" : NULL;
}

static void describe(const struct source *source, struct record_layout *layout)
{
	const struct state *state = source->state;
	struct column *column;
	size_t i;

	column = record_layout_add(layout, "t_monotonic_ns", "ns", COLUMN_TIME, source->name);
	json_member_string(&column->attributes, "clock", "CLOCK_MONOTONIC_RAW");
	for (i = 0; i < FIELD_COUNT; i++) {
		if (!is_listed(state, &FIELDS[i]))
			continue;
		column = record_layout_add(layout, FIELDS[i].name, FIELDS[i].unit, FIELDS[i].kind, source->name);
		if (scope_of(FIELDS[i].name))
			json_member_string(&column->attributes, "scope", scope_of(FIELDS[i].name));
		if (!strcmp(FIELDS[i].unit, "bytes")) {
			json_name(&column->attributes, "bytes_include");
			json_open(&column->attributes, '[');
			json_string(&column->attributes, "link_header");
			json_string(&column->attributes, "fcs");
			json_close(&column->attributes, ']');
			json_member_string(&column->attributes, "bytes_include_basis",
					   "counted by the eBPF programs");
		}
	}
}

int ebpf_source_open(struct source *source, struct record_layout *layout, const char *interface, bool follow,
		     struct text *facts)
{
	struct state *state = calloc(1, sizeof(*state));
	int status;

	if (!state)
		return -ENOMEM;
	*source = (struct source){
		.name = "ebpf",
		.description = "eBPF programs at the kernel's tracepoints: each CPU's counters belong to one instant, "
			       "the CPUs are read one after the other",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	state->socket = -1;
	libbpf_set_print(quiet);
	status = examine(state, interface);
	if (!status)
		status = load_best(state);
	if (!status)
		status = map_counters(state);
	if (!status)
		status = announce_lines(state);
	if (!status && follow)
		status = follow_children(state);
	if (status) {
		close_source(source);
		return status;
	}
	measure_cost(state, facts);
	start_cpus(state);
	if (!is_realtime_kernel())
		state->has |= TIMES;
	describe(source, layout);
	return 0;
}
