/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where packets are lost beyond the card: full socket buffers, retransmissions, the backlog of a CPU. Counted for a network
 * namespace or for the machine, not for one interface.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"
#include "text_file.h"

enum file { SNMP, SNMP6, NETSTAT, FILE_COUNT };
static const char *const FILES[FILE_COUNT] = {"/proc/net/snmp", "/proc/net/snmp6", "/proc/net/netstat"};

enum { MOST_PARTS = 2, SOFTNET_COLUMNS = 2 };
static const struct loss {
	const char *name, *unit;
	struct part {
		enum file file;
		const char *line, *key; /* no line: the file has a counter on each line */
	} parts[MOST_PARTS];
} LOSSES[] = {
	{"udp_in_datagrams", "datagrams", {{SNMP, "Udp:", "InDatagrams"}, {SNMP6, NULL, "Udp6InDatagrams"}}},
	{"udp_rcvbuf_errors", "datagrams", {{SNMP, "Udp:", "RcvbufErrors"}, {SNMP6, NULL, "Udp6RcvbufErrors"}}},
	{"udp_in_errors", "datagrams", {{SNMP, "Udp:", "InErrors"}, {SNMP6, NULL, "Udp6InErrors"}}},
	{"tcp_in_segments", "segments", {{SNMP, "Tcp:", "InSegs"}}},
	{"tcp_out_segments", "segments", {{SNMP, "Tcp:", "OutSegs"}}},
	{"tcp_retransmitted_segments", "segments", {{SNMP, "Tcp:", "RetransSegs"}}},
	{"tcp_rcv_queue_drops", "segments", {{NETSTAT, "TcpExt:", "TCPRcvQDrop"}}},
};
enum { LOSS_COUNT = sizeof(LOSSES) / sizeof(*LOSSES) };

struct state {
	int files[FILE_COUNT], softnet;
	struct text text[FILE_COUNT], softnet_text;
	const struct loss *losses[LOSS_COUNT];
	size_t count;
};

/* --- /proc/net/snmp and its kin --- */

static const char *find_line(const char *text, const char *start)
{
	size_t length = strlen(start);

	while (text && strncmp(text, start, length)) {
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return text;
}

static bool in_list(const char *text, const char *key, uint64_t *value)
{
	const char *line = find_line(text, key);
	char *end;

	if (!line || (line[strlen(key)] != ' ' && line[strlen(key)] != '\t'))
		return false;
	*value = strtoull(line + strlen(key), &end, 10);
	return end != line + strlen(key);
}

/* "Udp: InDatagrams NoPorts …", and below it "Udp: 12 0 …" */
static bool in_table(const char *text, const char *line, const char *key, uint64_t *value)
{
	const char *name = find_line(text, line);
	const char *below = name ? strchr(name, '\n') : NULL;
	size_t length = strlen(key);
	char *number = below ? (char *)(uintptr_t)find_line(below + 1, line) : NULL;

	if (!number)
		return false;
	number += strlen(line);
	for (name += strlen(line); *name == ' '; name += strcspn(name, " \n")) {
		*value = strtoull(number, &number, 10); /* one that is negative, as MaxConn, is not asked for */
		name++;
		if (!strncmp(name, key, length) && (name[length] == ' ' || name[length] == '\n'))
			return true;
	}
	return false;
}

static bool part_of(const struct state *state, const struct part *part, uint64_t *value)
{
	const char *text = part->key ? state->text[part->file].data : NULL;

	if (!text)
		return false;
	return part->line ? in_table(text, part->line, part->key, value) : in_list(text, part->key, value);
}

static bool loss_of(const struct state *state, const struct loss *loss, uint64_t *sum)
{
	bool any = false;
	uint64_t value;
	size_t i;

	*sum = 0;
	for (i = 0; i < MOST_PARTS; i++)
		if (part_of(state, &loss->parts[i], &value)) {
			*sum += value;
			any = true;
		}
	return any;
}

static int read_files(struct state *state)
{
	enum file i;

	for (i = 0; i < FILE_COUNT; i++) {
		int status;

		if (state->files[i] < 0)
			continue;
		status = read_at_once(state->files[i], &state->text[i]);
		if (status)
			return status;
	}
	return 0;
}

/* --- /proc/net/softnet_stat: a line for each CPU, in hexadecimal: processed, dropped, squeezed, … --- */

static int read_softnet(struct state *state, uint64_t *dropped, uint64_t *squeezed)
{
	int status = read_from_start(state->softnet, &state->softnet_text);
	const char *line = state->softnet_text.data;

	*dropped = *squeezed = 0;
	while (!status && line && *line) {
		unsigned int counts[3];

		if (sscanf(line, "%x %x %x", &counts[0], &counts[1], &counts[2]) != 3)
			return -EPROTO;
		*dropped += counts[1];
		*squeezed += counts[2];
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return status;
}

/* --- the source --- */

static int sample(struct source *source, uint64_t *values)
{
	struct state *state = source->state;
	int status = read_files(state);
	size_t i;

	values += source->first;
	for (i = 0; !status && i < state->count; i++)
		if (!loss_of(state, state->losses[i], values++))
			return -ENODATA;
	if (!status && state->softnet >= 0)
		status = read_softnet(state, &values[0], &values[1]);
	return status;
}

static void close_source(struct source *source)
{
	struct state *state = source->state;
	size_t i;

	for (i = 0; i < FILE_COUNT; i++) {
		if (state->files[i] >= 0)
			close(state->files[i]);
		text_free(&state->text[i]);
	}
	if (state->softnet >= 0)
		close(state->softnet);
	text_free(&state->softnet_text);
	free(state);
}

static void add_column(struct record_layout *layout, const char *name, const char *unit, const char *scope)
{
	struct column *column = record_layout_add(layout, name, unit, COLUMN_COUNTER, "loss");

	json_member_string(&column->attributes, "scope", scope);
}

static void add_columns(struct state *state, struct record_layout *layout)
{
	uint64_t value;
	size_t i;

	for (i = 0; i < LOSS_COUNT; i++) {
		if (!loss_of(state, &LOSSES[i], &value))
			continue;
		state->losses[state->count++] = &LOSSES[i];
		add_column(layout, LOSSES[i].name, LOSSES[i].unit, "namespace");
	}
	if (state->softnet < 0)
		return;
	add_column(layout, "backlog_drops", "packets", "machine");
	add_column(layout, "time_squeezes", "times", "machine");
}

int loss_source_open(struct source *source, struct record_layout *layout)
{
	struct state *state = calloc(1, sizeof(*state));
	uint64_t dropped, squeezed;
	size_t i;

	if (!state)
		return -ENOMEM;
	for (i = 0; i < FILE_COUNT; i++)
		state->files[i] = open(FILES[i], O_RDONLY | O_CLOEXEC);
	state->softnet = open("/proc/net/softnet_stat", O_RDONLY | O_CLOEXEC);
	*source = (struct source){
		.name = "loss",
		.description = "/proc/net/snmp, snmp6, netstat: the interface's network namespace, whatever the interface; "
			       "/proc/net/softnet_stat: all CPUs of the machine",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	if (state->softnet >= 0 && read_softnet(state, &dropped, &squeezed)) {
		close(state->softnet);
		state->softnet = -1;
	}
	if (!read_files(state))
		add_columns(state, layout);
	if (source->first < layout->count)
		return 0;
	close_source(source);
	return -ENOENT;
}
