/* SPDX-License-Identifier: Apache-2.0 */
/* The log's header. */
#ifndef HEADER_H
#define HEADER_H

#include "options.h"
#include "source.h"
#include "text.h"

/* The whole header as JSON, padded as the format wants it. */
void header_write(const struct options *options, const struct record_layout *layout,
		  const struct source *sources, size_t source_count, struct text *json);

#endif
