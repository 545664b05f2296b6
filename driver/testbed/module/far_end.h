/* SPDX-License-Identifier: GPL-2.0 */
/* The port: which host's frame leaves next, and when it arrives. */
#ifndef WIRE_FAR_END_H
#define WIRE_FAR_END_H

#include "hosts.h"

void far_end_init(struct far_end *far_end);
int far_end_start(struct far_end *far_end, const struct wire_configuration *configuration);
void far_end_stop(struct far_end *far_end);

#endif
