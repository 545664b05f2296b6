/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows, and JSON written into it. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data; /* ends in NUL once anything was appended */
	size_t length;
	size_t capacity;
	bool failed; /* memory ran out: what follows was dropped */
};

void text_append(struct text *text, const char *bytes, size_t count);
void text_add(struct text *text, const char *string);
void text_pad(struct text *text, size_t alignment);
void text_free(struct text *text);

/* JSON. Commas are set where they belong, so that members can simply follow one another. */
void json_open(struct text *text, char bracket);
void json_close(struct text *text, char bracket);
void json_name(struct text *text, const char *name);
void json_string(struct text *text, const char *value);
void json_string_n(struct text *text, const char *value, size_t count);
void json_integer(struct text *text, int64_t value);
void json_unsigned(struct text *text, uint64_t value);
void json_bool(struct text *text, bool value);
void json_null(struct text *text);
void json_raw(struct text *text, const char *json);
/* Members as they were written, sound JSON, on one line; what would steer a terminal is escaped: the same text. */
void json_members(struct text *text, const char *members);
/* -?(0|[1-9][0-9]*)(\.[0-9]+)? of at most 15 digits, so that every reader keeps its value. */
bool is_number(const char *value);
/* A number if the text is one that JSON allows and that loses nothing, else a string. */
void json_scalar(struct text *text, const char *value);

/* Members of an object. A NULL string becomes null. */
void json_member_string(struct text *text, const char *name, const char *value);
void json_member_integer(struct text *text, const char *name, int64_t value);
void json_member_bool(struct text *text, const char *name, bool value);
/* An object or a list that was written apart, unless nothing is in it; it is freed. */
void json_member_unless_empty(struct text *text, const char *name, struct text *value);

/* Indents compact JSON for people; the result is appended to out. */
void json_pretty(struct text *out, const char *json, size_t count);

#endif
