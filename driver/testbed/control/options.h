/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
	const char *interface;
	double dilation;
	double hosts, port, source_port, seed, frames;
	double link_mbps, host_link_mbps;
	double window_bytes;
	double service_us, service_exponential_us;
	const char *operand; /* the one word that is no option */
};

/* False, said on stderr, if they are not what they should be. */
bool options_parse(struct options *options, int argc, char **argv);

#endif
