/* SPDX-License-Identifier: Apache-2.0 */
/* Interface counters through rtnetlink: one question, one answer with all of them, in our own network namespace. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "counter_names.h"
#include "interface.h"
#include "source.h"

struct state {
	int fd;
	uint32_t index;
	uint32_t sequence;
	const struct counter_name *counters[COUNTER_COUNT];
	size_t count;
};

struct question {
	struct nlmsghdr header;
	struct if_stats_msg stats;
};

static int parse(const struct nlmsghdr *header, ssize_t bytes, struct rtnl_link_stats64 *stats)
{
	const size_t start = NLMSG_LENGTH(sizeof(struct if_stats_msg));
	const struct rtattr *attribute;
	int rest;

	if (!NLMSG_OK(header, (size_t)bytes))
		return -EPROTO;
	if (header->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *error = NLMSG_DATA(header);

		return error->error ? error->error : -EPROTO;
	}
	if (header->nlmsg_type != RTM_NEWSTATS || header->nlmsg_len < start)
		return -EPROTO;
	attribute = (const struct rtattr *)((const char *)header + NLMSG_ALIGN(start));
	rest = (int)(header->nlmsg_len - NLMSG_ALIGN(start));
	for (; RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest)) {
		if (attribute->rta_type != IFLA_STATS_LINK_64)
			continue;
		memset(stats, 0, sizeof(*stats));
		memcpy(stats, RTA_DATA(attribute),
		       RTA_PAYLOAD(attribute) < sizeof(*stats) ? RTA_PAYLOAD(attribute) : sizeof(*stats));
		return 0;
	}
	return -ENODATA;
}

static int ask(struct state *state, struct rtnl_link_stats64 *stats)
{
	union {
		struct nlmsghdr header;
		char bytes[4096];
	} answer;
	struct question question = {
		.header = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(question.stats)),
			.nlmsg_type = RTM_GETSTATS,
			.nlmsg_flags = NLM_F_REQUEST,
			.nlmsg_seq = ++state->sequence,
		},
		.stats = {
			.family = AF_UNSPEC,
			.ifindex = state->index,
			.filter_mask = 1u << (IFLA_STATS_LINK_64 - 1),
		},
	};
	ssize_t got;

	if (send(state->fd, &question, question.header.nlmsg_len, 0) < 0)
		return -errno;
	do {
		got = recv(state->fd, &answer, sizeof(answer), 0);
	} while ((got < 0 && errno == EINTR) ||
		 (got >= (ssize_t)sizeof(answer.header) && answer.header.nlmsg_seq != state->sequence));
	if (got < 0)
		return -errno;
	return parse(&answer.header, got, stats);
}

static int sample(struct source *source, uint64_t *values)
{
	struct state *state = source->state;
	struct rtnl_link_stats64 stats;
	int status = ask(state, &stats);
	size_t i;

	if (status)
		return status;
	for (i = 0; i < state->count; i++)
		memcpy(&values[source->first + i], (const char *)&stats + state->counters[i]->offset,
		       sizeof(*values));
	return 0;
}

static void close_source(struct source *source)
{
	struct state *state = source->state;

	close(state->fd);
	free(state);
}

int netlink_source_open(struct source *source, struct record_layout *layout, const char *interface)
{
	struct rtnl_link_stats64 stats;
	struct state *state = calloc(1, sizeof(*state));
	size_t i;
	int status;

	if (!state)
		return -ENOMEM;
	state->index = interface_index(interface);
	state->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	status = state->fd < 0 ? -errno : ask(state, &stats);
	if (status) {
		if (state->fd >= 0)
			close(state->fd);
		free(state);
		return status;
	}
	*source = (struct source){
		.name = "netlink",
		.description = "rtnetlink link statistics: one answer for all counters of the interface, "
			       "summed while they are being counted",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	for (i = 0; i < COUNTER_COUNT; i++) {
		struct column *column;
		char name[48];

		counter_name_for(name, sizeof(name), layout, &COUNTERS[i]);
		if (record_layout_has(layout, name))
			continue;
		state->counters[state->count++] = &COUNTERS[i];
		column = record_layout_add(layout, name, COUNTERS[i].unit, COLUMN_COUNTER, source->name);
		if (!strcmp(COUNTERS[i].unit, "bytes"))
			interface_bytes_include(interface, &column->attributes);
	}
	return 0;
}
