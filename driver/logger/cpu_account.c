/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_account.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OURS "coalescope-logger-"

/* --- a cgroup of its own --- */

/* Where the second version of cgroups is mounted, and which of its directories is seen there. */
static bool find_mount(char *root, char *point)
{
	char line[2 * PATH_MAX + 256];
	FILE *file = fopen("/proc/self/mountinfo", "re");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " - cgroup2 ") &&
			sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) == 2;
	if (file)
		fclose(file);
	return found;
}

static bool find_membership(char *path)
{
	char line[PATH_MAX + 8];
	FILE *file = fopen("/proc/self/cgroup", "re");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "0::%4095s", path) == 1;
	if (file)
		fclose(file);
	return found;
}

/* The directory of the cgroup that we are in. */
static bool find_own(char *directory)
{
	char root[PATH_MAX], point[PATH_MAX], path[PATH_MAX];
	size_t skipped;

	if (!find_mount(root, point) || !find_membership(path))
		return false;
	skipped = strcmp(root, "/") ? strlen(root) : 0;
	if (strncmp(path, root, skipped) || (skipped && path[skipped] && path[skipped] != '/'))
		return false;
	return snprintf(directory, PATH_MAX, "%s%s", point, path + skipped) < PATH_MAX;
}

/* Those of loggers that were killed; one that is in use is not empty, and stays. */
static void remove_left_over(const char *parent)
{
	DIR *directory = opendir(parent);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)) != NULL) {
		if (strncmp(entry->d_name, OURS, strlen(OURS)) ||
		    !kill(atoi(entry->d_name + strlen(OURS)), 0) || errno != ESRCH)
			continue;
		unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR);
	}
	if (directory)
		closedir(directory);
}

static int cgroup_used(const struct cpu_account *account, uint64_t *ns)
{
	unsigned long long microseconds;
	char text[64];
	ssize_t got = pread(account->usage_fd, text, sizeof(text) - 1, 0);

	if (got < 0)
		return -errno;
	text[got] = '\0';
	if (sscanf(text, "usage_usec %llu", &microseconds) != 1)
		return -EPROTO;
	*ns = microseconds * 1000;
	return 0;
}

/* Whether it takes processes: some may be made that do not. */
static bool takes_processes(const struct cpu_account *account)
{
	pid_t child = fork();
	bool taken;

	if (!child) {
		pause();
		_exit(0);
	}
	if (child < 0)
		return false;
	taken = dprintf(account->procs_fd, "%d", (int)child) > 0;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return taken;
}

static int open_in(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
		return -1;
	return open(path, flags | O_CLOEXEC);
}

static bool open_cgroup(struct cpu_account *account)
{
	char parent[PATH_MAX];

	if (!find_own(parent))
		return false;
	remove_left_over(parent);
	if (snprintf(account->cgroup, PATH_MAX, "%s/" OURS "%d", parent, (int)getpid()) >= PATH_MAX ||
	    mkdir(account->cgroup, 0755)) {
		account->cgroup[0] = '\0';
		return false;
	}
	account->usage_fd = open_in(account->cgroup, "cpu.stat", O_RDONLY);
	account->procs_fd = open_in(account->cgroup, "cgroup.procs", O_WRONLY);
	return account->usage_fd >= 0 && account->procs_fd >= 0 && takes_processes(account) &&
	       !cgroup_used(account, &account->before_ns);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* What the command has left running stays, where we are. */
static void empty_cgroup(const struct cpu_account *account)
{
	char parent[PATH_MAX];
	int to, pid;
	FILE *file;

	snprintf(parent, sizeof(parent), "%s", account->cgroup);
	*strrchr(parent, '/') = '\0';
	to = open_in(parent, "cgroup.procs", O_WRONLY);
	file = fdopen(open_in(account->cgroup, "cgroup.procs", O_RDONLY), "r");
	while (to >= 0 && file && fscanf(file, "%d", &pid) == 1)
		dprintf(to, "%d", pid);
	if (file)
		fclose(file);
	close_fd(&to);
}

static void close_cgroup(struct cpu_account *account)
{
	close_fd(&account->usage_fd);
	close_fd(&account->procs_fd);
	if (account->cgroup[0] && rmdir(account->cgroup)) {
		empty_cgroup(account);
		rmdir(account->cgroup);
	}
	account->cgroup[0] = '\0';
}

/* --- by descent --- */

/* With SIGCHLD ignored, children are never waited for. */
static bool ignores_children(pid_t parent)
{
	char path[64], line[128];
	unsigned long long ignored = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)parent);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file) && sscanf(line, "SigIgn: %llx", &ignored) != 1)
		;
	if (file)
		fclose(file);
	return ignored >> (SIGCHLD - 1) & 1;
}

static int add_process(struct cpu_account *account, pid_t pid, bool unreaped)
{
	if (account->count == account->room) {
		size_t room = account->room ? 2 * account->room : 64;
		struct descendant *processes = realloc(account->processes, room * sizeof(*processes));

		if (!processes)
			return -ENOMEM;
		account->processes = processes;
		account->room = room;
	}
	account->processes[account->count++] = (struct descendant){.pid = pid, .unreaped = unreaped};
	return 0;
}

