/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf_programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coalescope.skel.h"
#include "counters.h"

enum { COST_ROUNDS = 5 };

/* --- loading --- */

static int quiet(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

/* Interrupts with a vector of their own: some of these x86 has, others depend on the kernel's configuration. */
static bool is_of_vector(const struct coalescope_bpf *opened, const struct bpf_program *program)
{
	const struct bpf_program *const of_vectors[] = {
		opened->progs.on_local_timer,          opened->progs.on_local_timer_end,
		opened->progs.on_reschedule,           opened->progs.on_reschedule_end,
		opened->progs.on_call_function,        opened->progs.on_call_function_end,
		opened->progs.on_call_function_single, opened->progs.on_call_function_single_end,
		opened->progs.on_irq_work,             opened->progs.on_irq_work_end,
		opened->progs.on_thermal_apic,         opened->progs.on_thermal_apic_end,
	};
	size_t i;

	for (i = 0; i < sizeof(of_vectors) / sizeof(*of_vectors); i++)
		if (program == of_vectors[i])
			return true;
	return false;
}

/* Programs at tracepoints that this kernel does not have are left out, if counters do without. */
static int choose_programs(struct coalescope_bpf *opened, bool with_schedules)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	struct bpf_program *program;
	int status = 0;

	if (libbpf_get_error(kernel))
		return -ENOENT;
	bpf_program__set_autoload(opened->progs.measure_cost,
				  libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) == 1);
	bpf_program__set_autoload(opened->progs.on_schedule, with_schedules);
	bpf_program__set_autoload(opened->progs.on_schedule_irqoff, with_schedules);
	bpf_object__for_each_program(program, opened->obj) {
		static const char prefix[] = "tp_btf/";
		const char *section = bpf_program__section_name(program);
		char type[64];

		if (strncmp(section, prefix, sizeof(prefix) - 1))
			continue;
		snprintf(type, sizeof(type), "btf_trace_%s", section + sizeof(prefix) - 1);
		if (btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF) > 0)
			continue;
		if (is_of_vector(opened, program))
			bpf_program__set_autoload(program, false);
		else
			status = -ENOENT;
	}
	btf__free(kernel);
	return status;
}

static int prepare(struct coalescope_bpf *opened, int interface_index, size_t cpu_count, bool see_schedules)
{
	struct stat namespace;
	int status;

	if (stat("/proc/self/ns/net", &namespace))
		return -errno;
	opened->rodata->interface_index = interface_index;
	opened->rodata->namespace_inode = (unsigned int)namespace.st_ino;
	opened->rodata->with_schedules = see_schedules;
	status = bpf_map__set_max_entries(opened->maps.cpus, (unsigned int)cpu_count);
	return status ? status : choose_programs(opened, see_schedules);
}

static int load(struct ebpf_programs *programs, int interface_index, bool see_schedules)
{
	struct coalescope_bpf *opened = coalescope_bpf__open();
	int status;

	if (!opened)
		return -errno;
	status = prepare(opened, interface_index, programs->cpu_count, see_schedules);
	if (!status)
		status = coalescope_bpf__load(opened);
	if (!status)
		status = coalescope_bpf__attach(opened);
	if (status) {
		coalescope_bpf__destroy(opened);
		return status;
	}
	programs->loaded = opened;
	programs->see_schedules = see_schedules;
	return 0;
}

/* Where tracepoints only are allowed, it stays unknown which interrupts scheduled NAPI. */
static int load_best(struct ebpf_programs *programs, int interface_index)
{
	int status = load(programs, interface_index, true);

	return status && load(programs, interface_index, false) ? status : 0;
}

static int map_counters(struct ebpf_programs *programs)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped;

	programs->mapped_bytes = (programs->cpu_count * sizeof(*programs->cpus) + page - 1) / page * page;
	mapped = mmap(NULL, programs->mapped_bytes, PROT_READ, MAP_SHARED,
		      bpf_map__fd(programs->loaded->maps.cpus), 0);
	if (mapped == MAP_FAILED)
		return -errno;
	programs->cpus = mapped;
	return 0;
}

int ebpf_programs_open(struct ebpf_programs *programs, int interface_index)
{
	int cpus = libbpf_num_possible_cpus();
	int status;

	*programs = (struct ebpf_programs){0};
	libbpf_set_print(quiet);
	if (cpus < 0)
		return cpus;
	programs->cpu_count = (size_t)cpus;
	status = load_best(programs, interface_index);
	return status ? status : map_counters(programs);
}

void ebpf_programs_close(struct ebpf_programs *programs)
{
	if (programs->cpus)
		munmap((void *)programs->cpus, programs->mapped_bytes);
	coalescope_bpf__destroy(programs->loaded);
	*programs = (struct ebpf_programs){0};
}

/* --- what is asked of them --- */

int ebpf_programs_own_line(const struct ebpf_programs *programs, unsigned int line)
{
	struct {
		uint64_t action, irq;
	} handler = {.irq = line};
	uint32_t known = 1;

	return bpf_map__update_elem(programs->loaded->maps.handlers, &handler, sizeof(handler), &known, sizeof(known),
				    BPF_ANY)
		       ? -errno
		       : 0;
}

int ebpf_programs_follow_children(const struct ebpf_programs *programs)
{
	LIBBPF_OPTS(bpf_test_run_opts, here);

	return bpf_prog_test_run_opts(bpf_program__fd(programs->loaded->progs.follow_caller), &here);
}

/* CPUs that are off do not answer; they begin to count when they are switched on. */
void ebpf_programs_start_cpus(const struct ebpf_programs *programs)
{
	int program = bpf_program__fd(programs->loaded->progs.start_cpu);
	unsigned int cpu;

	for (cpu = 0; cpu < programs->cpu_count; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, once, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);

		bpf_prog_test_run_opts(program, &once);
	}
}

uint64_t ebpf_programs_skipped_runs(const struct ebpf_programs *programs)
{
	struct bpf_program *program;
	uint64_t sum = 0;

	bpf_object__for_each_program(program, programs->loaded->obj) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);

		if (bpf_program__fd(program) >= 0 &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			sum += info.recursion_misses;
	}
	return sum;
}

/* --- what they cost --- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void add_cost(struct text *facts, const char *name, uint64_t of_all_turns)
{
	json_member_integer(facts, name, (int64_t)((of_all_turns + PROBE_COST_TURNS / 2) / PROBE_COST_TURNS));
}

/* The best of a few rounds, as others disturb them. */
void ebpf_programs_measure_cost(const struct ebpf_programs *programs, struct text *facts)
{
	const struct coalescope_bpf *loaded = programs->loaded;
	uint64_t irq = UINT64_MAX, poll = UINT64_MAX, frame = UINT64_MAX;
	int round;

	if (!bpf_program__autoload(loaded->progs.measure_cost))
		return;
	for (round = 0; round < COST_ROUNDS; round++) {
		LIBBPF_OPTS(bpf_test_run_opts, here);

		if (bpf_prog_test_run_opts(bpf_program__fd(loaded->progs.measure_cost), &here))
			return;
		irq = least(irq, loaded->bss->probe_cost.irq);
		poll = least(poll, loaded->bss->probe_cost.poll);
		frame = least(frame, loaded->bss->probe_cost.frame);
	}
	json_name(facts, "probe_cost");
	json_open(facts, '{');
	add_cost(facts, "irq_ns", irq);
	add_cost(facts, "poll_ns", poll);
	add_cost(facts, "frame_ns", frame);
	json_close(facts, '}');
}
