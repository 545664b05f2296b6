/* SPDX-License-Identifier: Apache-2.0 */
/* How kernel and processors are set up, as far as it changes what traffic costs. */
#ifndef ENVIRONMENT_KERNEL_H
#define ENVIRONMENT_KERNEL_H

#include <stdbool.h>

#include "text.h"

/* Members of the header's environment. `redact_host`: leaves out what may name the host. */
void environment_kernel(bool redact_host, struct text *json);

#endif
