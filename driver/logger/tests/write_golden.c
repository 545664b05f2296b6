/* SPDX-License-Identifier: Apache-2.0 */
/* Writes driver/testdata/small.runlog once more, with the logger's own writer: it must give the same bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "golden_header.h"
#include "log_writer.h"
#include "source.h"

enum { RECORDS = 30 };

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

static int write_log(struct log_writer *writer)
{
	static const char body[] = "{\"end\":{\"sum_received\":{\"bytes\":1234567}}}\n";
	struct text metadata = {0}, more = {0};
	uint64_t k;
	int status = 0;

	for (k = 0; k < RECORDS && !status; k++) {
		const uint64_t values[] = {GOLDEN_START + k * GOLDEN_INTERVAL, GOLDEN_WALL + k * GOLDEN_INTERVAL,
					   1514000 * k, 1000 * k, 100 * k};

		status = log_writer_sample(writer, values, false);
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
	static const struct golden_source sources[] = {{"clock", false}, {"netlink", false}};
	int fd = count == 2 ? open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	struct record_layout layout = {0};
	struct log_writer writer;
	struct text json = {0};
	int status;

	if (fd < 0)
		return 2;
	columns(&layout);
	golden_header("{\"host\":null,\"cpus\":2}", sources, 2, &layout, &json);
	status = log_writer_start(&writer, fd, &json, layout.count * sizeof(uint64_t));
	if (!status)
		status = write_log(&writer);
	log_writer_free(&writer);
	text_free(&json);
	record_layout_free(&layout);
	return status || close(fd);
}
