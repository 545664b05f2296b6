/* SPDX-License-Identifier: Apache-2.0 */
#include "genetlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONGEST_ANSWER = 32768 }; /* of the kernel's dumps */

/* --- attributes --- */

const struct nlattr *attributes_next(struct attributes *attributes)
{
	const struct nlattr *attribute = (const void *)attributes->at;
	size_t whole;

	if (attributes->bytes < sizeof(*attribute) || attribute->nla_len < sizeof(*attribute) ||
	    attribute->nla_len > attributes->bytes)
		return NULL;
	whole = NLA_ALIGN(attribute->nla_len);
	if (whole > attributes->bytes)
		whole = attributes->bytes;
	attributes->at += whole;
	attributes->bytes -= whole;
	return attribute;
}

unsigned int attribute_type(const struct nlattr *attribute)
{
	return attribute->nla_type & NLA_TYPE_MASK;
}

struct attributes attribute_nested(const struct nlattr *attribute)
{
	return (struct attributes){(const char *)attribute + NLA_HDRLEN, attribute->nla_len - (size_t)NLA_HDRLEN};
}

uint64_t attribute_unsigned(const struct nlattr *attribute)
{
	struct attributes value = attribute_nested(attribute);
	uint64_t whole;
	uint32_t word;
	uint16_t half;

	switch (value.bytes) {
	case sizeof(whole):
		memcpy(&whole, value.at, sizeof(whole));
		return whole;
	case sizeof(word):
		memcpy(&word, value.at, sizeof(word));
		return word;
	case sizeof(half):
		memcpy(&half, value.at, sizeof(half));
		return half;
	default:
		return value.bytes ? (unsigned char)value.at[0] : 0;
	}
}

/* --- questions --- */

void question_begin(struct genetlink_question *question, const struct genetlink *link, uint8_t command, uint16_t flags)
{
	struct genlmsghdr kind = {.cmd = command, .version = link->version};

	question->header = (struct nlmsghdr){
		.nlmsg_len = NLMSG_LENGTH(sizeof(kind)),
		.nlmsg_type = link->family,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags),
	};
	memcpy(NLMSG_DATA(&question->header), &kind, sizeof(kind));
}

void question_add(struct genetlink_question *question, uint16_t type, const void *value, size_t bytes)
{
	size_t at = NLMSG_ALIGN(question->header.nlmsg_len);
	struct nlattr attribute = {.nla_len = (uint16_t)(NLA_HDRLEN + bytes), .nla_type = type};

	if (at + NLA_ALIGN(attribute.nla_len) > sizeof(question->bytes))
		return;
	memset(question->bytes + at, 0, NLA_ALIGN(attribute.nla_len));
	memcpy(question->bytes + at, &attribute, sizeof(attribute));
	memcpy(question->bytes + at + NLA_HDRLEN, value, bytes);
	question->header.nlmsg_len = (uint32_t)(at + NLA_ALIGN(attribute.nla_len));
}

/* 1: more is to come; 0: that was all; or a negative errno. */
static int take_message(const struct nlmsghdr *header, void (*take)(struct attributes answer, void *context),
			void *context)
{
	const size_t before = NLMSG_LENGTH(sizeof(struct genlmsghdr));

	if (header->nlmsg_type == NLMSG_DONE)
		return 0;
	if (header->nlmsg_type == NLMSG_ERROR)
		return header->nlmsg_len < NLMSG_LENGTH(sizeof(int)) ? -EPROTO : *(const int *)NLMSG_DATA(header);
	if (header->nlmsg_len < before)
		return -EPROTO;
	take((struct attributes){(const char *)header + before, header->nlmsg_len - before}, context);
	return 1;
}

int genetlink_ask(struct genetlink *link, struct genetlink_question *question,
		  void (*take)(struct attributes answer, void *context), void *context)
{
	static char answer[LONGEST_ANSWER] __attribute__((aligned(NLMSG_ALIGNTO)));
	int more = 1;

	question->header.nlmsg_seq = ++link->sequence;
	if (send(link->fd, question, question->header.nlmsg_len, 0) < 0)
		return -errno;
	while (more > 0) {
		ssize_t got = recv(link->fd, answer, sizeof(answer), 0);
		const struct nlmsghdr *header = (const void *)answer;
		size_t rest;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		for (rest = (size_t)got; more > 0 && NLMSG_OK(header, rest); header = NLMSG_NEXT(header, rest))
			if (header->nlmsg_seq == link->sequence)
				more = take_message(header, take, context);
	}
	return more;
}

/* --- the family --- */

static void take_family(struct attributes answer, void *context)
{
	struct genetlink *link = context;
	const struct nlattr *attribute;

	while ((attribute = attributes_next(&answer)) != NULL)
		if (attribute_type(attribute) == CTRL_ATTR_FAMILY_ID)
			link->family = (uint16_t)attribute_unsigned(attribute);
		else if (attribute_type(attribute) == CTRL_ATTR_VERSION)
			link->version = (uint8_t)attribute_unsigned(attribute);
}

int genetlink_open(struct genetlink *link, const char *family)
{
	struct genetlink_question question;
	int status;

	*link = (struct genetlink){.family = GENL_ID_CTRL, .version = 1};
	link->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (link->fd < 0)
		return -errno;
	question_begin(&question, link, CTRL_CMD_GETFAMILY, 0);
	question_add(&question, CTRL_ATTR_FAMILY_NAME, family, strlen(family) + 1);
	status = genetlink_ask(link, &question, take_family, link);
	if (status)
		genetlink_close(link);
	return status;
}

void genetlink_close(struct genetlink *link)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}
