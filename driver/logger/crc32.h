/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 as in IEEE 802.3 and zlib: polynomial edb88320, initial and final value ffffffff. */
#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *bytes, size_t count);

#endif
