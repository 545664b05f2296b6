/* SPDX-License-Identifier: Apache-2.0 */
#include "ethtool_query.h"

#include <errno.h>
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

bool ethtool_driver(const char *interface, char *name, size_t size)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	if (!ask(interface, &info))
		return false;
	info.driver[sizeof(info.driver) - 1] = '\0';
	snprintf(name, size, "%s", info.driver);
	return true;
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
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	if (!ask(interface, &info))
		return;
	member_of(json, "driver", info.driver, sizeof(info.driver));
	member_of(json, "driver_version", info.version, sizeof(info.version));
	member_of(json, "firmware_version", info.fw_version, sizeof(info.fw_version));
	member_of(json, "bus", info.bus_info, sizeof(info.bus_info));
}

static void offloads(const char *interface, struct text *json)
{
	static const struct {
		const char *name;
		uint32_t command;
	} switches[] = {
		{"rx_checksum", ETHTOOL_GRXCSUM}, {"tx_checksum", ETHTOOL_GTXCSUM},
		{"scatter_gather", ETHTOOL_GSG},  {"tso", ETHTOOL_GTSO},
		{"gso", ETHTOOL_GGSO},            {"gro", ETHTOOL_GGRO},
	};
	struct ethtool_value flags = {.cmd = ETHTOOL_GFLAGS};
	size_t i;

	json_name(json, "offloads");
	json_open(json, '{');
	for (i = 0; i < sizeof(switches) / sizeof(*switches); i++) {
		struct ethtool_value value = {.cmd = switches[i].command};

		if (ask(interface, &value))
			json_member_bool(json, switches[i].name, value.data != 0);
	}
	if (ask(interface, &flags))
		json_member_bool(json, "lro", (flags.data & ETH_FLAG_LRO) != 0);
	json_close(json, '}');
}

static bool ring_by_ioctl(const char *interface, struct text *json)
{
	struct ethtool_ringparam sizes = {.cmd = ETHTOOL_GRINGPARAM};

	if (!ask(interface, &sizes))
		return false;
	json_open(json, '{');
	json_member_integer(json, "rx", sizes.rx_pending);
	json_member_integer(json, "rx_max", sizes.rx_max_pending);
	json_member_integer(json, "tx", sizes.tx_pending);
	json_member_integer(json, "tx_max", sizes.tx_max_pending);
	json_close(json, '}');
	return true;
}

static bool pause_frames_by_ioctl(const char *interface, struct text *json)
{
	struct ethtool_pauseparam pausing = {.cmd = ETHTOOL_GPAUSEPARAM};

	if (!ask(interface, &pausing))
		return false;
	json_open(json, '{');
	json_member_bool(json, "autoneg", pausing.autoneg != 0);
	json_member_bool(json, "rx", pausing.rx_pause != 0);
	json_member_bool(json, "tx", pausing.tx_pause != 0);
	json_close(json, '}');
	return true;
}

size_t ethtool_receive_queues(const char *interface)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};

	return ask(interface, &channels) ? (size_t)channels.rx_count + channels.combined_count : 0;
}

static bool queues_by_ioctl(const char *interface, struct text *json)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};

	if (!ask(interface, &channels))
		return false;
	json_open(json, '{');
	json_member_integer(json, "rx", channels.rx_count);
	json_member_integer(json, "tx", channels.tx_count);
	json_member_integer(json, "combined", channels.combined_count);
	json_close(json, '}');
	return true;
}

/* A kernel without ethtool's netlink family is asked in the older way. */
static void settings(const char *name, const char *interface, struct text *json,
		     int (*by_netlink)(const char *interface, struct text *json),
		     bool (*by_ioctl)(const char *interface, struct text *json))
{
	struct text object = {0};
	int status = by_netlink(interface, &object);

	if (!status || (status == -ENOENT && by_ioctl(interface, &object))) {
		json_name(json, name);
		json_raw(json, object.data);
		json->failed |= object.failed;
	}
	text_free(&object);
}

void ethtool_describe(const char *interface, struct text *json)
{
	driver(interface, json);
	offloads(interface, json);
	settings("ring", interface, json, ethtool_netlink_ring, ring_by_ioctl);
	settings("pause", interface, json, ethtool_netlink_pause, pause_frames_by_ioctl);
	settings("queues", interface, json, ethtool_netlink_queues, queues_by_ioctl);
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

	json_open(json, '{');
	for (i = 0; i < values->n_stats && i < names->len; i++) {
		const char *name = (const char *)names->data + i * ETH_GSTRING_LEN;

		json_string_n(json, name, strnlen(name, ETH_GSTRING_LEN));
		text_add(json, ":");
		json_unsigned(json, values->data[i]);
	}
	json_close(json, '}');
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

static bool coalescing_by_ioctl(const char *interface, struct text *json)
{
	struct ethtool_coalesce settings = {.cmd = ETHTOOL_GCOALESCE};

	if (!ask(interface, &settings))
		return false;
	json_open(json, '{');
	json_member_bool(json, "adaptive_rx", settings.use_adaptive_rx_coalesce != 0);
	json_member_bool(json, "adaptive_tx", settings.use_adaptive_tx_coalesce != 0);
	json_member_integer(json, "rx_usecs", settings.rx_coalesce_usecs);
	json_member_integer(json, "rx_frames", settings.rx_max_coalesced_frames);
	json_member_integer(json, "rx_usecs_irq", settings.rx_coalesce_usecs_irq);
	json_member_integer(json, "rx_frames_irq", settings.rx_max_coalesced_frames_irq);
	json_member_integer(json, "tx_usecs", settings.tx_coalesce_usecs);
	json_member_integer(json, "tx_frames", settings.tx_max_coalesced_frames);
	json_member_integer(json, "tx_usecs_irq", settings.tx_coalesce_usecs_irq);
	json_member_integer(json, "tx_frames_irq", settings.tx_max_coalesced_frames_irq);
	json_close(json, '}');
	return true;
}

void ethtool_coalescing(const char *interface, struct text *json)
{
	size_t before = json->length;

	settings("coalescing", interface, json, ethtool_netlink_coalescing, coalescing_by_ioctl);
	if (json->length != before)
		return;
	json_name(json, "coalescing");
	json_null(json);
}
