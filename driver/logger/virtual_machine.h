/* SPDX-License-Identifier: Apache-2.0 */
/* Which hypervisor we run under, and what it says of itself. */
#ifndef VIRTUAL_MACHINE_H
#define VIRTUAL_MACHINE_H

#include "text.h"

/*
 * The members of the header's "virtual_machine", none on a machine of its own; the caller opens and closes the object.
 * No hypervisor tells a guest its own version: that comes through --environment.
 */
void virtual_machine_describe(struct text *json);

#endif
