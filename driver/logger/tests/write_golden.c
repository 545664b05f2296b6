/* SPDX-License-Identifier: Apache-2.0 */
/* Writes driver/testdata/small.runlog once more, with the logger's own writer: it must give the same bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "log_writer.h"
#include "source.h"

enum { RECORDS = 30 };
static const uint64_t START = 5000000000u, INTERVAL = 50000000u, WALL = 1700000000000000000u;

static void factor(struct text *json, const char *name, const char *requested, const char *read_back)
{
	json_name(json, name);
	json_open(json, '{');
	json_name(json, "requested");
	json_scalar(json, requested);
	json_name(json, "read_back");
	if (read_back)
		json_scalar(json, read_back);
	else
		json_null(json);
	json_close(json, '}');
}

static void head(struct text *json)
{
	json_open(json, '{');
	json_name(json, "created_by");
	json_open(json, '{');
	json_member_string(json, "program", "coalescope-host");
	json_member_string(json, "version", "0.1.0");
	json_close(json, '}');
	json_name(json, "run");
	json_open(json, '{');
	json_member_string(json, "id", "00000000-0000-4000-8000-000000000001");
	json_member_string(json, "experiment", "golden");
	json_member_string(json, "experiment_title", "Golden \"log\" \xc2\xb5s \xe2\x86\x92 \xf0\x9f\x93\x88 \t\x01\\");
	json_member_string(json, "kind", "emulated");
	json_member_integer(json, "replicate", 2);
	json_member_integer(json, "order", 7);
	json_member_integer(json, "seed", 1);
	json_member_string(json, "plan", NULL);
	json_close(json, '}');
	json_name(json, "factors");
	json_open(json, '{');
	factor(json, "mtu_bytes", "1500", "1500");
	factor(json, "delay_us", "10.24", NULL);
	factor(json, "workload", "udp", NULL);
	json_close(json, '}');
	json_name(json, "environment");
	json_open(json, '{');
	json_member_string(json, "host", NULL);
	json_member_integer(json, "cpus", 2);
	json_close(json, '}');
	json_member_integer(json, "interval_ns", (int64_t)INTERVAL);
}

static void columns(struct record_layout *layout)
{
	struct column *octets;

	record_layout_add(layout, "t_monotonic_ns", "ns", COLUMN_TIME, "clock");
	record_layout_add(layout, "t_realtime_ns", "ns", COLUMN_TIME, "clock");
	octets = record_layout_add(layout, "rx_bytes", "bytes", COLUMN_COUNTER, "netlink");
	json_name(&octets->attributes, "bytes_include");
	json_open(&octets->attributes, '[');
	json_string(&octets->attributes, "link_header");
	json_close(&octets->attributes, ']');
	record_layout_add(layout, "rx_packets", "packets", COLUMN_COUNTER, "netlink");
	record_layout_add(layout, "rx_interrupts", "interrupts", COLUMN_COUNTER, "netlink");
}

static void header(const struct record_layout *layout, struct text *json)
{
	const char *const sources[] = {"clock", "netlink"};
	size_t i;

	head(json);
	json_name(json, "sources");
	json_open(json, '[');
	for (i = 0; i < 2; i++) {
		json_open(json, '{');
		json_member_string(json, "name", sources[i]);
		json_member_bool(json, "atomic", false);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_name(json, "streams");
	json_open(json, '[');
	json_open(json, '{');
	json_member_string(json, "name", "samples");
	json_member_integer(json, "record_bytes", (int64_t)layout->count * 8);
	json_close(json, '}');
	json_close(json, ']');
	json_name(json, "fields");
	record_layout_json(layout, json);
	json_close(json, '}');
	text_pad(json, 8);
}

static int write_log(struct log_writer *writer)
{
	static const char body[] = "{\"end\":{\"sum_received\":{\"bytes\":1234567}}}\n";
	struct text metadata = {0}, more = {0};
	uint64_t k;
	int status = 0;

	for (k = 0; k < RECORDS && !status; k++) {
		const uint64_t values[] = {START + k * INTERVAL, WALL + k * INTERVAL, 1514000 * k, 1000 * k, 100 * k};

		status = log_writer_sample(writer, values);
		if (k == 2)
			log_writer_mark(writer, "window_start", values[0], values[1]);
		if (k == RECORDS - 2)
			log_writer_mark(writer, "window_end", values[0], values[1]);
	}
	json_open(&metadata, '{');
	json_member_string(&metadata, "name", "workload");
	json_member_string(&metadata, "media_type", "application/json");
	json_member_integer(&metadata, "exit_status", 0);
	json_close(&metadata, '}');
	if (!status)
		status = log_writer_result(writer, &metadata, body, sizeof(body) - 1);
	json_member_integer(&more, "missed_ticks", 0);
	if (!status)
		status = log_writer_finish(writer, "command", &more);
	text_free(&metadata);
	text_free(&more);
	return status;
}

int main(int count, char **arguments)
{
	int fd = count == 2 ? open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	struct record_layout layout = {0};
	struct log_writer writer;
	struct text json = {0};
	int status;

	if (fd < 0)
		return 2;
	columns(&layout);
	header(&layout, &json);
	status = log_writer_start(&writer, fd, &json, layout.count * sizeof(uint64_t));
	if (!status)
		status = write_log(&writer);
	log_writer_free(&writer);
	text_free(&json);
	record_layout_free(&layout);
	return status || close(fd);
}
