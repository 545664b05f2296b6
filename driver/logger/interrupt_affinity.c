/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt_affinity.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "interrupt_line.h"
#include "text_file.h"

static void member(unsigned int number, struct text *json)
{
	char name[16], cpus[256];

	if (!read_line(cpus, sizeof(cpus), "/proc/irq/%u/smp_affinity_list", number))
		return;
	snprintf(name, sizeof(name), "%u", number);
	json_member_string(json, name, cpus);
}

/* Message-signalled ones, as sysfs lists them: also those that no driver has asked for. False where there are none. */
static bool of_messages(const char *interface, struct text *json)
{
	char device[PATH_MAX], path[PATH_MAX + 16];
	const struct dirent *entry;
	DIR *directory;
	bool any = false;

	interrupt_device(device, sizeof(device), interface);
	snprintf(path, sizeof(path), "%s/msi_irqs", device);
	directory = opendir(path);
	if (!directory)
		return false;
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.') {
			member((unsigned int)strtoul(entry->d_name, NULL, 10), json);
			any = true;
		}
	closedir(directory);
	return any;
}

/* The others, such as INTx of PCI and those of no bus: by /proc/interrupts. */
static void of_lines(const char *interface, struct text *json)
{
	struct interrupt_line line;
	struct text table = {0};
	const char *at;

	if (!read_file("/proc/interrupts", &table))
		for (at = table.data; interrupt_line_next(&at, interface, &line);)
			member(line.number, json);
	text_free(&table);
}

void interrupt_affinity(const char *interface, struct text *json)
{
	struct text members = {0};

	json_open(&members, '{');
	if (!of_messages(interface, &members))
		of_lines(interface, &members);
	json_close(&members, '}');
	json_member_unless_empty(json, "interrupt_affinity", &members);
}
