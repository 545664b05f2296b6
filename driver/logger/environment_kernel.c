/* SPDX-License-Identifier: Apache-2.0 */
#include "environment_kernel.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "text_file.h"

#define CPUS "/sys/devices/system/cpu"

/* The word in brackets or parentheses, which is how the kernel shows a choice; false if there is none. */
static bool chosen(const char *line, const char *brackets, char *word, size_t size)
{
	const char *from = strchr(line, brackets[0]);
	const char *to = from ? strchr(from, brackets[1]) : NULL;

	if (!to || (size_t)(to - from) > size)
		return false;
	snprintf(word, size, "%.*s", (int)(to - from - 1), from + 1);
	return true;
}

static void mitigations(struct text *json)
{
	const char *path = CPUS "/vulnerabilities";
	DIR *directory = opendir(path);
	const struct dirent *entry;
	char state[256];

	if (!directory)
		return;
	json_name(json, "mitigations");
	json_open(json, '{');
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.' && read_line(state, sizeof(state), "%s/%s", path, entry->d_name))
			json_member_string(json, entry->d_name, state);
	json_close(json, '}');
	closedir(directory);
}

/* The model in force where root may see it, else the word in the kernel's version. */
static void preemption(struct text *json)
{
	static const char *const words[] = {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT", NULL};
	char line[128], model[32];
	const char *const *word;
	struct utsname name;

	if (read_line(line, sizeof(line), "/sys/kernel/debug/sched/preempt") &&
	    chosen(line, "()", model, sizeof(model))) {
		json_member_string(json, "preemption", model);
		return;
	}
	if (uname(&name))
		return;
	for (word = words; *word; word++)
		if (strstr(name.version, *word)) {
			json_member_string(json, "preemption", *word);
			return;
		}
}

static void aspm_policy(struct text *json)
{
	char line[128], policy[64];

	if (read_line(line, sizeof(line), "/sys/module/pcie_aspm/parameters/policy") &&
	    chosen(line, "[]", policy, sizeof(policy)))
		json_member_string(json, "aspm_policy", policy);
}

/* How many CPUs each governor has. */
static void governors(struct text *json)
{
	enum { MOST_GOVERNORS = 8 };
	char names[MOST_GOVERNORS][32], name[32];
	unsigned int counts[MOST_GOVERNORS] = {0}, known = 0, i;
	long cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (cpu = 0; cpu < cpus; cpu++) {
		if (!read_line(name, sizeof(name), CPUS "/cpu%ld/cpufreq/scaling_governor", cpu))
			continue;
		for (i = 0; i < known && strcmp(names[i], name); i++)
			;
		if (i == MOST_GOVERNORS)
			return;
		if (i == known)
			strcpy(names[known++], name);
		counts[i]++;
	}
	if (!known)
		return;
	json_name(json, "governors");
	json_open(json, '{');
	for (i = 0; i < known; i++)
		json_member_integer(json, names[i], counts[i]);
	json_close(json, '}');
}

static void turbo(struct text *json)
{
	uint64_t value;

	if (read_unsigned(&value, CPUS "/intel_pstate/no_turbo"))
		json_member_bool(json, "turbo", value == 0);
	else if (read_unsigned(&value, CPUS "/cpufreq/boost"))
		json_member_bool(json, "turbo", value != 0);
}

/* --- irqbalance --- */

/* Whether /proc shows every process of the machine: the first process namespace has this number on every kernel. */
static bool sees_all_processes(void)
{
	const ino_t initial = 0xEFFFFFFC;
	struct stat own;
	char line[32];

	return !stat("/proc/self/ns/pid", &own) && own.st_ino == initial &&
	       read_line(line, sizeof(line), "/proc/1/comm");
}

/* A process that is stopped, as a sweep pauses irqbalance, does not balance. */
static bool is_stopped(const char *process)
{
	char line[512];
	const char *name_ends;

	if (!read_line(line, sizeof(line), "/proc/%s/stat", process))
		return false;
	name_ends = strrchr(line, ')');
	return name_ends && !strncmp(name_ends, ") T", 3);
}

static void irqbalance(struct text *json)
{
	const struct dirent *entry;
	DIR *directory = opendir("/proc");
	bool runs = false;
	char name[32];

	if (!directory)
		return;
	while (!runs && (entry = readdir(directory)) != NULL)
		runs = isdigit((unsigned char)entry->d_name[0]) &&
		       read_line(name, sizeof(name), "/proc/%s/comm", entry->d_name) &&
		       !strcmp(name, "irqbalance") && !is_stopped(entry->d_name);
	closedir(directory);
	if (runs || sees_all_processes())
		json_member_bool(json, "irqbalance", runs);
}

/* --- whether a task's CPU time is without the interrupts that came while it ran --- */

enum built { NOT_KNOWN, WITHOUT, WITH };

static enum built built_with_irq_time(void)
{
	static const char *const places[] = {"/boot/config-%s", "/lib/modules/%s/config", NULL};
	char path[PATH_MAX], line[256];
	const char *const *place;
	enum built found = NOT_KNOWN;
	struct utsname name;
	FILE *file = NULL;

	if (uname(&name))
		return NOT_KNOWN;
	for (place = places; *place && !file; place++) {
		snprintf(path, sizeof(path), *place, name.release);
		file = fopen(path, "re");
	}
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "CONFIG_IRQ_TIME_ACCOUNTING=y", 28))
			found = WITH;
		else if (found == NOT_KNOWN && !strncmp(line, "CONFIG_", 7))
			found = WITHOUT;
	}
	if (file)
		fclose(file);
	return found;
}

/* What the kernel has accounted to hard interrupts since it started, and how many there were. */
static bool interrupts_so_far(uint64_t *ticks, uint64_t *count)
{
	FILE *file = fopen("/proc/stat", "re");
	bool time = false, number = false;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		time |= !strncmp(line, "cpu ", 4) && sscanf(line + 4, "%*u %*u %*u %*u %*u %" SCNu64, ticks) == 1;
		number |= sscanf(line, "intr %" SCNu64, count) == 1;
	}
	if (file)
		fclose(file);
	return time && number;
}

/*
 * A kernel built with it may have switched it off (tsc=noirqtime, a clock that is too slow); then, as without it, the tick that
 * samples CPU time never meets a hard interrupt, and their time stays 0.
 */
static void irq_time_accounting(struct text *json)
{
	const uint64_t many = 1000000, least_ns = 100; /* each */
	enum built built = built_with_irq_time();
	uint64_t ticks, count, ns;

	if (built == WITHOUT) {
		json_member_bool(json, "irq_time_accounting", false);
		return;
	}
	if (!interrupts_so_far(&ticks, &count))
		return;
	ns = ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	if (ticks && built == WITH)
		json_member_bool(json, "irq_time_accounting", true);
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) /* others have a further way to account it */
	else if (count >= many && ns >= least_ns * count)
		json_member_bool(json, "irq_time_accounting", true);
#endif
	else if (count >= many && !ticks)
		json_member_bool(json, "irq_time_accounting", false);
}

void environment_kernel(bool redact_host, struct text *json)
{
	char line[4096];

	if (!redact_host && read_line(line, sizeof(line), "/proc/cmdline"))
		json_member_string(json, "kernel_command_line", line);
	mitigations(json);
	preemption(json);
	irq_time_accounting(json);
	aspm_policy(json);
	governors(json);
	turbo(json);
	irqbalance(json);
}
