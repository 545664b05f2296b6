/* SPDX-License-Identifier: Apache-2.0 */
/* How the kernel treats the interface's packets beyond its driver: namespace, steering, polling. */
#ifndef ENVIRONMENT_NETWORK_H
#define ENVIRONMENT_NETWORK_H

#include "text.h"

/* Members of the header's environment. */
void environment_network(const char *interface, struct text *json);

#endif
