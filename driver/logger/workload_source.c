/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time of the command that is recorded. */
#include <errno.h>

#include "cpu_account.h"
#include "source.h"

static int sample(struct source *source, uint64_t *values)
{
	return cpu_account_used(source->state, &values[source->first]);
}

int workload_source_open(struct source *source, struct record_layout *layout, struct cpu_account *account)
{
	struct column *column;

	if (!account->open)
		return -ENOENT;
	*source = (struct source){
		.name = "workload",
		.description = "CPU time of the command and of all that it started, as the kernel accounts it: interrupts "
			       "in the meantime may be part of it",
		.first = layout->count,
		.sample = sample,
		.state = account,
	};
	column = record_layout_add(layout, "workload_cpu_ns", "ns", COLUMN_COUNTER, source->name);
	json_member_string(&column->attributes, "basis", cpu_account_basis(account));
	return 0;
}
