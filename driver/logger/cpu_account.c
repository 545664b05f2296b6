/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_account.h"

static bool open_cgroup(struct cpu_account *account)
{
	if (cgroup_make(&account->cgroup) && !cgroup_used(&account->cgroup, &account->before_ns))
		return true;
	cgroup_remove(&account->cgroup);
	return false;
}

static int open_descendants(struct cpu_account *account)
{
	int status = descendants_open(&account->descendants);

	return status ? status : descendants_used(&account->descendants, &account->before_ns);
}

int cpu_account_open(struct cpu_account *account)
{
	int status;

	*account = (struct cpu_account){.open = true, .descendants.newest_fd = -1};
	account->in_cgroup = open_cgroup(account);
	status = account->in_cgroup ? 0 : open_descendants(account);
	if (status)
		cpu_account_close(account);
	return status;
}

const char *cpu_account_basis(const struct cpu_account *account)
{
	return account->in_cgroup ? "cgroup" : "process tree";
}

bool cpu_account_forgets_nothing(const struct cpu_account *account)
{
	return account->in_cgroup;
}

int cpu_account_join(const struct cpu_account *account)
{
	return account->open && account->in_cgroup ? cgroup_join(&account->cgroup) : 0;
}

int cpu_account_used(struct cpu_account *account, uint64_t *ns)
{
	uint64_t now = 0;
	int status = account->in_cgroup ? cgroup_used(&account->cgroup, &now)
					: descendants_used(&account->descendants, &now);

	/* a process that ends between two looks may be missed for a moment */
	if (!status && now > account->before_ns + account->used_ns)
		account->used_ns = now - account->before_ns;
	*ns = account->used_ns;
	return status;
}

void cpu_account_close(struct cpu_account *account)
{
	if (!account->open)
		return;
	if (account->in_cgroup)
		cgroup_remove(&account->cgroup);
	descendants_close(&account->descendants);
	*account = (struct cpu_account){0};
}
