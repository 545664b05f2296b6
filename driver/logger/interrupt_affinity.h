/* SPDX-License-Identifier: Apache-2.0 */
/* On which CPUs the interrupts of an interface's hardware may come. */
#ifndef INTERRUPT_AFFINITY_H
#define INTERRUPT_AFFINITY_H

#include "text.h"

/* "interrupt_affinity": number of the interrupt → list of CPUs; nothing where it has none that can be seen. */
void interrupt_affinity(const char *interface, struct text *json);

#endif
