/* SPDX-License-Identifier: GPL-2.0 */
/* The port: which host's frame leaves next, and when it arrives. */
#ifndef WIRE_PEER_H
#define WIRE_PEER_H

#include "hosts.h"

void peer_init(struct peer *peer);
int peer_start(struct peer *peer, const struct wire_configuration *configuration);
void peer_stop(struct peer *peer);

#endif
