/* SPDX-License-Identifier: Apache-2.0 */
/* The idle states of the CPUs, and which of them are disabled. */
#ifndef IDLE_STATES_H
#define IDLE_STATES_H

#include "text.h"

/* The members idle_states, where all CPUs have the same, or else idle_state_sets. */
void idle_states(struct text *json);

#endif
