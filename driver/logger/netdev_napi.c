/* SPDX-License-Identifier: Apache-2.0 */
#include "netdev_napi.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "genetlink.h"
#include "interface.h"
#include "text_file.h"

/* Numbers of include/uapi/linux/netdev.h, which are for ever: older headers do not have them. */
enum { NAPI_GET = 11, NAPI_IFINDEX = 1, NAPI_PID = 4, NAPI_THREADED = 8 };

static const char *const NAMES[] = {
	[2] = "id",
	[3] = "irq",
	[NAPI_PID] = "pid",
	[5] = "defer_hard_irqs",
	[6] = "gro_flush_timeout_ns",
	[7] = "irq_suspend_timeout_ns",
	[NAPI_THREADED] = "threaded",
};

/* A switch that became a choice. */
static void threaded(uint64_t value, struct text *json)
{
	static const char *const ways[] = {"disabled", "enabled", "busy-poll"};

	if (value < sizeof(ways) / sizeof(*ways))
		json_member_string(json, NAMES[NAPI_THREADED], ways[value]);
}

/* On which CPUs its thread may run. */
static void thread_affinity(uint64_t pid, struct text *json)
{
	static const char title[] = "\nCpus_allowed_list:\t";
	struct text status = {0};
	char path[64], *cpus;

	snprintf(path, sizeof(path), "/proc/%llu/status", (unsigned long long)pid);
	if (!read_file(path, &status) && (cpus = strstr(status.data, title)) != NULL) {
		cpus += strlen(title);
		cpus[strcspn(cpus, "\n")] = '\0';
		json_member_string(json, "cpus", cpus);
	}
	text_free(&status);
}

static void take_napi(struct attributes answer, void *context)
{
	const struct nlattr *attribute;
	struct text *list = context;

	json_open(list, '{');
	while ((attribute = attributes_next(&answer)) != NULL) {
		unsigned int type = attribute_type(attribute);

		if (type >= sizeof(NAMES) / sizeof(*NAMES) || !NAMES[type])
			continue;
		if (type == NAPI_THREADED)
			threaded(attribute_unsigned(attribute), list);
		else
			json_member_integer(list, NAMES[type], (int64_t)attribute_unsigned(attribute));
		if (type == NAPI_PID)
			thread_affinity(attribute_unsigned(attribute), list);
	}
	json_close(list, '}');
}

void netdev_napi(const char *interface, struct text *json)
{
	uint32_t index = interface_index(interface);
	struct genetlink_question question;
	struct text list = {0};
	struct genetlink link;

	if (genetlink_open(&link, "netdev"))
		return;
	question_begin(&question, &link, NAPI_GET, NLM_F_DUMP);
	question_add(&question, NAPI_IFINDEX, &index, sizeof(index));
	json_open(&list, '[');
	if (!genetlink_ask(&link, &question, take_napi, &list)) {
		json_close(&list, ']');
		json_member_unless_empty(json, "napi", &list);
	} else {
		text_free(&list);
	}
	genetlink_close(&link);
}
