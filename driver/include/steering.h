/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STEERING_H
#define STEERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whether a terminal would be steered: by controls but the tab, what changes the direction of text, and line separators. */
static inline bool steers(uint32_t code_point)
{
	static const struct {
		uint32_t first, last;
	} steering[] = {
		{0, 0x08}, {0x0a, 0x1f}, {0x7f, 0x9f}, {0x061c, 0x061c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
	};
	size_t i;

	for (i = 0; i < sizeof(steering) / sizeof(*steering); i++)
		if (code_point >= steering[i].first && code_point <= steering[i].last)
			return true;
	return false;
}

/* Writes a UTF-8 sequence that steers as \uXXXX, in JSON the same text, and says its length there; 0 for any other. */
static inline size_t escape_steering(char *out, const unsigned char *bytes, size_t length)
{
	uint32_t code_point = length == 1 ? bytes[0] : bytes[0] & (0xffu >> (length + 1));
	size_t i;

	for (i = 1; i < length; i++)
		code_point = code_point << 6 | (bytes[i] & 0x3f);
	return steers(code_point) ? (size_t)sprintf(out, "\\u%04x", (unsigned int)code_point) : 0;
}

#endif
