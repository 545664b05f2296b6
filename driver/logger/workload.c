/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct identity {
	bool change;
	uid_t user;
	gid_t group;
	char name[64];
};

/* Who is to run it: the named user; else who called sudo; else who called us. */
static int find_identity(struct identity *identity, const char *user)
{
	const char *sudo = geteuid() == 0 ? getenv("SUDO_USER") : NULL;
	const struct passwd *entry;

	*identity = (struct identity){.user = getuid(), .group = getgid()};
	if (!user)
		user = sudo;
	if (!user) {
		identity->change = geteuid() != getuid() || getegid() != getgid();
		return 0;
	}
	entry = getpwnam(user);
	if (!entry)
		return -ESRCH;
	identity->change = true;
	identity->user = entry->pw_uid;
	identity->group = entry->pw_gid;
	strncpy(identity->name, user, sizeof(identity->name) - 1);
	return 0;
}

static int become(const struct identity *identity)
{
	if (!identity->change)
		return 0;
	if (identity->name[0] && geteuid() == 0 && initgroups(identity->name, identity->group))
		return -1;
	if (setgid(identity->group) || setuid(identity->user))
		return -1;
	return 0;
}

/* In the child: never returns. Trouble goes to the parent as an errno. */
static void run_command(char *const *command, const struct identity *identity, const struct cpu_account *account,
			pid_t parent, int output, int trouble)
{
	sigset_t none;
	int reason;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (dup2(output, STDOUT_FILENO) >= 0 && !cpu_account_join(account) && !become(identity) && !prctl(PR_SET_PDEATHSIG, SIGTERM) &&
	    getppid() == parent)
		execvp(command[0], command);
	reason = errno;
	if (write(trouble, &reason, sizeof(reason)) < 0)
		_exit(126);
	_exit(127);
}

int workload_start(struct workload *workload, char *const *command, const char *user, size_t limit)
{
	int output[2], trouble[2], reason = 0;
	struct identity identity;
	pid_t parent = getpid();
	int status = find_identity(&identity, user);

	workload->limit = limit;
	if (status)
		return status;
	if (pipe2(output, O_CLOEXEC))
		return -errno;
	if (pipe2(trouble, O_CLOEXEC)) {
		status = -errno;
		close(output[0]);
		close(output[1]);
		return status;
	}
	workload->group = !isatty(STDIN_FILENO); /* at a terminal it must stay in the foreground */
	workload->pid = fork();
	if (workload->pid == 0) {
		if (workload->group)
			setpgid(0, 0);
		run_command(command, &identity, &workload->account, parent, output[1], trouble[1]);
	}
	workload->started = workload->pid;
	status = workload->pid < 0 ? -errno : 0;
	close(output[1]);
	close(trouble[1]);
	if (!status && read(trouble[0], &reason, sizeof(reason)) == (ssize_t)sizeof(reason)) {
		waitpid(workload->pid, NULL, 0);
		status = -reason;
	}
	close(trouble[0]);
	if (status) {
		workload->pid = 0;
		close(output[0]);
		return status;
	}
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	workload->output_fd = output[0];
	return 0;
}

void workload_drain(struct workload *workload)
{
	char part[16384];
	int rounds;

	/* bounded, so that a command that never stops printing cannot stop us from sampling */
	for (rounds = 0; rounds < 64 && workload->output_fd >= 0; rounds++) {
		ssize_t got = read(workload->output_fd, part, sizeof(part));
		size_t room = workload->limit - workload->output.length;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			close(workload->output_fd);
			workload->output_fd = -1;
			return;
		}
		workload->output_bytes += (uint64_t)got;
		text_append(&workload->output, part, (size_t)got < room ? (size_t)got : room);
	}
}

bool workload_reap(struct workload *workload)
{
	pid_t ended;
	int status;

	/* what it left behind may have become ours */
	while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
		if (ended != workload->pid)
			continue;
		workload->status = status;
		workload->pid = 0;
		workload->exited = true;
	}
	return workload->exited;
}

void workload_signal(const struct workload *workload, int number)
{
	if (workload->pid)
		kill(workload->group ? -workload->pid : workload->pid, number);
}

void workload_kill(struct workload *workload)
{
	if (workload->group && workload->started)
		kill(-workload->started, SIGKILL);
	if (!workload->pid)
		return;
	kill(workload->pid, SIGKILL);
	waitpid(workload->pid, &workload->status, 0);
	workload->pid = 0;
	workload->exited = true;
}

static bool looks_like_json(const struct text *output)
{
	size_t start = output->length ? strspn(output->data, " \t\r\n") : 0;

	return start < output->length && (output->data[start] == '{' || output->data[start] == '[');
}

void workload_metadata(const struct workload *workload, struct text *json)
{
	bool ended = workload->exited && WIFEXITED(workload->status);
	bool killed = workload->exited && WIFSIGNALED(workload->status);

	json_open(json, '{');
	json_member_string(json, "name", "workload");
	json_member_string(json, "media_type",
			   looks_like_json(&workload->output) ? "application/json" : "text/plain");
	json_name(json, "exit_status");
	if (ended)
		json_integer(json, WEXITSTATUS(workload->status));
	else
		json_null(json);
	json_name(json, "signal");
	if (killed)
		json_integer(json, WTERMSIG(workload->status));
	else
		json_null(json);
	if (workload->timed_out)
		json_member_bool(json, "timed_out", true);
	json_name(json, "output_bytes");
	json_unsigned(json, workload->output_bytes);
	json_member_bool(json, "truncated", workload->output_bytes > workload->output.length);
	json_close(json, '}');
}

void workload_free(struct workload *workload)
{
	if (workload->output_fd >= 0)
		close(workload->output_fd);
	text_free(&workload->output);
	cpu_account_close(&workload->account);
}
