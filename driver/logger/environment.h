/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds a measurement and may explain it. What cannot be found out is left out, never guessed. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

/* An assignment whose name begins so is about the virtual machine, not a note. */
#define ENVIRONMENT_VIRTUAL_MACHINE "virtual_machine."

struct environment_options {
	const char *interface;
	char *const *command; /* NULL-terminated, or NULL */
	const char *counter_source;
	const char *sources_refused; /* JSON object, or NULL */
	const char *source_facts;    /* JSON members, or NULL */
	const char *told;	     /* JSON members, or NULL */
	const char *const *extra; /* NAME=VALUE */
	unsigned int extra_count;
	bool redact_host, redact_command;
};

/* The header's "environment" object; false where what it is told repeats a name, which is said on stderr. */
bool environment_describe(const struct environment_options *options, struct text *json);
/* Members for the footer: the settings that a run may have changed. */
void environment_after(const char *interface, struct text *json);
bool interface_mtu(const char *interface, uint64_t *mtu);

#endif
