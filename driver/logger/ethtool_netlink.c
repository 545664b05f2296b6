/* SPDX-License-Identifier: Apache-2.0 */
#include "ethtool_netlink.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <stdio.h>
#include <string.h>

#include "genetlink.h"

/* Attributes by their numbers, which are for ever: older headers do not know the newer names. */
enum kind { NUMBER, SWITCH, PROFILE };
struct setting {
	unsigned int attribute;
	const char *name;
	enum kind kind;
};

static const struct setting COALESCING[] = {
	{2, "rx_usecs", NUMBER},
	{3, "rx_frames", NUMBER},
	{4, "rx_usecs_irq", NUMBER},
	{5, "rx_frames_irq", NUMBER},
	{6, "tx_usecs", NUMBER},
	{7, "tx_frames", NUMBER},
	{8, "tx_usecs_irq", NUMBER},
	{9, "tx_frames_irq", NUMBER},
	{10, "stats_block_usecs", NUMBER},
	{11, "adaptive_rx", SWITCH},
	{12, "adaptive_tx", SWITCH},
	{13, "pkt_rate_low", NUMBER},
	{14, "rx_usecs_low", NUMBER},
	{15, "rx_frames_low", NUMBER},
	{16, "tx_usecs_low", NUMBER},
	{17, "tx_frames_low", NUMBER},
	{18, "pkt_rate_high", NUMBER},
	{19, "rx_usecs_high", NUMBER},
	{20, "rx_frames_high", NUMBER},
	{21, "tx_usecs_high", NUMBER},
	{22, "tx_frames_high", NUMBER},
	{23, "sample_interval", NUMBER},
	{24, "cqe_mode_tx", SWITCH},
	{25, "cqe_mode_rx", SWITCH},
	{26, "tx_aggr_max_bytes", NUMBER},
	{27, "tx_aggr_max_frames", NUMBER},
	{28, "tx_aggr_time_usecs", NUMBER},
	{29, "rx_profile", PROFILE},
	{30, "tx_profile", PROFILE},
	{31, "rx_cqe_frames", NUMBER},
	{32, "rx_cqe_nsecs", NUMBER},
	{0, NULL, NUMBER},
};
static const struct setting RING[] = {
	{2, "rx_max", NUMBER},	{5, "tx_max", NUMBER},	    {6, "rx", NUMBER},
	{9, "tx", NUMBER},	{10, "rx_buf_len", NUMBER}, {11, "tcp_data_split", NUMBER},
	{12, "cqe_size", NUMBER}, {0, NULL, NUMBER},
};
static const struct setting PAUSE[] = {
	{2, "autoneg", SWITCH}, {3, "rx", SWITCH}, {4, "tx", SWITCH}, {0, NULL, NUMBER}};
static const struct setting QUEUES[] = {
	{6, "rx", NUMBER}, {7, "tx", NUMBER}, {9, "combined", NUMBER}, {0, NULL, NUMBER}};

struct answer {
	const struct setting *settings;
	struct text *json;
};

