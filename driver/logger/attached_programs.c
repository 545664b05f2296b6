/* SPDX-License-Identifier: Apache-2.0 */
#include "attached_programs.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "genetlink.h"
#include "interface.h"

enum { LONGEST_ANSWER = 65536 };

/* Messages of rtnetlink have a fixed part before their attributes; `take` gets what comes after it. */
struct question {
	struct nlmsghdr header;
	union {
		struct ifinfomsg link;
		struct tcmsg filter;
	};
};

typedef void take_attributes(struct attributes answer, void *context);

/* 1: more is to come; 0: that was all. */
static int take_message(const struct nlmsghdr *header, size_t fixed, take_attributes *take, void *context)
{
	size_t before = NLMSG_LENGTH(NLMSG_ALIGN(fixed));

	if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR)
		return 0;
	if (header->nlmsg_len >= before)
		take((struct attributes){(const char *)header + before, header->nlmsg_len - before}, context);
	return (header->nlmsg_flags & NLM_F_MULTI) != 0;
}

static void ask(struct question *question, size_t fixed, take_attributes *take, void *context)
{
	static char answer[LONGEST_ANSWER] __attribute__((aligned(NLMSG_ALIGNTO)));
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), more = 1;

	if (fd < 0)
		return;
	question->header.nlmsg_len = (uint32_t)NLMSG_LENGTH(fixed);
	if (send(fd, question, question->header.nlmsg_len, 0) < 0)
		more = 0;
	while (more) {
		ssize_t got = recv(fd, answer, sizeof(answer), 0);
		const struct nlmsghdr *header = (const void *)answer;
		size_t rest = got > 0 ? (size_t)got : 0;

		if (got < 0 && errno == EINTR)
			continue;
		if (!rest)
			break;
		for (; more && NLMSG_OK(header, rest); header = NLMSG_NEXT(header, rest))
			more = take_message(header, fixed, take, context);
	}
	close(fd);
}

/* --- XDP --- */

static void take_xdp(const struct nlattr *xdp, struct text *json)
{
	static const char *const modes[] = {NULL, "native", "generic", "offload", "several"};
	struct attributes parts = attribute_nested(xdp);
	uint64_t mode = 0, program = 0;
	const struct nlattr *part;

	while ((part = attributes_next(&parts)) != NULL) {
		if (attribute_type(part) == IFLA_XDP_ATTACHED)
			mode = attribute_unsigned(part);
		else if (attribute_type(part) == IFLA_XDP_PROG_ID)
			program = attribute_unsigned(part);
	}
	if (!mode || mode >= sizeof(modes) / sizeof(*modes))
		return;
	json_name(json, "xdp");
	json_open(json, '{');
	json_member_string(json, "mode", modes[mode]);
	if (program)
		json_member_integer(json, "program_id", (int64_t)program);
	json_close(json, '}');
}

static void take_link(struct attributes answer, void *context)
{
	const struct nlattr *attribute;

	while ((attribute = attributes_next(&answer)) != NULL)
		if (attribute_type(attribute) == IFLA_XDP)
			take_xdp(attribute, context);
}

static void xdp(uint32_t index, struct text *json)
{
	struct question question = {
		.header = {.nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST},
		.link = {.ifi_index = (int)index},
	};

	ask(&question, sizeof(question.link), take_link, json);
}

/* --- tc --- */

struct filters {
	const char *direction;
	struct text *list;
};

/* The kernel names a filter once more for each of its handles: those without options are only its head. */
static void take_filter(struct attributes answer, void *context)
{
	const struct filters *filters = context;
	const struct nlattr *attribute, *kind = NULL, *options = NULL;

	while ((attribute = attributes_next(&answer)) != NULL) {
		if (attribute_type(attribute) == TCA_KIND)
			kind = attribute;
		else if (attribute_type(attribute) == TCA_OPTIONS)
			options = attribute;
	}
	if (!kind || !options)
		return;
	json_open(filters->list, '{');
	json_member_string(filters->list, "direction", filters->direction);
	json_name(filters->list, "kind");
	json_string_n(filters->list, attribute_nested(kind).at,
		      strnlen(attribute_nested(kind).at, attribute_nested(kind).bytes));
	json_close(filters->list, '}');
}

static void filters_of(uint32_t index, const char *direction, uint32_t parent, struct text *list)
{
	struct filters filters = {direction, list};
	struct question question = {
		.header = {.nlmsg_type = RTM_GETTFILTER, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.filter = {.tcm_ifindex = (int)index, .tcm_parent = parent},
	};

	ask(&question, sizeof(question.filter), take_filter, &filters);
}

/* What is attached without a qdisc (tcx, Linux 6.6 or newer). Only who may load programs is told. */
static void tcx_of(uint32_t index, const char *direction, uint32_t where, struct text *list)
{
	enum { QUERY = 16, MOST_PROGRAMS = 64 };
	uint32_t programs[MOST_PROGRAMS], i;
	struct {
		uint32_t index, where, query_flags, attach_flags;
		uint64_t programs;
		uint32_t count, unused;
		uint64_t flags, links, link_flags, revision;
	} query = {.index = index, .where = where, .programs = (uintptr_t)programs, .count = MOST_PROGRAMS};

	if (syscall(SYS_bpf, QUERY, &query, sizeof(query)))
		return;
	for (i = 0; i < query.count; i++) {
		json_open(list, '{');
		json_member_string(list, "direction", direction);
		json_member_string(list, "kind", "tcx");
		json_member_integer(list, "program_id", programs[i]);
		json_close(list, '}');
	}
}

static void tc_programs(uint32_t index, struct text *json)
{
	enum { TCX_INGRESS = 46, TCX_EGRESS = 47 };
	struct text list = {0};

	json_open(&list, '[');
	filters_of(index, "ingress", TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), &list);
	tcx_of(index, "ingress", TCX_INGRESS, &list);
	filters_of(index, "egress", TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS), &list);
	tcx_of(index, "egress", TCX_EGRESS, &list);
	json_close(&list, ']');
	json_member_unless_empty(json, "tc_programs", &list);
}

void attached_programs(const char *interface, struct text *json)
{
	uint32_t index = interface_index(interface);

	xdp(index, json);
	tc_programs(index, json);
}
