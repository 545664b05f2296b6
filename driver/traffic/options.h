/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sockets.h"

enum role {
	REQUEST_SERVER = 1 << 0,
	REQUEST_CLIENT = 1 << 1,
	UDP_SINK = 1 << 2,
	TCP_SINK = 1 << 3,
	UDP_SOURCE = 1 << 4,
	TCP_SOURCE = 1 << 5,
	FILE_READER = 1 << 6,
};

enum { MOST_ADDRESSES = 64 };

/* Each is 0 where it was not given and has no default. */
struct options {
	enum role role;
	bool tcp; /* of all roles */
	union socket_address to[MOST_ADDRESSES];
	uint64_t to_count;
	union socket_address bind;
	const char *path;
	uint64_t port;
	uint64_t seed;
	double duration_s, warmup_s, cooldown_s;

	/* request-response */
	uint64_t servers, clients, outstanding, small_every;
	bool consecutive_addresses;
	uint64_t request_bytes, response_bytes;
	double timeout_s;
	double rate_hz;
	double service_us, service_exponential_us;

	/* sinks and sources */
	uint64_t connections, receive_window, read_bytes;
	uint64_t streams, frame_bytes, count, write_bytes, bytes;
	double packet_rate_hz, jitter;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

enum options_outcome options_parse(struct options *options, int count, char **arguments);

#endif
