/* SPDX-License-Identifier: Apache-2.0 */
/* Sends, and says exactly how much. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "clock.h"
#include "crew.h"
#include "random.h"
#include "report.h"
#include "roles.h"
#include "sockets.h"

enum {
	FRAME_OVERHEAD_BYTES = 14 + 4 + 20 + 8, /* Ethernet, its check sequence, IPv4, UDP */
	FULL_QUEUE_PAUSE_NS = 50000,
};

struct sender {
	const struct options *options;
	unsigned int index;
	const char *payload;
	uint64_t frames, bytes;
	uint64_t late;    /* frames that were sent more than one gap behind the schedule, which then moved */
	double behind_ns; /* by so much in all */
	uint64_t refused; /* by the host they went to: nobody listens there */
	uint64_t begun_ns, ended_ns;
};

/* This sender's share of a number that is divided among all. */
static uint64_t share(const struct sender *sender, uint64_t total)
{
	return total / sender->options->streams + (sender->index < total % sender->options->streams);
}

/* True once the kernel has taken the datagram, which is then counted. */
static bool send_frame(struct sender *sender, int fd, size_t length)
{
	while (!crew_stopping()) {
		if (send(fd, sender->payload, length, 0) == (ssize_t)length) {
			sender->frames++;
			sender->bytes += length;
			return true;
		}
		if (errno == ENOBUFS) {
			crew_sleep_until(now_ns() + FULL_QUEUE_PAUSE_NS);
		} else if (errno == ECONNREFUSED) { /* an earlier frame was; this one is not sent yet */
			sender->refused++;
		} else if (errno != EINTR) {
			if (!crew_stopping()) {
				socket_complain("send");
				crew_failed();
			}
			return false;
		}
	}
	return false;
}

/*
 * Frames at absolute times. One that is more than a gap late is sent at once and moves the schedule, because a wire
 * cannot send faster than its rate to catch up either.
 */
static void send_on_schedule(struct sender *sender, int fd, size_t length)
{
	const struct options *options = sender->options;
	double gap = (double)options->streams * 1e9 / options->packet_rate_hz;
	struct random random = random_of(options->seed, sender->index);
	double due = (double)now_ns() + gap * random_uniform(&random), behind;
	uint64_t left = share(sender, options->count);

	for (;;) {
		crew_sleep_until((uint64_t)due);
		behind = (double)now_ns() - due;
		if (behind > gap) {
			sender->late++;
			sender->behind_ns += behind;
			due += behind;
		}
		if (!send_frame(sender, fd, length) || (options->count && !--left))
			return;
		due += gap * (1 + options->jitter * (2 * random_uniform(&random) - 1));
	}
}

static void send_datagrams(struct sender *sender, int fd)
{
	const size_t length = sender->options->frame_bytes - FRAME_OVERHEAD_BYTES;
	uint64_t left = share(sender, sender->options->count);

	if (sender->options->count && !left)
		return;
	if (sender->options->packet_rate_hz > 0)
		send_on_schedule(sender, fd, length);
	else
		while (send_frame(sender, fd, length) && (!sender->options->count || --left))
			;
}

static void send_stream(struct sender *sender, int fd)
{
	const struct options *options = sender->options;

	while (!crew_stopping() && (!options->bytes || sender->bytes < options->bytes)) {
		size_t wanted = options->write_bytes;
		ssize_t sent;

		if (options->bytes && options->bytes - sender->bytes < wanted)
			wanted = options->bytes - sender->bytes;
		sent = send(fd, sender->payload, wanted, 0);
		if (sent > 0) {
			sender->bytes += (uint64_t)sent;
		} else if (!crew_stopping()) {
			socket_complain("send");
			crew_failed();
			return;
		}
	}
}

static void send_all(void *worker)
{
	struct sender *sender = worker;
	const struct options *options = sender->options;
	const struct sockaddr_in to = socket_address(options->to[0], 0, (uint16_t)options->port);
	int fd = socket_connect(options->tcp, &to);

	if (fd < 0) {
		crew_failed();
		return;
	}
	sender->begun_ns = now_ns();
	if (options->tcp)
		send_stream(sender, fd);
	else
		send_datagrams(sender, fd);
	sender->ended_ns = now_ns();
	crew_close(fd);
}

static struct sender sum(const struct sender *senders, unsigned int number)
{
	struct sender all = {0};
	unsigned int i;

	for (i = 0; i < number; i++) {
		if (senders[i].begun_ns && (!all.begun_ns || senders[i].begun_ns < all.begun_ns))
			all.begun_ns = senders[i].begun_ns;
		if (senders[i].ended_ns > all.ended_ns)
			all.ended_ns = senders[i].ended_ns;
		all.frames += senders[i].frames;
		all.bytes += senders[i].bytes;
		all.late += senders[i].late;
		all.behind_ns += senders[i].behind_ns;
		all.refused += senders[i].refused;
	}
	return all;
}

static bool report(const struct options *options, const struct sender *senders)
{
	struct sender all = sum(senders, (unsigned int)options->streams);

	report_begin(options->tcp ? "tcp source" : "udp source");
	report_real("seconds", (double)(all.ended_ns - all.begun_ns) / NS_PER_S);
	report_whole("bytes", all.bytes);
	if (options->tcp) {
		report_whole("connections", options->streams);
	} else {
		report_whole("operations", all.frames);
		report_whole("late", all.late);
		report_real("behind_seconds", all.behind_ns / 1e9 / (double)options->streams);
		report_whole("refused", all.refused);
	}
	return report_end();
}

bool source_run(const struct options *options)
{
	const size_t longest = options->tcp ? options->write_bytes : options->frame_bytes;
	struct sender *senders = calloc(options->streams, sizeof(*senders));
	char *payload = calloc(1, longest);
	bool fine = senders && payload;
	unsigned int i;

	for (i = 0; fine && i < options->streams; i++)
		senders[i] = (struct sender){.options = options, .index = i, .payload = payload};
	if (fine) {
		fine = crew_run(send_all, senders, sizeof(*senders), (unsigned int)options->streams,
				options->duration_s > 0 ? now_ns() + ns_of(options->duration_s) : 0);
		fine &= report(options, senders);
	}
	free(payload);
	free(senders);
	return fine;
}
