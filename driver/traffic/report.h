/* SPDX-License-Identifier: Apache-2.0 */
/* The result on stdout: one JSON object. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "slices.h"
#include "series.h"

#define TRAFFIC_VERSION "0.2.0"

void report_begin(const char *role);
void report_real(const char *name, double value);
void report_whole(const char *name, uint64_t value);
/* "seconds", and when they began and ended by CLOCK_MONOTONIC_RAW; without these if nothing was counted. */
void report_time(uint64_t begun_ns, uint64_t ended_ns);
/* "intervals": bytes, operations and, if it is named, the third column, from the first that holds anything on. */
void report_series(const struct series *series, const char *own);
/* A list of objects: report_list(), for each report_item() and its members, report_list_end(). */
void report_list(const char *name);
void report_item(void);
void report_list_end(void);
void report_bool(const char *name, bool value);
/* "latency_us", "histogram" and "latency_slices", of latencies in nanoseconds; nothing if there are none. */
void report_latency(const struct slices *slices);
/* False, said on stderr, if stdout did not take it. */
bool report_end(void);

#endif
