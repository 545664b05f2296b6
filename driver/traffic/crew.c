/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

enum { STACK_BYTES = 512 << 10, LONGEST_NAP_NS = 50000000 };

static struct {
	atomic_bool stopping, failed;
	atomic_uint working;
	pthread_mutex_t lock; /* of the sockets */
	int sockets[2 * MOST_WORKERS];
	unsigned int socket_count;
	void (*work)(void *worker);
	sigset_t signals;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER};

void crew_prepare(void)
{
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&crew.signals);
	sigaddset(&crew.signals, SIGTERM);
	sigaddset(&crew.signals, SIGINT);
	sigaddset(&crew.signals, SIGHUP);
	sigaddset(&crew.signals, SIGUSR1); /* the last worker is done */
	sigprocmask(SIG_BLOCK, &crew.signals, NULL);
	prctl(PR_SET_TIMERSLACK, 1);
}

bool crew_stopping(void)
{
	return atomic_load_explicit(&crew.stopping, memory_order_relaxed);
}

void crew_failed(void)
{
	atomic_store(&crew.failed, true);
	kill(getpid(), SIGUSR1);
}

void crew_sleep_until(uint64_t then_ns)
{
	uint64_t now = now_ns();

	while (now < then_ns && !crew_stopping()) {
		uint64_t nap = then_ns - now > LONGEST_NAP_NS ? now + LONGEST_NAP_NS : then_ns;
		struct timespec until = timespec_of(nap);

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		now = now_ns();
	}
}

void crew_watch(int fd)
{
	pthread_mutex_lock(&crew.lock);
	if (crew.socket_count < sizeof(crew.sockets) / sizeof(*crew.sockets))
		crew.sockets[crew.socket_count++] = fd;
	if (crew_stopping())
		shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&crew.lock);
}

void crew_close(int fd)
{
	unsigned int i;

	pthread_mutex_lock(&crew.lock);
	for (i = 0; i < crew.socket_count; i++)
		if (crew.sockets[i] == fd)
			crew.sockets[i] = crew.sockets[--crew.socket_count];
	close(fd);
	pthread_mutex_unlock(&crew.lock);
}

static void stop(void)
{
	unsigned int i;

	pthread_mutex_lock(&crew.lock);
	atomic_store(&crew.stopping, true);
	for (i = 0; i < crew.socket_count; i++)
		shutdown(crew.sockets[i], SHUT_RDWR); /* wakes readers of unconnected and listening sockets too */
	pthread_mutex_unlock(&crew.lock);
}

static void *begin(void *worker)
{
	crew.work(worker);
	if (atomic_fetch_sub(&crew.working, 1) == 1)
		kill(getpid(), SIGUSR1);
	return NULL;
}

static void wait_for_end(uint64_t until_ns)
{
	int caught = 0;

	while (atomic_load(&crew.working) && !atomic_load(&crew.failed)) {
		uint64_t now = now_ns();
		struct timespec left = timespec_of(until_ns > now ? until_ns - now : 0);

		if (until_ns && now >= until_ns)
			return;
		caught = sigtimedwait(&crew.signals, NULL, until_ns ? &left : NULL);
		if (caught > 0 && caught != SIGUSR1)
			return;
	}
}

static bool start(pthread_t *thread, const pthread_attr_t *attributes, void *worker)
{
	int status;

	atomic_fetch_add(&crew.working, 1);
	status = pthread_create(thread, attributes, begin, worker);
	if (!status)
		return true;
	atomic_fetch_sub(&crew.working, 1);
	fprintf(stderr, "coalescope-traffic: thread: %s\n", strerror(status));
	return false;
}

bool crew_run(void (*work)(void *worker), void *workers, size_t size, unsigned int count, uint64_t until_ns)
{
	pthread_t threads[MOST_WORKERS];
	pthread_attr_t attributes;
	unsigned int started;

	crew.work = work;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (started = 0; started < count; started++)
		if (!start(&threads[started], &attributes, (char *)workers + started * size)) {
			atomic_store(&crew.failed, true);
			break;
		}
	pthread_attr_destroy(&attributes);
	wait_for_end(until_ns);
	stop();
	while (started)
		pthread_join(threads[--started], NULL);
	return !atomic_load(&crew.failed);
}
