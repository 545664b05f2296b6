/* SPDX-License-Identifier: Apache-2.0 */
/* The interface under observation: whether it exists here, and what its byte counters count. */
#ifndef INTERFACE_H
#define INTERFACE_H

#include <stdbool.h>

#include "text.h"

/* Index of the interface in the network namespace we run in, 0 if it is not there. */
unsigned int interface_index(const char *interface);
/* Why nothing can pass the interface now; NULL if something can. */
const char *interface_passes_nothing(const char *interface);
/* Of one that is up, with its flags. */
bool interface_has_carrier(const char *interface, short flags);
bool interface_is_ethernet(const char *interface);
/*
 * Whether /sys/class/net/INTERFACE is that interface. /sys shows the namespace it was mounted in, which is another one
 * where a namespace was entered without mounting it again.
 */
bool interface_in_sysfs(const char *interface);
/* "bytes_include":[…] for its byte counters, with what that is based on. */
void interface_bytes_include(const char *interface, struct text *attributes);

/* Does another interface work for it? False where that cannot be seen. */
bool interface_has_lower(const char *interface);

#endif
