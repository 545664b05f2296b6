/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that work until all are done, the time is up, or SIGTERM, SIGINT or SIGHUP comes. Then every socket is shut
 * down, which wakes whoever waits on it, and all are joined.
 */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_WORKERS = 1024 };

/* Before anything else in main(): signals are blocked in all threads, and sleeps are exact. */
void workers_prepare(void);

/*
 * Runs work() once for each of `count` workers, elements of `size` bytes at `workers`; ends them at until_ns
 * (0: never). False if a thread could not be started or one said workers_fail().
 */
bool workers_run(void (*work)(void *worker), void *workers, size_t size, unsigned int count, uint64_t until_ns);

bool workers_stopping(void);
/* Ends everything, as a signal would, and workers_run() returns false. */
void workers_fail(void);

/* Sleeps until then, or until all are to stop (noticed within 50 ms). */
void workers_sleep_until(uint64_t then_ns);

/* A socket that is shut down when all are to stop; workers_close() also takes it off that list. */
void workers_add_socket(int fd);
void workers_close(int fd);

#endif
