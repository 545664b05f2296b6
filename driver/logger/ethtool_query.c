/* SPDX-License-Identifier: Apache-2.0 */
#include "ethtool_query.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

static void ring(const char *interface, struct text *json)
{
	struct ethtool_ringparam sizes = {.cmd = ETHTOOL_GRINGPARAM};

	if (!ask(interface, &sizes))
		return;
	json_name(json, "ring");
	json_open(json, '{');
	json_member_integer(json, "rx", sizes.rx_pending);
	json_member_integer(json, "rx_max", sizes.rx_max_pending);
	json_member_integer(json, "tx", sizes.tx_pending);
	json_member_integer(json, "tx_max", sizes.tx_max_pending);
	json_close(json, '}');
}

static void pause_frames(const char *interface, struct text *json)
{
	struct ethtool_pauseparam pausing = {.cmd = ETHTOOL_GPAUSEPARAM};

	if (!ask(interface, &pausing))
		return;
	json_name(json, "pause");
	json_open(json, '{');
	json_member_bool(json, "autoneg", pausing.autoneg != 0);
	json_member_bool(json, "rx", pausing.rx_pause != 0);
	json_member_bool(json, "tx", pausing.tx_pause != 0);
	json_close(json, '}');
}

static void queues(const char *interface, struct text *json)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};

	if (!ask(interface, &channels))
		return;
	json_name(json, "queues");
	json_open(json, '{');
	json_member_integer(json, "rx", channels.rx_count);
	json_member_integer(json, "tx", channels.tx_count);
	json_member_integer(json, "combined", channels.combined_count);
	json_close(json, '}');
}

void ethtool_describe(const char *interface, struct text *json)
{
	driver(interface, json);
	offloads(interface, json);
	ring(interface, json);
	pause_frames(interface, json);
	queues(interface, json);
}

void ethtool_coalescing(const char *interface, struct text *json)
{
	struct ethtool_coalesce settings = {.cmd = ETHTOOL_GCOALESCE};

	if (!ask(interface, &settings)) {
		json_null(json);
		return;
	}
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
}