/* Lines of dynamic moderation's profile, from little load to much. */
static void profile(const struct nlattr *attribute, struct text *json)
{
	static const char *const names[] = {NULL, "usecs", "packets", "completions"};
	struct attributes lines = attribute_nested(attribute), parts;
	const struct nlattr *line, *part;

	json_open(json, '[');
	while ((line = attributes_next(&lines)) != NULL) {
		parts = attribute_nested(line);
		json_open(json, '{');
		while ((part = attributes_next(&parts)) != NULL)
			if (attribute_type(part) - 1 < 3)
				json_member_integer(json, names[attribute_type(part)],
						    (int64_t)attribute_unsigned(part));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void member(const struct setting *setting, const struct nlattr *attribute, struct text *json)
{
	json_name(json, setting->name);
	if (setting->kind == PROFILE)
		profile(attribute, json);
	else if (setting->kind == SWITCH)
		json_bool(json, attribute_unsigned(attribute) != 0);
	else
		json_unsigned(json, attribute_unsigned(attribute));
}

static void take_settings(struct attributes answer, void *context)
{
	const struct answer *wanted = context;
	const struct nlattr *attribute;

	json_open(wanted->json, '{');
	while ((attribute = attributes_next(&answer)) != NULL) {
		const struct setting *setting = wanted->settings;

		while (setting->name && setting->attribute != attribute_type(attribute))
			setting++;
		if (setting->name)
			member(setting, attribute, wanted->json);
	}
	json_close(wanted->json, '}');
}

static int ask(const char *interface, uint8_t command, void (*take)(struct attributes answer, void *context),
	       void *context)
{
	/* the header that each question begins with: an attribute with the interface's name in it */
	struct {
		struct nlattr name;
		char value[16];
	} header = {.name = {.nla_type = ETHTOOL_A_HEADER_DEV_NAME}};
	struct genetlink_question question;
	struct genetlink link;
	int status = genetlink_open(&link, "ethtool");

	if (status)
		return status;
	strncpy(header.value, interface, sizeof(header.value) - 1);
	header.name.nla_len = (uint16_t)(NLA_HDRLEN + strlen(header.value) + 1);
	question_begin(&question, &link, command, 0);
	question_add(&question, 1 | NLA_F_NESTED, &header, NLA_ALIGN(header.name.nla_len));
	status = genetlink_ask(&link, &question, take, context);
	genetlink_close(&link);
	return status;
}

int ethtool_netlink_coalescing(const char *interface, struct text *json)
{
	struct answer wanted = {COALESCING, json};

	return ask(interface, ETHTOOL_MSG_COALESCE_GET, take_settings, &wanted);
}

int ethtool_netlink_ring(const char *interface, struct text *json)
{
	struct answer wanted = {RING, json};

	return ask(interface, ETHTOOL_MSG_RINGS_GET, take_settings, &wanted);
}

int ethtool_netlink_pause(const char *interface, struct text *json)
{
	struct answer wanted = {PAUSE, json};

	return ask(interface, ETHTOOL_MSG_PAUSE_GET, take_settings, &wanted);
}

int ethtool_netlink_queues(const char *interface, struct text *json)
{
	struct answer wanted = {QUEUES, json};

	return ask(interface, ETHTOOL_MSG_CHANNELS_GET, take_settings, &wanted);
}

/* --- the receive delay alone --- */

struct found_delay {
	struct receive_delay *delay;
	bool usecs;
};

static void take_delay(struct attributes answer, void *context)
{
	struct found_delay *found = context;
	const struct nlattr *attribute;

	while ((attribute = attributes_next(&answer)) != NULL) {
		if (attribute_type(attribute) == ETHTOOL_A_COALESCE_RX_USECS) {
			found->delay->usecs = attribute_unsigned(attribute);
			found->usecs = true;
		} else if (attribute_type(attribute) == ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX) {
			found->delay->adaptive = attribute_unsigned(attribute) != 0;
		}
	}
}

bool ethtool_netlink_receive_delay(const char *interface, struct receive_delay *delay)
{
	struct found_delay found = {.delay = delay};

	*delay = (struct receive_delay){0};
	return !ask(interface, ETHTOOL_MSG_COALESCE_GET, take_delay, &found) && found.usecs;
}

/* --- receive side scaling --- */

enum { RSS_GET = 38, RSS_HASH = 3, RSS_TABLE = 4, MOST_QUEUES = 1024 };

/* How many entries of the table lead to each queue. */
static void spread(struct attributes table, struct text *json)
{
	static uint32_t entries[MOST_QUEUES];
	uint32_t queue;
	char name[16];

	memset(entries, 0, sizeof(entries));
	for (; table.bytes >= sizeof(queue); table.at += sizeof(queue), table.bytes -= sizeof(queue)) {
		memcpy(&queue, table.at, sizeof(queue));
		if (queue < MOST_QUEUES)
			entries[queue]++;
	}
	json_name(json, "entries");
	json_open(json, '{');
	for (queue = 0; queue < MOST_QUEUES; queue++) {
		if (!entries[queue])
			continue;
		snprintf(name, sizeof(name), "%u", queue);
		json_member_integer(json, name, entries[queue]);
	}
	json_close(json, '}');
}

/* The kernel has a bit for each function. */
static const char *hash_function(uint64_t bits)
{
	return bits == 1 ? "toeplitz" : bits == 2 ? "xor" : bits == 4 ? "crc32" : NULL;
}

static void take_rss(struct attributes answer, void *context)
{
	const struct nlattr *attribute;
	struct text *json = context;

	json_open(json, '{');
	while ((attribute = attributes_next(&answer)) != NULL) {
		if (attribute_type(attribute) == RSS_TABLE)
			spread(attribute_nested(attribute), json);
		else if (attribute_type(attribute) == RSS_HASH && hash_function(attribute_unsigned(attribute)))
			json_member_string(json, "hash_function", hash_function(attribute_unsigned(attribute)));
	}
	json_close(json, '}');
}

int ethtool_netlink_rss(const char *interface, struct text *json)
{
	return ask(interface, RSS_GET, take_rss, json);
}
