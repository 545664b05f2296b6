/* SPDX-License-Identifier: Apache-2.0 */
#include "environment_network.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attached_programs.h"
#include "ethtool_netlink.h"
#include "interface.h"
#include "netdev_napi.h"
#include "text_file.h"

#define SYSCTLS "/proc/sys/net/core"

/*
 * Settings of the whole machine, such as netdev_budget, are shown in the initial namespace only; somaxconn, in all of them.
 * The namespace's number would not tell: before Linux 6.18 it is another one at each start.
 */
static void network_namespace(struct text *json)
{
	if (access(SYSCTLS "/somaxconn", F_OK))
		return;
	json_member_string(json, "network_namespace", access(SYSCTLS "/netdev_budget", F_OK) ? "other" : "initial");
}

static void sysctls(struct text *json)
{
	static const char *const names[] = {"busy_poll", "busy_read", "netdev_budget", "netdev_budget_usecs",
					    "dev_weight", NULL};
	struct text members = {0};
	const char *const *name;
	uint64_t value;
	char full[64];

	json_open(&members, '{');
	for (name = names; *name; name++) {
		snprintf(full, sizeof(full), "net.core.%s", *name);
		if (read_unsigned(&value, SYSCTLS "/%s", *name))
			json_member_integer(&members, full, (int64_t)value);
	}
	json_close(&members, '}');
	json_member_unless_empty(json, "sysctls", &members);
}

/* --- steering by software: a file for each queue; the queues are called rx-0 …, tx-0 … --- */

struct queue_file {
	const char *queue, *file;
	void (*write)(struct text *json, const char *value);
};

static int by_number(const struct dirent **first, const struct dirent **second)
{
	return strverscmp((*first)->d_name, (*second)->d_name);
}

static void per_queue(const char *interface, const char *name, const struct queue_file *wanted, struct text *json)
{
	size_t prefix = strlen(wanted->queue);
	struct text members = {0};
	struct dirent **entries;
	char path[PATH_MAX], value[1024];
	int count, i;

	snprintf(path, sizeof(path), "/sys/class/net/%s/queues", interface);
	count = scandir(path, &entries, NULL, by_number);
	if (count < 0)
		return;
	json_open(&members, '{');
	for (i = 0; i < count; i++) {
		const char *entry = entries[i]->d_name;

		if (!strncmp(entry, wanted->queue, prefix) &&
		    read_line(value, sizeof(value), "%s/%s/%s", path, entry, wanted->file)) {
			json_name(&members, entry + prefix);
			wanted->write(&members, value);
		}
		free(entries[i]);
	}
	free(entries);
	json_close(&members, '}');
	json_member_unless_empty(json, name, &members);
}

static void receive_flow_steering(const char *interface, struct text *json)
{
	static const struct queue_file flows = {"rx-", "rps_flow_cnt", json_scalar};
	struct text members = {0};
	uint64_t entries;

	json_open(&members, '{');
	if (read_unsigned(&entries, SYSCTLS "/rps_sock_flow_entries"))
		json_member_integer(&members, "sock_flow_entries", (int64_t)entries);
	per_queue(interface, "flow_count", &flows, &members);
	json_close(&members, '}');
	json_member_unless_empty(json, "rfs", &members);
}

static void in_sysfs(const char *interface, struct text *json)
{
	static const struct queue_file rps = {"rx-", "rps_cpus", json_string}, xps = {"tx-", "xps_cpus", json_string};
	uint64_t node;

	if (!interface_in_sysfs(interface))
		return;
	if (read_unsigned(&node, "/sys/class/net/%s/device/numa_node", interface))
		json_member_integer(json, "numa_node", (int64_t)node);
	per_queue(interface, "rps_cpus", &rps, json);
	per_queue(interface, "xps_cpus", &xps, json);
	receive_flow_steering(interface, json);
}

static void rss(const char *interface, struct text *json)
{
	struct text members = {0};

	if (!ethtool_netlink_rss(interface, &members))
		json_member_unless_empty(json, "rss", &members);
	else
		text_free(&members);
}

void environment_network(const char *interface, struct text *json)
{
	network_namespace(json);
	sysctls(json);
	in_sysfs(interface, json);
	rss(interface, json);
	netdev_napi(interface, json);
	attached_programs(interface, json);
}
