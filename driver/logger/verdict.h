/* SPDX-License-Identifier: Apache-2.0 */
/* What the measurement window shows of losses and of others at work, in plain sentences. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdint.h>

#include "source.h"

/* One sentence for each doubt, without end of line, handed to `say`; `start` and `end` are the window's two samples. */
void verdict(const struct record_layout *layout, const uint64_t *start, const uint64_t *end,
	     void (*say)(const char *sentence, void *context), void *context);

#endif
