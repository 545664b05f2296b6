/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that see the interface's packets before the stack does, or after it: each of them costs CPU time. */
#ifndef ATTACHED_PROGRAMS_H
#define ATTACHED_PROGRAMS_H

#include "text.h"

/* Members "xdp" and "tc_programs" of the environment, each where something is attached. */
void attached_programs(const char *interface, struct text *json);

#endif
