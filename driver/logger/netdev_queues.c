/* SPDX-License-Identifier: Apache-2.0 */
#include "netdev_queues.h"

#include <stdint.h>
#include <stdio.h>

#include "genetlink.h"
#include "interface.h"

/* Numbers of include/uapi/linux/netdev.h, which are for ever: older headers do not have them. */
enum { QSTATS_GET = 12, IFINDEX = 1, QUEUE_ID = 3, SCOPE = 4, SCOPE_QUEUE = 1 };

static const char *const COUNTERS[] = {
	[8] = "rx_packets",
	[9] = "rx_bytes",
	[10] = "tx_packets",
	[11] = "tx_bytes",
	[12] = "rx_alloc_fail",
	[13] = "rx_hw_drops",
	[14] = "rx_hw_drop_overruns",
	[15] = "rx_csum_complete",
	[16] = "rx_csum_unnecessary",
	[17] = "rx_csum_none",
	[18] = "rx_csum_bad",
	[19] = "rx_hw_gro_packets",
	[20] = "rx_hw_gro_bytes",
	[21] = "rx_hw_gro_wire_packets",
	[22] = "rx_hw_gro_wire_bytes",
	[23] = "rx_hw_drop_ratelimits",
	[24] = "tx_hw_drops",
	[25] = "tx_hw_drop_errors",
	[26] = "tx_csum_none",
	[27] = "tx_needs_csum",
	[28] = "tx_hw_gso_packets",
	[29] = "tx_hw_gso_bytes",
	[30] = "tx_hw_gso_wire_packets",
	[31] = "tx_hw_gso_wire_bytes",
	[32] = "tx_hw_drop_ratelimits",
	[33] = "tx_stop",
	[34] = "tx_wake",
};

static void take_queue(struct attributes answer, void *context)
{
	struct attributes again = answer;
	const struct nlattr *attribute;
	struct text *json = context;
	uint64_t queue = 0;
	char name[64];

	while ((attribute = attributes_next(&again)) != NULL)
		if (attribute_type(attribute) == QUEUE_ID)
			queue = attribute_unsigned(attribute);
	while ((attribute = attributes_next(&answer)) != NULL) {
		unsigned int type = attribute_type(attribute);

		if (type >= sizeof(COUNTERS) / sizeof(*COUNTERS) || !COUNTERS[type])
			continue;
		snprintf(name, sizeof(name), "qstats.%s.q%u", COUNTERS[type], (unsigned int)queue);
		json_name(json, name);
		json_unsigned(json, attribute_unsigned(attribute));
	}
}

void netdev_queue_statistics(const char *interface, struct text *json)
{
	uint32_t index = interface_index(interface), scope = SCOPE_QUEUE;
	struct genetlink_question question;
	struct genetlink link;

	if (genetlink_open(&link, "netdev"))
		return;
	question_begin(&question, &link, QSTATS_GET, NLM_F_DUMP);
	question_add(&question, IFINDEX, &index, sizeof(index));
	question_add(&question, SCOPE, &scope, sizeof(scope));
	genetlink_ask(&link, &question, take_queue, json);
	genetlink_close(&link);
}
