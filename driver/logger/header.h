/* SPDX-License-Identifier: Apache-2.0 */
/* The log's header. */
#ifndef HEADER_H
#define HEADER_H

#include <stdbool.h>

#include "options.h"
#include "source_set.h"
#include "text.h"

/* The whole header as JSON, padded as the format wants it; false, said on stderr, where a file repeats what is in it. */
bool header_write(const struct options *options, const struct source_set *set, struct text *json);

#endif
