/* SPDX-License-Identifier: Apache-2.0 */
/* The log's header. */
#ifndef HEADER_H
#define HEADER_H

#include "options.h"
#include "source_set.h"
#include "text.h"

/* The whole header as JSON, padded as the format wants it. */
void header_write(const struct options *options, const struct source_set *set, struct text *json);

#endif
