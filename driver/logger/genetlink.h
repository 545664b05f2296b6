/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a family of generic netlink: one socket, one question at a time. */
#ifndef GENETLINK_H
#define GENETLINK_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct genetlink {
	int fd; /* −1: not open */
	uint16_t family;
	uint8_t version;
	uint32_t sequence;
};

struct genetlink_question {
	union {
		struct nlmsghdr header;
		char bytes[512];
	};
};

/* Attributes that follow each other. */
struct attributes {
	const char *at;
	size_t bytes;
};

/* 0 or a negative errno: -ENOENT, this kernel does not have the family. */
int genetlink_open(struct genetlink *link, const char *family);
void genetlink_close(struct genetlink *link);

void question_begin(struct genetlink_question *question, const struct genetlink *link, uint8_t command, uint16_t flags);
void question_add(struct genetlink_question *question, uint16_t type, const void *value, size_t bytes);
/*
 * Asks, and hands the attributes of each message of the answer to `take`; NLM_F_DUMP among the flags asks for all there are.
 * 0 or a negative errno.
 */
int genetlink_ask(struct genetlink *link, struct genetlink_question *question,
		  void (*take)(struct attributes answer, void *context), void *context);

/* The next attribute, or NULL after the last. */
const struct nlattr *attributes_next(struct attributes *attributes);
unsigned int attribute_type(const struct nlattr *attribute);
struct attributes attribute_nested(const struct nlattr *attribute);
/* Of one to eight bytes. */
uint64_t attribute_unsigned(const struct nlattr *attribute);

#endif
