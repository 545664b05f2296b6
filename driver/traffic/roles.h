/* SPDX-License-Identifier: Apache-2.0 */
/* What the program can do: each role runs to its end and prints its report; false if something went wrong. */
#ifndef ROLES_H
#define ROLES_H

#include <stdbool.h>

#include "options.h"

bool request_server_run(const struct options *options);
bool request_client_run(const struct options *options);
bool sink_run(const struct options *options);
bool source_run(const struct options *options);
/* Of a UDP frame: all that is not payload. */
uint64_t source_overhead(const struct options *options);
bool file_reader_run(const struct options *options);

#endif