/* The children of a process stand with the threads that started them. */
static int add_children(struct cpu_account *account, pid_t parent)
{
	char path[64];
	bool unreaped = ignores_children(parent);
	const struct dirent *entry;
	DIR *threads;
	int status = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	threads = opendir(path);
	while (threads && !status && (entry = readdir(threads)) != NULL) {
		char name[sizeof(entry->d_name) + 16];
		FILE *children;
		int fd, pid;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/children", entry->d_name);
		fd = openat(dirfd(threads), name, O_RDONLY | O_CLOEXEC);
		children = fd >= 0 ? fdopen(fd, "r") : NULL;
		while (children && !status && fscanf(children, "%d", &pid) == 1)
			status = add_process(account, pid, unreaped);
		if (children)
			fclose(children);
	}
	if (threads)
		closedir(threads);
	return status;
}

/* While no process has begun anywhere, the descendants that we know are all that there are. */
static bool something_began(struct cpu_account *account)
{
	char text[128];
	ssize_t got = pread(account->newest_fd, text, sizeof(text) - 1, 0);
	const char *last;
	unsigned long newest;

	if (got <= 0)
		return true;
	text[got] = '\0';
	last = strrchr(text, ' ');
	newest = last ? strtoul(last, NULL, 10) : 0;
	if (newest && newest == account->newest)
		return false;
	account->newest = newest;
	return true;
}

static struct descendant *descendant(const struct cpu_account *account, pid_t pid)
{
	size_t i;

	for (i = 0; i < account->count; i++)
		if (account->processes[i].pid == pid)
			return &account->processes[i];
	return NULL;
}

/* What was seen of those that were there before, whether they still are or not. */
static void keep_seen(struct cpu_account *account, const struct descendant *before, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct descendant *now = descendant(account, before[i].pid);

		if (now)
			now->used_ns = before[i].used_ns;
		else if (before[i].unreaped)
			account->unreaped_ns += before[i].used_ns;
	}
}

static int find_descendants(struct cpu_account *account)
{
	struct descendant *before = account->processes;
	size_t next, count = account->count;
	int status;

	if (!something_began(account))
		return 0;
	account->processes = NULL;
	account->count = account->room = 0;
	status = add_children(account, getpid());
	for (next = 0; !status && next < account->count; next++)
		status = add_children(account, account->processes[next].pid);
	keep_seen(account, before, count);
	free(before);
	return status;
}

/* Of a process itself and of its children that it has waited for; false once it is gone. */
static bool process_used(pid_t pid, uint64_t *ns)
{
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	unsigned long long user, system;
	struct timespec own;
	clockid_t clock;
	char path[64], text[1024];
	const char *after = NULL;
	ssize_t got;
	int fd;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &own))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	close_fd(&fd);
	if (got > 0) {
		text[got] = '\0';
		after = strrchr(text, ')'); /* the name before it may hold anything */
	}
	if (!after || sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu %llu", &user,
			     &system) != 2)
		user = system = 0;
	*ns = (uint64_t)own.tv_sec * 1000000000u + (uint64_t)own.tv_nsec + (user + system) * tick_ns;
	return true;
}

/* 0 once it is gone, as it is with its parent then, or with what ended unreaped. */
static uint64_t descendant_used(struct cpu_account *account, struct descendant *process)
{
	if (process_used(process->pid, &process->used_ns))
		return process->used_ns;
	if (process->unreaped)
		account->unreaped_ns += process->used_ns;
	*process = (struct descendant){.pid = process->pid};
	return 0;
}

static uint64_t microseconds_ns(const struct timeval *time)
{
	return ((uint64_t)time->tv_sec * 1000000u + (uint64_t)time->tv_usec) * 1000u;
}

static int descendants_used(struct cpu_account *account, uint64_t *ns)
{
	struct rusage ended;
	int status = find_descendants(account);
	size_t i;

	if (status)
		return status;
	*ns = 0;
	for (i = 0; i < account->count; i++)
		*ns += descendant_used(account, &account->processes[i]);
	getrusage(RUSAGE_CHILDREN, &ended);
	*ns += microseconds_ns(&ended.ru_utime) + microseconds_ns(&ended.ru_stime) + account->unreaped_ns;
	return 0;
}

static int open_descent(struct cpu_account *account)
{
	char path[64];

	/* so that what a command leaves behind becomes our child */
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (access(path, R_OK) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	account->newest_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	if (account->newest_fd < 0)
		return -errno;
	return descendants_used(account, &account->before_ns);
}

/* --- both --- */

int cpu_account_open(struct cpu_account *account)
{
	int status = 0;

	*account = (struct cpu_account){.open = true, .usage_fd = -1, .procs_fd = -1, .newest_fd = -1};
	if (!open_cgroup(account)) {
		close_cgroup(account);
		status = open_descent(account);
	}
	if (status)
		cpu_account_close(account);
	return status;
}

const char *cpu_account_basis(const struct cpu_account *account)
{
	return account->cgroup[0] ? "cgroup" : "process tree";
}

bool cpu_account_forgets_nothing(const struct cpu_account *account)
{
	return account->cgroup[0];
}

int cpu_account_join(const struct cpu_account *account)
{
	return !account->open || !account->cgroup[0] || write(account->procs_fd, "0", 1) == 1 ? 0 : -1;
}

int cpu_account_used(struct cpu_account *account, uint64_t *ns)
{
	uint64_t now = 0;
	int status = account->cgroup[0] ? cgroup_used(account, &now) : descendants_used(account, &now);

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
	close_cgroup(account);
	close_fd(&account->newest_fd);
	free(account->processes);
	*account = (struct cpu_account){0};
}
