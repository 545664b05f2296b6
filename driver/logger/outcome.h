/* SPDX-License-Identifier: Apache-2.0 */
/* How a recording ended, and what it leaves to be desired. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdbool.h>

#include "recorder.h"

/* As the log's footer has it. */
const char *outcome_ended(const struct recorder *recorder);
/* Says what is wrong, and the summary if it was asked for; true if nothing is. `sampled`: all samples were taken. */
bool outcome_report(const struct recorder *recorder, bool sampled);

#endif
