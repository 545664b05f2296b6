/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* Length of the UTF-8 sequence at bytes, 0 if it is none (RFC 3629). */
static inline size_t utf8_length(const unsigned char *bytes, size_t count)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, length;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	size_t form, i;

	if (bytes[0] < 0x80)
		return 1;
	for (form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
		if (bytes[0] < forms[form].first_low || bytes[0] > forms[form].first_high)
			continue;
		if (count < forms[form].length || bytes[1] < forms[form].second_low ||
		    bytes[1] > forms[form].second_high)
			return 0;
		for (i = 2; i < forms[form].length; i++)
			if (bytes[i] < 0x80 || bytes[i] > 0xbf)
				return 0;
		return forms[form].length;
	}
	return 0;
}

#endif
