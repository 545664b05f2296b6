/* SPDX-License-Identifier: Apache-2.0 */
#include "crc32.h"

static uint32_t table[256];

static void fill_table(void)
{
	uint32_t value;
	unsigned int byte, bit;

	for (byte = 0; byte < 256; byte++) {
		value = byte;
		for (bit = 0; bit < 8; bit++)
			value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
		table[byte] = value;
	}
}

uint32_t crc32_of(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint32_t crc = 0xffffffffu;

	if (!table[1])
		fill_table();
	while (count--)
		crc = crc >> 8 ^ table[(crc ^ *at++) & 0xff];
	return crc ^ 0xffffffffu;
}
