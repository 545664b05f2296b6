// SPDX-License-Identifier: Apache-2.0
/* Wakes as often as the logger samples and does nothing else: what waking alone costs a CPU here. */
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	const long interval_ns = argc > 1 ? atol(argv[1]) * 1000000 : 0;
	const struct timespec interval = { .tv_sec = 0, .tv_nsec = interval_ns };
	const struct itimerspec schedule = { .it_interval = interval, .it_value = interval };
	struct pollfd timer = { .fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), .events = POLLIN };
	uint64_t times;

	if (interval_ns < 1 || timer.fd < 0 || timerfd_settime(timer.fd, 0, &schedule, NULL))
		return 1;
	while (poll(&timer, 1, -1) > 0 && read(timer.fd, &times, sizeof times) == sizeof times)
		;
	return 1;
}
