/* SPDX-License-Identifier: Apache-2.0 */
/* The result on stdout: one JSON object. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"

#define TRAFFIC_VERSION "0.1.0"

void report_begin(const char *role);
void report_real(const char *name, double value);
void report_whole(const char *name, uint64_t value);
void report_bool(const char *name, bool value);
/* "latency_us" and "histogram", of latencies in nanoseconds; nothing if there are none. */
void report_latency(const struct histogram *histogram);
/* False, said on stderr, if stdout did not take it. */
bool report_end(void);

#endif
