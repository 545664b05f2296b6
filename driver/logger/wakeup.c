/* SPDX-License-Identifier: Apache-2.0 */
#include "wakeup.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int wakeup_catch_signals(struct wakeup *wakeup)
{
	sigset_t caught;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a full quota is a write error like any other */
	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	sigaddset(&caught, SIGHUP);
	sigaddset(&caught, SIGCHLD);
	sigprocmask(SIG_BLOCK, &caught, NULL);
	wakeup->signal_fd = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
	return wakeup->signal_fd < 0 ? -errno : 0;
}

int wakeup_start_timer(struct wakeup *wakeup, uint64_t interval_ns)
{
	struct itimerspec schedule;
	uint64_t first;

	wakeup->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (wakeup->timer_fd < 0)
		return -errno;
	clock_gettime(CLOCK_MONOTONIC, &schedule.it_value);
	first = (uint64_t)schedule.it_value.tv_nsec + interval_ns;
	schedule.it_value.tv_sec += (time_t)(first / 1000000000u);
	schedule.it_value.tv_nsec = (long)(first % 1000000000u);
	schedule.it_interval.tv_sec = (time_t)(interval_ns / 1000000000u);
	schedule.it_interval.tv_nsec = (long)(interval_ns % 1000000000u);
	if (timerfd_settime(wakeup->timer_fd, TFD_TIMER_ABSTIME, &schedule, NULL))
		return -errno;
	return 0;
}

static void read_signals(struct wakeup *wakeup)
{
	struct signalfd_siginfo info;

	while (read(wakeup->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			wakeup->caught = (int)info.ssi_signo;
}

bool wakeup_wait(struct wakeup *wakeup, struct workload *workload, int timeout_ms)
{
	struct pollfd watched[] = {
		{.fd = wakeup->timer_fd, .events = POLLIN},
		{.fd = wakeup->signal_fd, .events = POLLIN},
		{.fd = workload->output_fd, .events = POLLIN},
	};
	uint64_t ticks = 0;

	if (poll(watched, 3, timeout_ms) <= 0)
		return false;
	if (watched[1].revents) {
		read_signals(wakeup);
		workload_reap(workload);
	}
	if (watched[2].revents)
		workload_drain(workload);
	if (!watched[0].revents || read(wakeup->timer_fd, &ticks, sizeof(ticks)) != (ssize_t)sizeof(ticks))
		return false;
	wakeup->missed_ticks += ticks - 1;
	return true;
}

void wakeup_close(struct wakeup *wakeup)
{
	if (wakeup->timer_fd >= 0)
		close(wakeup->timer_fd);
	if (wakeup->signal_fd >= 0)
		close(wakeup->signal_fd);
}
