/* SPDX-License-Identifier: Apache-2.0 */
/* Sends, and says exactly how much. */
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "clock.h"
#include "flows.h"
#include "workers.h"
#include "random.h"
#include "report.h"
#include "roles.h"
#include "sockets.h"

enum {
	FRAME_OVERHEAD_BYTES = 14 + 4 + 8, /* Ethernet, its check sequence, UDP */
	IPV4_BYTES = 20,
	IPV6_BYTES = 40,
	FULL_QUEUE_PAUSE_NS = 50000,
	MOST_AT_ONCE = 64,    /* datagrams of one call */
	CATCH_UP_NS = 1000000, /* a wake-up may come so late without costing frames */
};

struct sender {
	const struct options *options;
	unsigned int index;
	uint32_t flow; /* in the header of its datagrams */
	const char *payload;
	uint64_t frames, bytes;
	uint64_t late;    /* frames that were sent too far behind the schedule, which then moved */
	double behind_ns; /* by so much in all */
	uint64_t refused; /* by the host they went to: nobody listens there */
	uint64_t retransmits;
	uint64_t begun_ns, ended_ns;
	struct series series;
};

/* This sender's share of a number that is divided among all. */
static uint64_t share(const struct sender *sender, uint64_t total)
{
	return total / sender->options->streams + (sender->index < total % sender->options->streams);
}

static void count(struct sender *sender, uint64_t frames, size_t bytes)
{
	unsigned int interval = series_index(&sender->series, now_ns());

	sender->frames += frames;
	sender->bytes += bytes;
	sender->series.counts[SERIES_BYTES][interval] += (int64_t)bytes;
	sender->series.counts[SERIES_OPERATIONS][interval] += (int64_t)frames;
}

/* One call, in which the numbers of the datagrams go on from those that were sent; as sendmmsg(). */
static int send_numbered(const struct sender *sender, int fd, size_t length, unsigned int number)
{
	struct flow_header headers[MOST_AT_ONCE];
	struct mmsghdr messages[MOST_AT_ONCE] = {0};
	struct iovec parts[MOST_AT_ONCE][2];
	const size_t head = length < sizeof(*headers) ? 0 : sizeof(*headers);
	unsigned int i;

	for (i = 0; i < number; i++) {
		headers[i] = (struct flow_header){
			.magic = htobe32(FLOW_MAGIC),
			.flow = htobe32(sender->flow),
			.sequence = htobe64(sender->frames + i),
		};
		parts[i][0] = (struct iovec){&headers[i], head};
		parts[i][1] = (struct iovec){(char *)sender->payload, length - head};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = parts[i], .msg_iovlen = 2};
	}
	return sendmmsg(fd, messages, number, 0);
}

/* How many datagrams the kernel has taken, which are then counted: some, or none if there is no going on. */
static unsigned int send_frames(struct sender *sender, int fd, size_t length, unsigned int number)
{
	while (!workers_stopping()) {
		int sent = send_numbered(sender, fd, length, number);

		if (sent > 0) {
			count(sender, (uint64_t)sent, (size_t)sent * length);
			return (unsigned int)sent;
		}
		if (errno == ENOBUFS) {
			workers_sleep_until(now_ns() + FULL_QUEUE_PAUSE_NS);
		} else if (errno == ECONNREFUSED) { /* an earlier frame was; this one is not sent yet */
			sender->refused++;
		} else if (errno != EINTR) {
			if (!workers_stopping()) {
				socket_error("send");
				workers_fail();
			}
			return 0;
		}
	}
	return 0;
}

/*
 * Frames at absolute times. What is due is sent, so that the rate holds although sleeps end late. One that is later
 * than a gap and CATCH_UP_NS moves the schedule: a longer pause does not end in a burst.
 */
static void send_on_schedule(struct sender *sender, int fd, size_t length)
{
	const struct options *options = sender->options;
	double gap = (double)options->streams * 1e9 / options->packet_rate_hz;
	struct random random = random_of(options->seed, sender->index);
	double due = (double)now_ns() + gap * random_uniform(&random), behind;
	uint64_t left = share(sender, options->count);

	for (;;) {
		workers_sleep_until((uint64_t)due);
		behind = (double)now_ns() - due;
		if (behind > fmax(gap, CATCH_UP_NS)) {
			sender->late++;
			sender->behind_ns += behind;
			due += behind;
		}
		if (!send_frames(sender, fd, length, 1) || (options->count && !--left))
			return;
		due += gap * (1 + options->jitter * (2 * random_uniform(&random) - 1));
	}
}

