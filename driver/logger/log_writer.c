/* SPDX-License-Identifier: Apache-2.0 */
#include "log_writer.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "crc32.h"
#include "run_log_format.h"

enum { PREFERRED_PAYLOAD = 1 << 16 };
static const uint64_t FLUSH_AFTER_NS = 1000000000;
static const uint64_t FLUSH_WAITING_AFTER_NS = 5000000000;

static int write_all(struct log_writer *writer, const void *first, size_t first_bytes, const void *second,
		     size_t second_bytes)
{
	struct iovec parts[2] = {
		{(void *)(uintptr_t)first, first_bytes},
		{(void *)(uintptr_t)second, second_bytes},
	};
	size_t part = 0;

	while (!writer->error && part < 2) {
		ssize_t done = writev(writer->fd, parts + part, (int)(2 - part));

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			writer->error = errno;
			break;
		}
		while (part < 2 && (size_t)done >= parts[part].iov_len) {
			done -= (ssize_t)parts[part].iov_len;
			part++;
		}
		if (part < 2) {
			parts[part].iov_base = (char *)parts[part].iov_base + done;
			parts[part].iov_len -= (size_t)done;
		}
	}
	return -writer->error;
}

static int write_block(struct log_writer *writer, uint16_t type, const void *payload, size_t bytes,
		       uint32_t records)
{
	struct run_log_block block = {
		.type = htole16(type),
		.sequence = htole32(writer->sequence),
		.payload_bytes = htole32((uint32_t)bytes),
		.records = htole32(records),
		.payload_crc = htole32(crc32_of(payload, bytes)),
		.log_id = htole32(writer->log_id),
	};

	memcpy(block.mark, RUN_LOG_BLOCK_MARK, sizeof(block.mark));
	block.header_crc = htole32(crc32_of(&block, offsetof(struct run_log_block, header_crc)));
	writer->sequence++;
	return write_all(writer, &block, sizeof(block), payload, bytes);
}

static int write_json(struct log_writer *writer, uint16_t type, struct text *json)
{
	int status;

	text_pad(json, RUN_LOG_ALIGNMENT);
	status = json->failed ? -ENOMEM : write_block(writer, type, json->data, json->length, 0);
	text_free(json);
	return status;
}

int log_writer_start(struct log_writer *writer, int fd, const struct text *header, size_t record_bytes)
{
	struct run_log_preamble preamble = {
		.major = htole16(RUN_LOG_MAJOR),
		.minor = htole16(RUN_LOG_MINOR),
		.header_bytes = htole32((uint32_t)header->length),
	};

	*writer = (struct log_writer){.fd = fd, .record_bytes = record_bytes};
	if (header->failed)
		return -ENOMEM;
	if (header->length > RUN_LOG_MAX_HEADER || header->length % RUN_LOG_ALIGNMENT)
		return -EMSGSIZE;
	writer->pending = malloc(PREFERRED_PAYLOAD);
	if (!writer->pending)
		return -ENOMEM;
	writer->log_id = crc32_of(header->data, header->length);
	memcpy(preamble.magic, RUN_LOG_MAGIC, sizeof(preamble.magic));
	preamble.header_crc = htole32(writer->log_id);
	preamble.preamble_crc =
		htole32(crc32_of(&preamble, offsetof(struct run_log_preamble, preamble_crc)));
	return write_all(writer, &preamble, sizeof(preamble), header->data, header->length);
}

int log_writer_flush(struct log_writer *writer)
{
	size_t bytes = writer->pending_bytes;

	if (!bytes)
		return -writer->error;
	writer->pending_bytes = 0;
	return write_block(writer, RUN_LOG_SAMPLES, writer->pending, bytes,
			   (uint32_t)(bytes / writer->record_bytes));
}

