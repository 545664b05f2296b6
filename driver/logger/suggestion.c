/* SPDX-License-Identifier: Apache-2.0 */
#include "suggestion.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64 };

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * How many letters have to be inserted, left out, replaced or swapped with their neighbour to turn one into the other. Optimal
 * string alignment: L. Boytsov, “Indexing methods for approximate dictionary searching”, JEA 16, 2011.
 */
static unsigned int edits_between(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned int rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2], *oldest;
	size_t i, j;

	for (j = 0; j <= b_length; j++)
		last[j] = (unsigned int)j;
	for (i = 1; i <= a_length; i++) {
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_length; j++) {
			bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];

			row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
			if (swapped)
				row[j] = least(row[j], before[j - 2] + 1);
		}
		oldest = before;
		before = last;
		last = row;
		row = oldest;
	}
	return last[b_length];
}

void suggestion_consider(struct suggestion *suggestion, const char *compared, const char *name)
{
	size_t length = strlen(compared);
	unsigned int edits;

	if (!suggestion->length || suggestion->length > LONGEST || length > LONGEST)
		return;
	edits = edits_between(suggestion->word, suggestion->length, compared, length);
	if (suggestion->length > 2 && !strncmp(suggestion->word, compared, suggestion->length))
		edits = least(edits, 1); /* cut short */
	if (edits > 1 + suggestion->length / 4 || (suggestion->best && edits >= suggestion->edits))
		return;
	suggestion->best = name;
	suggestion->edits = edits;
}
