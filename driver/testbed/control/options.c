/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const struct described {
	const char *name;
	size_t at;
	double least, most, preset;
} NUMBERS[] = {
	{"dilation", offsetof(struct options, dilation), 1, 1000, 1},
	{"hosts", offsetof(struct options, hosts), 1, 16, 10},
	{"port", offsetof(struct options, port), 1, 65000, 5000},
	{"source-port", offsetof(struct options, source_port), 1, 65000, 10000},
	{"seed", offsetof(struct options, seed), 0, 9007199254740992.0, 1},
	{"frames", offsetof(struct options, frames), 0, 9007199254740992.0, 0},
	{"link-mbps", offsetof(struct options, link_mbps), 1, 1e5, 1000},
	{"host-link-mbps", offsetof(struct options, host_link_mbps), 1, 1e5, 100},
	{"window-bytes", offsetof(struct options, window_bytes), 4096, 65535, 65535},
	{"service-us", offsetof(struct options, service_us), 0, 1e5, 0},
	{"service-exponential-us", offsetof(struct options, service_exponential_us), 0, 1e4, 0},
};

enum { COUNT = sizeof(NUMBERS) / sizeof(*NUMBERS), INTERFACE = COUNT };

static double *number_at(struct options *options, const struct described *described)
{
	return (double *)(void *)((char *)options + described->at);
}

static bool set_number(struct options *options, const struct described *described, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= described->least && value <= described->most)) {
		fprintf(stderr, "wire-control: --%s takes a number from %g to %g, not %s\n", described->name,
			described->least, described->most, text);
		return false;
	}
	*number_at(options, described) = value;
	return true;
}

bool options_parse(struct options *options, int argc, char **argv)
{
	struct option known[COUNT + 2] = {{0}};
	int found, i;

	*options = (struct options){.interface = "eth0"};
	for (i = 0; i < COUNT; i++) {
		*number_at(options, &NUMBERS[i]) = NUMBERS[i].preset;
		known[i] = (struct option){NUMBERS[i].name, required_argument, NULL, 0};
	}
	known[INTERFACE] = (struct option){"interface", required_argument, NULL, 0};
	while ((found = getopt_long(argc, argv, "", known, &i)) == 0) {
		if (i == INTERFACE)
			options->interface = optarg;
		else if (!set_number(options, &NUMBERS[i], optarg))
			return false;
	}
	if (found != -1)
		return false; /* getopt has said so */
	if (argc - optind > 1) {
		fprintf(stderr, "wire-control: one word too many: %s\n", argv[optind + 1]);
		return false;
	}
	options->operand = argv[optind];
	return true;
}
