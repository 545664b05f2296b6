/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OURS "coalescope-logger-"

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

/* Whether it takes processes: some may be made that do not. */
static bool takes_processes(const struct cgroup *cgroup)
{
	pid_t child = fork();
	bool taken;

	if (!child) {
		pause();
		_exit(0);
	}
	if (child < 0)
		return false;
	taken = dprintf(cgroup->procs_fd, "%d", (int)child) > 0;
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

bool cgroup_make(struct cgroup *cgroup)
{
	char parent[PATH_MAX];

	*cgroup = (struct cgroup){.usage_fd = -1, .procs_fd = -1};
	if (!find_own(parent))
		return false;
	remove_left_over(parent);
	if (snprintf(cgroup->directory, PATH_MAX, "%s/" OURS "%d", parent, (int)getpid()) >= PATH_MAX ||
	    mkdir(cgroup->directory, 0755)) {
		cgroup->directory[0] = '\0';
		return false;
	}
	cgroup->usage_fd = open_in(cgroup->directory, "cpu.stat", O_RDONLY);
	cgroup->procs_fd = open_in(cgroup->directory, "cgroup.procs", O_WRONLY);
	return cgroup->usage_fd >= 0 && cgroup->procs_fd >= 0 && takes_processes(cgroup);
}

int cgroup_join(const struct cgroup *cgroup)
{
	return write(cgroup->procs_fd, "0", 1) == 1 ? 0 : -1;
}

int cgroup_used(const struct cgroup *cgroup, uint64_t *ns)
{
	unsigned long long microseconds;
	char text[64];
	ssize_t got = pread(cgroup->usage_fd, text, sizeof(text) - 1, 0);

	if (got < 0)
		return -errno;
	text[got] = '\0';
	if (sscanf(text, "usage_usec %llu", &microseconds) != 1)
		return -EPROTO;
	*ns = microseconds * 1000;
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void move_processes_back(const struct cgroup *cgroup)
{
	char parent[PATH_MAX];
	int to, pid;
	FILE *file;

	snprintf(parent, sizeof(parent), "%s", cgroup->directory);
	*strrchr(parent, '/') = '\0';
	to = open_in(parent, "cgroup.procs", O_WRONLY);
	file = fdopen(open_in(cgroup->directory, "cgroup.procs", O_RDONLY), "r");
	while (to >= 0 && file && fscanf(file, "%d", &pid) == 1)
		dprintf(to, "%d", pid);
	if (file)
		fclose(file);
	close_fd(&to);
}

void cgroup_remove(struct cgroup *cgroup)
{
	close_fd(&cgroup->usage_fd);
	close_fd(&cgroup->procs_fd);
	if (cgroup->directory[0] && rmdir(cgroup->directory)) {
		move_processes_back(cgroup);
		rmdir(cgroup->directory);
	}
	cgroup->directory[0] = '\0';
}
