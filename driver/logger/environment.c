/* SPDX-License-Identifier: Apache-2.0 */
#include "environment.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "environment_kernel.h"
#include "environment_network.h"
#include "ethtool_query.h"
#include "idle_states.h"
#include "interface.h"
#include "interrupt_affinity.h"
#include "json_path.h"
#include "terminal.h"
#include "text_file.h"
#include "virtual_machine.h"

bool interface_mtu(const char *interface, uint64_t *mtu)
{
	struct ifreq request = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool known;

	if (fd < 0)
		return false;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	known = !ioctl(fd, SIOCGIFMTU, &request);
	close(fd);
	*mtu = (uint64_t)request.ifr_mtu;
	return known;
}

static void operating_system(struct text *json)
{
	char line[256];
	FILE *file = fopen("/etc/os-release", "re");

	while (file && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, '=');

		if (!value || strncmp(line, "PRETTY_NAME=", 12))
			continue;
		value += 1 + (value[1] == '"');
		value[strcspn(value, "\"\n")] = '\0';
		json_member_string(json, "operating_system", value);
	}
	if (file)
		fclose(file);
}

static void cpu_model(struct text *json)
{
	char line[512];
	FILE *file = fopen("/proc/cpuinfo", "re");

	while (file && fgets(line, sizeof(line), file)) {
		char *value = strstr(line, ": ");

		if (!value || strncmp(line, "model name", 10))
			continue;
		value[strcspn(value, "\n")] = '\0';
		json_member_string(json, "cpu_model", value + 2);
		break;
	}
	if (file)
		fclose(file);
}

static void member_line(struct text *json, const char *name, const char *path)
{
	char line[256];

	if (read_line(line, sizeof(line), "%s", path) && *line)
		json_member_string(json, name, line);
}

static void machine(const struct environment_options *options, struct text *json)
{
	struct utsname name;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!uname(&name)) {
		json_member_string(json, "host", options->redact_host ? NULL : name.nodename);
		json_member_string(json, "kernel_version", name.release);
		json_member_string(json, "architecture", name.machine);
	}
	operating_system(json);
	cpu_model(json);
	if (cpus > 0)
		json_member_integer(json, "cpus", cpus);
	member_line(json, "hardware", "/sys/class/dmi/id/product_name");
	member_line(json, "clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	member_line(json, "idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver");
}

/* Whether the last word of a name says that it is of text, whatever that looks like. */
static bool is_of_text(const char *name, size_t length)
{
	static const char *const words[] = {"version", "name", "vendor", "machine", "hypervisor", NULL};
	const char *const *word;

	for (word = words; *word; word++) {
		size_t start = length - strlen(*word);

		if (length < strlen(*word) || strncmp(name + start, *word, strlen(*word)))
			continue;
		if (!start || name[start - 1] == '_')
			return true;
	}
	return false;
}

/* The fact that an assignment states. */
static void fact(const char *assignment, struct text *json)
{
	const char *equals = strchr(assignment, '=');
	size_t length = (size_t)(equals - assignment);

	json_string_n(json, assignment, length);
	text_add(json, ":");
	if (is_of_text(assignment, length))
		json_string(json, equals + 1);
	else
		json_scalar(json, equals + 1);
}

static bool of_virtual_machine(const char *assignment)
{
	return !strncmp(assignment, ENVIRONMENT_VIRTUAL_MACHINE, strlen(ENVIRONMENT_VIRTUAL_MACHINE));
}

/* What can be found out from inside, and what was told from outside. */
static void virtual_machine(const struct environment_options *options, struct text *json)
{
	struct text members = {0};
	unsigned int i;

	json_open(&members, '{');
	virtual_machine_describe(&members);
	for (i = 0; i < options->extra_count; i++)
		if (of_virtual_machine(options->extra[i]))
			fact(options->extra[i] + strlen(ENVIRONMENT_VIRTUAL_MACHINE), &members);
	json_close(&members, '}');
	json_member_unless_empty(json, "virtual_machine", &members);
}

