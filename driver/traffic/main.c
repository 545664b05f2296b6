/* SPDX-License-Identifier: Apache-2.0 */
/* Wires the parts together. */
#include <stdio.h>

#include "terminal.h"
#include "workers.h"
#include "options.h"
#include "roles.h"

enum { FINE = 0, WRONG = 1, USAGE = 2 };

static bool run(const struct options *options)
{
	switch (options->role) {
	case REQUEST_SERVER:
		return request_server_run(options);
	case REQUEST_CLIENT:
		return request_client_run(options);
	case UDP_SINK:
	case TCP_SINK:
		return sink_run(options);
	case FILE_READER:
		return file_reader_run(options);
	default:
		return source_run(options);
	}
}

int main(int count, char **arguments)
{
	struct options options;

	switch (options_parse(&options, count, arguments)) {
	case OPTIONS_DONE:
		return FINE;
	case OPTIONS_WRONG:
		print_line(stderr, "Try coalescope-traffic --help.");
		return USAGE;
	case OPTIONS_RUN:
		break;
	}
	workers_prepare();
	return run(&options) ? FINE : WRONG;
}
