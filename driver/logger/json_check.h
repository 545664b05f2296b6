/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stddef.h>

/*
 * What is wrong with a JSON value that is to stand in a run log (docs/run-log-format.md, Conventions), and at which byte; NULL
 * where nothing is. Objects and lists may lie in each other `depth` deep. Bytes end in NUL, which does not count.
 */
const char *json_fault(const char *bytes, size_t count, unsigned int depth, size_t *at);

#endif