static void send_at_once(struct sender *sender, int fd, size_t length)
{
	const bool counted = sender->options->count;
	uint64_t left = counted ? share(sender, sender->options->count) : UINT64_MAX;
	unsigned int sent = 1;

	while (left && sent) {
		sent = send_frames(sender, fd, length, left < MOST_AT_ONCE ? (unsigned int)left : MOST_AT_ONCE);
		left -= sent;
	}
}

static void send_datagrams(struct sender *sender, int fd)
{
	const size_t length = sender->options->frame_bytes - source_overhead(sender->options);

	if (sender->options->count && !share(sender, sender->options->count))
		return;
	if (sender->options->packet_rate_hz > 0)
		send_on_schedule(sender, fd, length);
	else
		send_at_once(sender, fd, length);
}

static void send_stream(struct sender *sender, int fd)
{
	const struct options *options = sender->options;

	while (!workers_stopping() && (!options->bytes || sender->bytes < options->bytes)) {
		size_t wanted = options->write_bytes;
		ssize_t sent;

		if (options->bytes && options->bytes - sender->bytes < wanted)
			wanted = options->bytes - sender->bytes;
		sent = send(fd, sender->payload, wanted, 0);
		if (sent > 0) {
			count(sender, 0, (size_t)sent);
		} else if (!workers_stopping()) {
			socket_error("send");
			workers_fail();
			return;
		}
	}
}

static void send_all(void *worker)
{
	struct sender *sender = worker;
	const struct options *options = sender->options;
	const union socket_address to = socket_address(options->to[0], 0, (uint16_t)options->port);
	int fd = socket_connect(options->tcp, &to);

	if (fd < 0) {
		workers_fail();
		return;
	}
	sender->begun_ns = now_ns();
	if (options->tcp)
		send_stream(sender, fd);
	else
		send_datagrams(sender, fd);
	sender->ended_ns = now_ns();
	if (options->tcp)
		sender->retransmits = socket_retransmits(fd);
	workers_close(fd);
}

/* Adds them all to the first. */
static void sum(struct sender *senders, unsigned int number)
{
	struct sender *all = &senders[0];
	unsigned int i;

	for (i = 1; i < number; i++) {
		struct sender *one = &senders[i];

		if (one->begun_ns && (!all->begun_ns || one->begun_ns < all->begun_ns))
			all->begun_ns = one->begun_ns;
		if (one->ended_ns > all->ended_ns)
			all->ended_ns = one->ended_ns;
		all->frames += one->frames;
		all->bytes += one->bytes;
		all->late += one->late;
		all->behind_ns += one->behind_ns;
		all->refused += one->refused;
		all->retransmits += one->retransmits;
		series_merge(&all->series, &one->series);
	}
}

static bool report(const struct options *options, struct sender *senders)
{
	struct sender *all = &senders[0];

	sum(senders, (unsigned int)options->streams);
	report_begin(options->tcp ? "tcp source" : "udp source");
	report_time(all->begun_ns, all->ended_ns);
	report_whole("bytes", all->bytes);
	if (options->tcp) {
		report_whole("connections", options->streams);
		report_whole("retransmits", all->retransmits);
	} else {
		report_whole("operations", all->frames);
		report_whole("late", all->late);
		report_real("behind_seconds", all->behind_ns / 1e9 / (double)options->streams);
		report_whole("refused", all->refused);
	}
	report_series(&all->series, NULL);
	return report_end();
}

uint64_t source_overhead(const struct options *options)
{
	return FRAME_OVERHEAD_BYTES + (options->to[0].any.sa_family == AF_INET6 ? IPV6_BYTES : IPV4_BYTES);
}

static uint32_t drawn(void)
{
	uint32_t flow = 0;

	while (!flow && getrandom(&flow, sizeof(flow), 0) == sizeof(flow))
		;
	return flow;
}

bool source_run(const struct options *options)
{
	const size_t longest = options->tcp ? options->write_bytes : options->frame_bytes;
	struct sender *senders = calloc(options->streams, sizeof(*senders));
	char *payload = calloc(1, longest);
	bool fine = senders && payload;
	uint64_t begun = now_ns();
	unsigned int i;

	for (i = 0; fine && i < options->streams; i++) {
		senders[i].options = options;
		senders[i].index = i;
		senders[i].flow = drawn();
		senders[i].payload = payload;
		series_begin(&senders[i].series, begun);
	}
	if (fine) {
		fine = workers_run(send_all, senders, sizeof(*senders), (unsigned int)options->streams,
				options->duration_s > 0 ? now_ns() + ns_of(options->duration_s) : 0);
		fine &= report(options, senders);
	}
	free(payload);
	free(senders);
	return fine;
}
