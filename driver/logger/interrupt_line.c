/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt_line.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "text_file.h"

/* Where the text of a line begins: after the counts of all CPUs. */
static const char *skip_counts(const char *at)
{
	char *end;

	while (isspace((unsigned char)*at) && *at != '\n') {
		strtoul(at, &end, 10);
		if (end == at || !isspace((unsigned char)*end))
			break;
		at = end;
	}
	return at;
}

static bool next_line(const char **at, unsigned int *number, const char **counts)
{
	while (**at) {
		const char *start = *at, *end = strchr(start, '\n');
		char *after;

		*at = end ? end + 1 : start + strlen(start);
		*number = (unsigned int)strtoul(start, &after, 10);
		if (after != start && *after == ':') {
			*counts = after + 1;
			return true;
		}
	}
	return false;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool names_interface(const char *label, const char *interface)
{
	size_t length = strlen(interface);
	const char *at = label;

	while ((at = strstr(at, interface)) != NULL) {
		if ((at == label || !is_word(at[-1])) && !is_word(at[length]))
			return true;
		at++;
	}
	return false;
}

static bool listed_in(const char *directory, unsigned int number)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/msi_irqs/%u", directory, number);
	return !access(path, F_OK);
}

static bool is_on_pci(const char *interface)
{
	char bus[64];

	return link_name(bus, sizeof(bus), "/sys/class/net/%s/device/subsystem", interface) && !strcmp(bus, "pci");
}

void interrupt_device(char *path, size_t size, const char *interface)
{
	snprintf(path, size, "/sys/class/net/%s/device%s", interface, is_on_pci(interface) ? "" : "/..");
}

/* Is this line one of the device's own? Where virtio's are not message-signalled, handlers have the device's name. */
static bool belongs_to_device(const char *interface, const struct interrupt_line *line)
{
	char device[256], name[64];
	uint64_t legacy;

	interrupt_device(device, sizeof(device), interface);
	if (listed_in(device, line->number))
		return true;
	if (!is_on_pci(interface) && link_name(name, sizeof(name), "/sys/class/net/%s/device", interface) &&
	    names_interface(line->label, name))
		return true;
	return read_unsigned(&legacy, "%s/irq", device) && legacy && legacy == line->number;
}

static bool mentions(const char *label, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(label, *words))
			return true;
	return false;
}

/* What a label says beside the interface's name, in which "tx" means nothing. */
static const char *beside(const char *label, const char *interface)
{
	const char *name = strstr(label, interface);

	return name ? name + strlen(interface) : label;
}

static enum direction direction_of(const char *label)
{
	static const char *const other[] = {"config", "event", "misc", "async", "mbx", "ctrl", "cmd", "admin",
					    "lsc", NULL};
	static const char *const receive[] = {"rx", "input", NULL};
	static const char *const transmit[] = {"tx", "output", NULL};

	bool receives = mentions(label, receive), transmits = mentions(label, transmit);

	if (receives != transmits)
		return receives ? RECEIVE : TRANSMIT;
	return !receives && mentions(label, other) ? OTHER : BOTH;
}

/* The handlers' names at the end of a line: what follows the last run of two blanks. */
static void label_of(char *label, size_t size, const char *text)
{
	size_t length = strcspn(text, "\n");
	const char *start = text, *at;

	for (at = text; at + 1 < text + length; at++)
		if (at[0] == ' ' && at[1] == ' ')
			start = at + 2;
	while (start < text + length && *start == ' ')
		start++;
	snprintf(label, size, "%.*s", (int)(text + length - start), start);
}

bool interrupt_line_next(const char **table, const char *interface, struct interrupt_line *line)
{
	const char *counts;

	while (next_line(table, &line->number, &counts)) {
		label_of(line->label, sizeof(line->label), skip_counts(counts));
		if (!names_interface(line->label, interface) && !belongs_to_device(interface, line))
			continue;
		line->shared = strchr(line->label, ',') != NULL;
		line->direction = direction_of(beside(line->label, interface));
		return true;
	}
	return false;
}
