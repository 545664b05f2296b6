/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * The bytes of a run log, format 1. docs/run-log-format.md explains them; all numbers are little-endian.
 */
#ifndef RUN_LOG_FORMAT_H
#define RUN_LOG_FORMAT_H

#include <assert.h>
#include <stdint.h>

#define RUN_LOG_MAGIC "\x89" "COAL" "\r\n\x1a"
#define RUN_LOG_MAJOR 1
#define RUN_LOG_MINOR 0
#define RUN_LOG_BLOCK_MARK "CBLK"

#define RUN_LOG_ALIGNMENT 8
#define RUN_LOG_MAX_HEADER (1u << 20)
#define RUN_LOG_MAX_SAMPLES (1u << 20)
#define RUN_LOG_MAX_PAYLOAD (1u << 24)
#define RUN_LOG_MAX_RECORD (1u << 15)

enum run_log_block_type {
	RUN_LOG_SAMPLES = 1,
	RUN_LOG_MARKS = 2,
	RUN_LOG_RESULT = 3,
	RUN_LOG_FOOTER = 4,
	RUN_LOG_OPTIONAL = 0x8000, /* set in types that a reader may skip */
};

/* At byte 0; the header's JSON follows, padded with spaces to a multiple of 8. */
struct run_log_preamble {
	unsigned char magic[8];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes;
	uint32_t header_crc;
	uint32_t preamble_crc; /* of the 20 bytes before */
};

/* Before each block's payload. */
struct run_log_block {
	unsigned char mark[4];
	uint16_t type;
	uint16_t stream;
	uint32_t sequence;
	uint32_t payload_bytes;
	uint32_t records;
	uint32_t payload_crc;
	uint32_t log_id;     /* the preamble's header_crc */
	uint32_t header_crc; /* of the 28 bytes before */
};

/* At the start of a result's payload; metadata (JSON), body and zeros up to a multiple of 8 follow. */
struct run_log_result {
	uint32_t metadata_bytes;
	uint32_t body_bytes;
};

static_assert(sizeof(struct run_log_preamble) == 24, "preamble");
static_assert(sizeof(struct run_log_block) == 32, "block header");
static_assert(sizeof(struct run_log_result) == 8, "result header");

#endif