int log_writer_sample(struct log_writer *writer, const uint64_t *values, bool waiting)
{
	const uint64_t flush_after_ns = waiting ? FLUSH_WAITING_AFTER_NS : FLUSH_AFTER_NS;
	unsigned char *record;
	size_t i;

	if (writer->pending_bytes + writer->record_bytes > PREFERRED_PAYLOAD)
		log_writer_flush(writer);
	record = writer->pending + writer->pending_bytes;
	for (i = 0; i < writer->record_bytes / sizeof(*values); i++) {
		uint64_t value = htole64(values[i]);

		memcpy(record + i * sizeof(value), &value, sizeof(value));
	}
	writer->pending_bytes += writer->record_bytes;
	if (!writer->records) {
		writer->t_first = values[0];
		writer->flushed_at = values[0];
	}
	writer->t_last = values[0];
	writer->records++;
	if (values[0] - writer->flushed_at >= flush_after_ns) {
		writer->flushed_at = values[0];
		return log_writer_flush(writer);
	}
	return -writer->error;
}

int log_writer_mark(struct log_writer *writer, const char *name, uint64_t t_monotonic_ns,
		    uint64_t t_realtime_ns)
{
	struct text json = {0};

	log_writer_flush(writer);
	json_open(&json, '{');
	json_name(&json, "marks");
	json_open(&json, '[');
	json_open(&json, '{');
	json_member_string(&json, "name", name);
	json_name(&json, "t_monotonic_ns");
	json_unsigned(&json, t_monotonic_ns);
	json_name(&json, "t_realtime_ns");
	json_unsigned(&json, t_realtime_ns);
	json_close(&json, '}');
	json_close(&json, ']');
	json_close(&json, '}');
	writer->marks++;
	return write_json(writer, RUN_LOG_MARKS, &json);
}

int log_writer_result(struct log_writer *writer, const struct text *metadata, const void *body,
		      size_t body_bytes)
{
	static const char zeros[RUN_LOG_ALIGNMENT];
	struct run_log_result start = {
		.metadata_bytes = htole32((uint32_t)metadata->length),
		.body_bytes = htole32((uint32_t)body_bytes),
	};
	struct text payload = {0};
	size_t rest;
	int status;

	log_writer_flush(writer);
	text_append(&payload, (const char *)&start, sizeof(start));
	text_append(&payload, metadata->data, metadata->length);
	text_append(&payload, body, body_bytes);
	rest = payload.length % RUN_LOG_ALIGNMENT;
	if (rest)
		text_append(&payload, zeros, RUN_LOG_ALIGNMENT - rest);
	status = payload.failed || metadata->failed ? -ENOMEM : 0;
	if (!status && payload.length > RUN_LOG_MAX_PAYLOAD)
		status = -EMSGSIZE;
	if (!status) {
		status = write_block(writer, RUN_LOG_RESULT, payload.data, payload.length, 0);
		writer->results++;
	}
	text_free(&payload);
	return status;
}

int log_writer_finish(struct log_writer *writer, const char *ended, const struct text *more)
{
	struct text json = {0};

	log_writer_flush(writer);
	json_open(&json, '{');
	json_member_string(&json, "ended", ended);
	json_member_integer(&json, "blocks", writer->sequence);
	json_member_integer(&json, "marks", writer->marks);
	json_member_integer(&json, "results", writer->results);
	json_name(&json, "streams");
	json_open(&json, '[');
	json_open(&json, '{');
	json_name(&json, "records");
	json_unsigned(&json, writer->records);
	json_name(&json, "t_first_ns");
	if (writer->records)
		json_unsigned(&json, writer->t_first);
	else
		json_null(&json);
	json_name(&json, "t_last_ns");
	if (writer->records)
		json_unsigned(&json, writer->t_last);
	else
		json_null(&json);
	json_close(&json, '}');
	json_close(&json, ']');
	if (more->length)
		json_raw(&json, more->data);
	json_close(&json, '}');
	return more->failed ? -ENOMEM : write_json(writer, RUN_LOG_FOOTER, &json);
}

void log_writer_free(struct log_writer *writer)
{
	free(writer->pending);
	writer->pending = NULL;
}
