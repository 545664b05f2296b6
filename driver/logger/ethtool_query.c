/* SPDX-License-Identifier: Apache-2.0 */
#include "ethtool_query.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ethtool_netlink.h"

/*
 * By SIOCETHTOOL, for what netlink has no message: who the driver is, and its own counters. ETHTOOL_MSG_STRSET_GET has the
 * names of these, but ETHTOOL_MSG_STATS_GET the values of standard ones only.
 */
static bool ask(const char *interface, void *question)
{
	struct ifreq request = {.ifr_data = question};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool answered;

	if (fd < 0)
		return false;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	answered = !ioctl(fd, SIOCETHTOOL, &request);
	close(fd);
	return answered;
}

static bool ask_driver(const char *interface, struct ethtool_drvinfo *info)
{
	info->cmd = ETHTOOL_GDRVINFO;
	return ask(interface, info);
}

bool ethtool_driver(const char *interface, char *name, size_t size)
{
	struct ethtool_drvinfo info = {0};
	bool answered = ask_driver(interface, &info);

	snprintf(name, size, "%.*s", (int)sizeof(info.driver), info.driver);
	return answered;
}

bool ethtool_bus(const char *interface, char *address, size_t size)
{
	struct ethtool_drvinfo info = {0};
	bool answered = ask_driver(interface, &info);

	snprintf(address, size, "%.*s", (int)sizeof(info.bus_info), info.bus_info);
	return answered;
}

bool ethtool_link(const char *interface)
{
	struct ethtool_value link = {.cmd = ETHTOOL_GLINK};

	return ask(interface, &link) && link.data;
}

static void member_of(struct text *json, const char *name, const char *value, size_t size)
{
	size_t length = strnlen(value, size);

	if (!length)
		return;
	json_name(json, name);
	json_string_n(json, value, length);
}

static void driver(const char *interface, struct text *json)
{
	struct ethtool_drvinfo info = {0};

	if (!ask_driver(interface, &info))
		return;
	member_of(json, "driver", info.driver, sizeof(info.driver));
	member_of(json, "driver_version", info.version, sizeof(info.version));
	member_of(json, "firmware_version", info.fw_version, sizeof(info.fw_version));
	member_of(json, "bus", info.bus_info, sizeof(info.bus_info));
}

/* What a driver or a kernel does not have is left out. */
static void settings(const char *name, const char *interface, struct text *json,
		     int (*asked)(const char *interface, struct text *json))
{
	struct text object = {0};

	if (!asked(interface, &object)) {
		json_name(json, name);
		json_raw(json, object.data);
		json->failed |= object.failed;
	}
	text_free(&object);
}

void ethtool_describe(const char *interface, struct text *json)
{
	driver(interface, json);
	settings("offloads", interface, json, ethtool_netlink_offloads);
	settings("ring", interface, json, ethtool_netlink_ring);
	settings("pause", interface, json, ethtool_netlink_pause);
	settings("queues", interface, json, ethtool_netlink_queues);
}

static uint32_t statistics_count(const char *interface)
{
	struct ethtool_sset_info *question = calloc(1, sizeof(*question) + sizeof(*question->data));
	uint32_t count = 0;

	if (!question)
		return 0;
	question->cmd = ETHTOOL_GSSET_INFO;
	question->sset_mask = 1ull << ETH_SS_STATS;
	if (ask(interface, question) && question->sset_mask)
		count = question->data[0];
	free(question);
	return count;
}

static void statistics_members(const struct ethtool_gstrings *names, const struct ethtool_stats *values,
			       struct text *json)
{
	uint32_t i;

	for (i = 0; i < values->n_stats && i < names->len; i++) {
		const char *name = (const char *)names->data + i * ETH_GSTRING_LEN;

		json_string_n(json, name, strnlen(name, ETH_GSTRING_LEN));
		text_add(json, ":");
		json_unsigned(json, values->data[i]);
	}
}

void ethtool_statistics(const char *interface, struct text *json)
{
	uint32_t count = statistics_count(interface);
	struct ethtool_gstrings *names = calloc(1, sizeof(*names) + (size_t)count * ETH_GSTRING_LEN);
	struct ethtool_stats *values = calloc(1, sizeof(*values) + (size_t)count * sizeof(*values->data));

	if (count && names && values) {
		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		names->len = count;
		values->cmd = ETHTOOL_GSTATS;
		values->n_stats = count;
		if (ask(interface, names) && ask(interface, values))
			statistics_members(names, values, json);
	}
	free(names);
	free(values);
}

void ethtool_coalescing(const char *interface, struct text *json)
{
	size_t before = json->length;

	settings("coalescing", interface, json, ethtool_netlink_coalescing);
	if (json->length != before)
		return;
	json_name(json, "coalescing");
	json_null(json);
}
