/* SPDX-License-Identifier: Apache-2.0 */
#include "descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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

static int add_process(struct descendants *descendants, pid_t pid, bool unreaped)
{
	if (descendants->count == descendants->room) {
		size_t room = descendants->room ? 2 * descendants->room : 64;
		struct descendant *processes = realloc(descendants->processes, room * sizeof(*processes));

		if (!processes)
			return -ENOMEM;
		descendants->processes = processes;
		descendants->room = room;
	}
	descendants->processes[descendants->count++] = (struct descendant){.pid = pid, .unreaped = unreaped};
	return 0;
}

/* The children of a process stand with the threads that started them. */
static int add_children(struct descendants *descendants, pid_t parent)
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
			status = add_process(descendants, pid, unreaped);
		if (children)
			fclose(children);
	}
	if (threads)
		closedir(threads);
	return status;
}

/* While no process has begun anywhere, the descendants that we know are all that there are. */
static bool something_began(struct descendants *descendants)
{
	char text[128];
	ssize_t got = pread(descendants->newest_fd, text, sizeof(text) - 1, 0);
	const char *last;
	unsigned long newest;

	if (got <= 0)
		return true;
	text[got] = '\0';
	last = strrchr(text, ' ');
	newest = last ? strtoul(last, NULL, 10) : 0;
	if (newest && newest == descendants->newest)
		return false;
	descendants->newest = newest;
	return true;
}

static struct descendant *descendant(const struct descendants *descendants, pid_t pid)
{
	size_t i;

	for (i = 0; i < descendants->count; i++)
		if (descendants->processes[i].pid == pid)
			return &descendants->processes[i];
	return NULL;
}

/* What was seen of those that were there before, whether they still are or not. */
static void keep_seen(struct descendants *descendants, const struct descendant *before, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct descendant *now = descendant(descendants, before[i].pid);

		if (now)
			now->used_ns = before[i].used_ns;
		else if (before[i].unreaped)
			descendants->unreaped_ns += before[i].used_ns;
	}
}

static int find_descendants(struct descendants *descendants)
{
	struct descendant *before = descendants->processes;
	size_t next, count = descendants->count;
	int status;

	if (!something_began(descendants))
		return 0;
	descendants->processes = NULL;
	descendants->count = descendants->room = 0;
	status = add_children(descendants, getpid());
	for (next = 0; !status && next < descendants->count; next++)
		status = add_children(descendants, descendants->processes[next].pid);
	keep_seen(descendants, before, count);
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
	if (fd >= 0)
		close(fd);
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
static uint64_t descendant_used(struct descendants *descendants, struct descendant *process)
{
	if (process_used(process->pid, &process->used_ns))
		return process->used_ns;
	if (process->unreaped)
		descendants->unreaped_ns += process->used_ns;
	*process = (struct descendant){.pid = process->pid};
	return 0;
}

static uint64_t microseconds_ns(const struct timeval *time)
{
	return ((uint64_t)time->tv_sec * 1000000u + (uint64_t)time->tv_usec) * 1000u;
}

int descendants_used(struct descendants *descendants, uint64_t *ns)
{
	struct rusage ended;
	int status = find_descendants(descendants);
	size_t i;

	if (status)
		return status;
	*ns = 0;
	for (i = 0; i < descendants->count; i++)
		*ns += descendant_used(descendants, &descendants->processes[i]);
	getrusage(RUSAGE_CHILDREN, &ended);
	*ns += microseconds_ns(&ended.ru_utime) + microseconds_ns(&ended.ru_stime) + descendants->unreaped_ns;
	return 0;
}

int descendants_open(struct descendants *descendants)
{
	char path[64];

	*descendants = (struct descendants){.newest_fd = -1};
	/* so that what a command leaves behind becomes our child */
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (access(path, R_OK) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	descendants->newest_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	return descendants->newest_fd < 0 ? -errno : 0;
}

void descendants_close(struct descendants *descendants)
{
	if (descendants->newest_fd >= 0)
		close(descendants->newest_fd);
	free(descendants->processes);
	*descendants = (struct descendants){.newest_fd = -1};
}
