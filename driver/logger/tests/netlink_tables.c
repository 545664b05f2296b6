/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netlink_tables: the numbers by which the logger asks the kernel, and its names for them: "QSTATS 8 rx_packets" is a line.
 * netlink_tables answer < ATTRIBUTES: what it makes of one queue's counters, as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "../ethtool_netlink.c"
#include "../netdev_napi.c"
#include "../netdev_queues.c"

enum { LONGEST = 4096 };

static void settings_table(const char *group, const struct setting *settings)
{
	for (; settings->name; settings++)
		printf("%s %u %s\n", group, settings->attribute, settings->name);
}

static void names_table(const char *group, const char *const *names, size_t count)
{
	size_t number;

	for (number = 0; number < count; number++)
		if (names[number])
			printf("%s %zu %s\n", group, number, names[number]);
}

static void tables(void)
{
	settings_table("COALESCE", COALESCING);
	settings_table("RINGS", RING);
	settings_table("PAUSE", PAUSE);
	settings_table("CHANNELS", QUEUES);
	names_table("NAPI", NAMES, sizeof(NAMES) / sizeof(*NAMES));
	names_table("QSTATS", COUNTERS, sizeof(COUNTERS) / sizeof(*COUNTERS));
	printf("constant %d ETHTOOL_MSG_RSS_GET\n", RSS_GET);
	printf("constant %d ETHTOOL_A_RSS_HFUNC\n", RSS_HASH);
	printf("constant %d ETHTOOL_A_RSS_INDIR\n", RSS_TABLE);
	printf("constant %d NETDEV_CMD_NAPI_GET\n", NAPI_GET);
	printf("constant %d NETDEV_A_NAPI_IFINDEX\n", NAPI_IFINDEX);
	printf("constant %d NETDEV_CMD_QSTATS_GET\n", QSTATS_GET);
	printf("constant %d NETDEV_A_QSTATS_IFINDEX\n", IFINDEX);
	printf("constant %d NETDEV_A_QSTATS_QUEUE_ID\n", QUEUE_ID);
	printf("constant %d NETDEV_A_QSTATS_SCOPE\n", SCOPE);
	printf("constant %d NETDEV_QSTATS_SCOPE_QUEUE\n", SCOPE_QUEUE);
}

static void answer(void)
{
	static char bytes[LONGEST] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct attributes given = {bytes, fread(bytes, 1, sizeof(bytes), stdin)};
	struct text json = {0};

	json_open(&json, '{');
	take_queue(given, &json);
	json_close(&json, '}');
	puts(json.data);
	text_free(&json);
}

int main(int count, char **arguments)
{
	if (count == 2 && !strcmp(arguments[1], "answer"))
		answer();
	else
		tables();
	return 0;
}
