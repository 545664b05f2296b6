/* SPDX-License-Identifier: Apache-2.0 */
#include "ethtool_netlink.h"

#include <linux/ethtool.h>
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
	{2, "rx_max", NUMBER},
	{5, "tx_max", NUMBER},
	{6, "rx", NUMBER},
	{7, "rx_mini", NUMBER},
	{8, "rx_jumbo", NUMBER},
	{9, "tx", NUMBER},
	{10, "rx_buf_len", NUMBER},
	{11, "tcp_data_split", NUMBER},
	{12, "cqe_size", NUMBER},
	{13, "tx_push", SWITCH},
	{14, "rx_push", SWITCH},
	{15, "tx_push_buf_len", NUMBER},
	{17, "hds_thresh", NUMBER},
	{0, NULL, NUMBER},
};
static const struct setting PAUSE[] = {
	{2, "autoneg", SWITCH}, {3, "rx", SWITCH}, {4, "tx", SWITCH}, {0, NULL, NUMBER}};
static const struct setting QUEUES[] = {
	{6, "rx", NUMBER}, {7, "tx", NUMBER}, {8, "other", NUMBER}, {9, "combined", NUMBER}, {0, NULL, NUMBER}};

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

/* --- the number of receive queues alone --- */

static void take_receive_queues(struct attributes answer, void *context)
{
	const struct nlattr *attribute;
	size_t *count = context;

	while ((attribute = attributes_next(&answer)) != NULL)
		if (attribute_type(attribute) == ETHTOOL_A_CHANNELS_RX_COUNT ||
		    attribute_type(attribute) == ETHTOOL_A_CHANNELS_COMBINED_COUNT)
			*count += attribute_unsigned(attribute);
}

size_t ethtool_netlink_receive_queues(const char *interface)
{
	size_t count = 0;

	return ask(interface, ETHTOOL_MSG_CHANNELS_GET, take_receive_queues, &count) ? 0 : count;
}

/* --- offloads: each a feature of the kernel, or all whose names begin so; and each that can be changed, by its own --- */

static const struct {
	const char *name, *feature;
	bool family;
} OFFLOADS[] = {
	{"rx_checksum", "rx-checksum", false},
	{"tx_checksum", "tx-checksum-", true},
	{"scatter_gather", "tx-scatter-gather", false},
	{"tso", "tx-tcp", true},
	{"gso", "tx-generic-segmentation", false},
	{"gro", "rx-gro", false},
	{"gro_hw", "rx-gro-hw", false},
	{"lro", "rx-lro", false},
	{"rxhash", "rx-hashing", false},
	{"rxvlan", "rx-vlan-hw-parse", false},
	{"txvlan", "tx-vlan-hw-insert", false},
	{"ntuple", "rx-ntuple-filter", false},
};
enum { MOST_OFFLOADS = sizeof(OFFLOADS) / sizeof(*OFFLOADS) };

struct features {
	bool known[MOST_OFFLOADS], active[MOST_OFFLOADS];
	struct attributes changeable, now, never; /* lists; in the first, those with a value */
	struct text *json;
};

/* Hands over each feature that a list names, and whether it has a value there. */
static void each_feature(struct attributes list, void (*take)(const char *feature, bool value, void *context),
			 void *context)
{
	const struct nlattr *part, *bit, *member;
	struct attributes bits, members;

	while ((part = attributes_next(&list)) != NULL) {
		if (attribute_type(part) != ETHTOOL_A_BITSET_BITS)
			continue;
		bits = attribute_nested(part);
		while ((bit = attributes_next(&bits)) != NULL) {
			const char *feature = "";
			bool value = false;

			members = attribute_nested(bit);
			while ((member = attributes_next(&members)) != NULL) {
				value |= attribute_type(member) == ETHTOOL_A_BITSET_BIT_VALUE;
				if (attribute_type(member) == ETHTOOL_A_BITSET_BIT_NAME)
					feature = (const char *)member + NLA_HDRLEN;
			}
			take(feature, value, context);
		}
	}
}

static void note_feature(const char *feature, bool value, void *context)
{
	bool *found = context;
	size_t i;

	(void)value;
	for (i = 0; i < MOST_OFFLOADS; i++)
		found[i] |= OFFLOADS[i].family ? !strncmp(feature, OFFLOADS[i].feature, strlen(OFFLOADS[i].feature))
					       : !strcmp(feature, OFFLOADS[i].feature);
}

struct sought {
	const char *feature;
	bool found;
};

static void compare_feature(const char *feature, bool value, void *context)
{
	struct sought *sought = context;

	(void)value;
	sought->found |= !strcmp(feature, sought->feature);
}

static bool is_listed(struct attributes list, const char *feature)
{
	struct sought sought = {.feature = feature};

	each_feature(list, compare_feature, &sought);
	return sought.found;
}

/* By the kernel's name for it, as a factor's name is written. */
static void own_name(const char *feature, bool value, void *context)
{
	struct features *features = context;
	char name[ETH_GSTRING_LEN], *at;
	size_t i;

	if (!value || !*feature || is_listed(features->never, feature))
		return;
	snprintf(name, sizeof(name), "%s", feature);
	for (at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	for (i = 0; i < MOST_OFFLOADS; i++)
		if (!strcmp(name, OFFLOADS[i].name))
			return; /* it is there */
	json_member_bool(features->json, name, is_listed(features->now, feature));
}

static void take_offloads(struct attributes answer, void *context)
{
	struct features *features = context;
	const struct nlattr *attribute;
	size_t i;

	while ((attribute = attributes_next(&answer)) != NULL)
		if (attribute_type(attribute) == ETHTOOL_A_FEATURES_HW)
			features->changeable = attribute_nested(attribute);
		else if (attribute_type(attribute) == ETHTOOL_A_FEATURES_ACTIVE)
			features->now = attribute_nested(attribute);
		else if (attribute_type(attribute) == ETHTOOL_A_FEATURES_NOCHANGE)
			features->never = attribute_nested(attribute);
	each_feature(features->changeable, note_feature, features->known);
	each_feature(features->now, note_feature, features->active);
	json_open(features->json, '{');
	for (i = 0; i < MOST_OFFLOADS; i++)
		if (features->known[i])
			json_member_bool(features->json, OFFLOADS[i].name, features->active[i]);
	each_feature(features->changeable, own_name, features);
	json_close(features->json, '}');
}

int ethtool_netlink_offloads(const char *interface, struct text *json)
{
	struct features features = {.json = json};

	return ask(interface, ETHTOOL_MSG_FEATURES_GET, take_offloads, &features);
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
