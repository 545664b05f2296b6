/* SPDX-License-Identifier: Apache-2.0 */
/* The known name that a misspelt one probably means. */
#ifndef SUGGESTION_H
#define SUGGESTION_H

#include <stddef.h>

struct suggestion {
	const char *word; /* that was typed */
	size_t length;
	const char *best; /* NULL: no known name is near */
	unsigned int edits;
};

/* Takes a name for the best if what is compared of it is nearer to the word than all before. */
void suggestion_consider(struct suggestion *suggestion, const char *compared, const char *name);

#endif