static void notes(const struct environment_options *options, struct text *json)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < options->extra_count; i++) {
		if (of_virtual_machine(options->extra[i]))
			continue;
		if (!any) {
			json_name(json, "notes");
			json_open(json, '{');
		}
		any = true;
		fact(options->extra[i], json);
	}
	if (any)
		json_close(json, '}');
}

static void sysfs_numbers(const char *interface, struct text *json)
{
	static const struct {
		const char *file, *name;
	} numbers[] = {
		{"speed", "speed_mbps"},
		{"gro_flush_timeout", "gro_flush_timeout_ns"},
		{"napi_defer_hard_irqs", "napi_defer_hard_irqs"},
		{"threaded", "napi_threaded"},
		{"tx_queue_len", "tx_queue_length"},
	};
	char duplex[32];
	uint64_t value;
	size_t i;

	if (!interface_in_sysfs(interface))
		return;
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (read_unsigned(&value, "/sys/class/net/%s/%s", interface, numbers[i].file))
			json_member_integer(json, numbers[i].name, (int64_t)value);
	if (read_line(duplex, sizeof(duplex), "/sys/class/net/%s/duplex", interface))
		json_member_string(json, "duplex", duplex);
	interrupt_affinity(interface, json);
}

static void counter_source(const struct environment_options *options, struct text *json)
{
	json_member_string(json, "counter_source", options->counter_source);
	if (options->sources_refused) {
		json_name(json, "counter_sources_refused");
		json_raw(json, options->sources_refused);
	}
	if (options->source_facts)
		json_raw(json, options->source_facts);
	member_line(json, "module_version", "/sys/module/coalescope/version");
}

static void interface_members(const char *interface, struct text *json)
{
	uint64_t mtu;

	json_member_string(json, "interface", interface);
	if (interface_mtu(interface, &mtu))
		json_member_integer(json, "mtu_bytes", (int64_t)mtu);
	ethtool_describe(interface, json);
	ethtool_coalescing(interface, json);
	sysfs_numbers(interface, json);
}

static void command_line(const struct environment_options *options, struct text *json)
{
	char *const *argument;

	json_name(json, "command");
	if (!options->command || options->redact_command) {
		json_null(json);
		return;
	}
	json_open(json, '[');
	for (argument = options->command; *argument; argument++)
		json_string(json, *argument);
	json_close(json, ']');
}

struct sought {
	const char *name;
	size_t length;
	unsigned int count;
};

static bool count_same(const char *name, size_t length, void *context)
{
	struct sought *sought = context;

	sought->count += length == sought->length && !memcmp(name, sought->name, length);
	return true;
}

struct told {
	const char *members, *own;
};

static bool is_once(const char *name, size_t length, void *context)
{
	const struct told *told = context;
	struct sought sought = {.name = name, .length = length};

	json_each_name(told->own, count_same, &sought);
	if (sought.count) {
		print_line(stderr, "coalescope-logger: --environment-file: the logger records \"%.*s\" itself: leave it out",
			   (int)length, name);
		return false;
	}
	json_each_name(told->members, count_same, &sought);
	if (sought.count > 1)
		print_line(stderr, "coalescope-logger: --environment-file: \"%.*s\" is there twice", (int)length, name);
	return sought.count <= 1;
}

/* A name that is there twice has another value for each reader. */
static bool add_told(const char *members, struct text *json)
{
	struct told told = {.members = members, .own = json->data ? json->data + 1 : ""};

	if (!json_each_name(members, is_once, &told))
		return false;
	json_members(json, members);
	return true;
}

bool environment_describe(const struct environment_options *options, struct text *json)
{
	json_open(json, '{');
	machine(options, json);
	environment_kernel(options->redact_host, json);
	idle_states(json);
	virtual_machine(options, json);
	interface_members(options->interface, json);
	environment_network(options->interface, json);
	counter_source(options, json);
	command_line(options, json);
	notes(options, json);
	if (options->told && !add_told(options->told, json))
		return false;
	json_close(json, '}');
	return true;
}

void environment_after(const char *interface, struct text *json)
{
	uint64_t mtu;

	json_name(json, "after");
	json_open(json, '{');
	if (interface_mtu(interface, &mtu))
		json_member_integer(json, "mtu_bytes", (int64_t)mtu);
	ethtool_coalescing(interface, json);
	json_close(json, '}');
}
