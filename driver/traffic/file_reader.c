/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files from beginning to end, again and again, one read at a time for each reader. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "terminal.h"
#include "workers.h"
#include "report.h"
#include "roles.h"
#include "slices.h"
#include "sockets.h"

enum { ALIGNMENT = 4096, LONGEST_PATH = 4096, MOST_FILES = 100000 };

struct files {
	char **paths;
	size_t count;
};

struct reader {
	const struct options *options;
	const struct files *files;
	unsigned int index;
	char *buffer;
	uint64_t count_from_ns, count_until_ns;
	uint64_t operations, bytes;
	bool past_cache, failed;
	struct slices latency;
	struct series series; /* also of what does not count */
};

static bool keep(struct files *files, const char *path)
{
	struct stat found;

	if (stat(path, &found))
		return socket_error(path);
	if (!S_ISREG(found.st_mode) || !found.st_size || files->count == MOST_FILES)
		return true;
	files->paths[files->count] = strdup(path);
	return files->paths[files->count++] != NULL;
}

static bool keep_folder(struct files *files, const char *folder)
{
	struct dirent **entries = NULL;
	int i, count = scandir(folder, &entries, NULL, alphasort);
	bool fine = count >= 0 || socket_error(folder);

	for (i = 0; i < count; i++) {
		char path[LONGEST_PATH];

		if (fine && snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) < (int)sizeof(path))
			fine = keep(files, path);
		free(entries[i]);
	}
	free(entries);
	return fine;
}

static bool find_files(struct files *files, const char *path)
{
	struct stat found;

	if (stat(path, &found))
		return socket_error(path);
	if (!(S_ISDIR(found.st_mode) ? keep_folder(files, path) : keep(files, path)))
		return false;
	if (!files->count)
		print_line(stderr, "coalescope-traffic: %s: no files that hold anything", path);
	return files->count;
}

static int open_file(struct reader *reader, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);

	reader->past_cache = fd >= 0;
	if (fd < 0 && errno == EINVAL) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	if (fd < 0)
		socket_error(path);
	return fd;
}

/* False at the file's end, or if it cannot be read. */
static bool read_once(struct reader *reader, int fd, const char *path)
{
	uint64_t before = now_ns(), after;
	unsigned int interval;
	ssize_t got = read(fd, reader->buffer, reader->options->read_bytes);

	after = now_ns();
	if (got < 0 && errno != EINTR) {
		socket_error(path);
		reader->failed = true;
	}
	if (got <= 0)
		return got < 0 && errno == EINTR;
	interval = series_index(&reader->series, after);
	reader->series.counts[SERIES_BYTES][interval] += got;
	reader->series.counts[SERIES_OPERATIONS][interval]++;
	if (after >= reader->count_from_ns && after < reader->count_until_ns) {
		reader->operations++;
		reader->bytes += (uint64_t)got;
		slices_record(&reader->latency, after, after - before);
	}
	return true;
}

static void work(void *worker)
{
	struct reader *reader = worker;
	size_t at = reader->index % reader->files->count;

	while (!workers_stopping() && !reader->failed) {
		const char *path = reader->files->paths[at];
		int fd = open_file(reader, path);

		reader->failed = fd < 0;
		if (fd < 0)
			break;
		while (!workers_stopping() && read_once(reader, fd, path))
			;
		close(fd);
		at = (at + reader->options->streams) % reader->files->count;
	}
	if (reader->failed)
		workers_fail();
}

static bool report(struct reader *readers, uint64_t ended)
{
	struct reader *all = &readers[0];
	uint64_t until = ended < all->count_until_ns ? ended : all->count_until_ns;
	unsigned int i;

	for (i = 1; i < all->options->streams; i++) {
		slices_merge(&all->latency, &readers[i].latency);
		series_merge(&all->series, &readers[i].series);
		all->operations += readers[i].operations;
		all->bytes += readers[i].bytes;
		all->past_cache &= readers[i].past_cache;
	}
	report_begin("file-reading client");
	report_time(all->count_from_ns, until);
	report_whole("bytes", all->bytes);
	report_whole("operations", all->operations);
	report_bool("past_cache", all->past_cache);
	report_series(&all->series, NULL);
	report_latency(&all->latency);
	return report_end();
}

static bool read_files(const struct options *options, const struct files *files, struct reader *readers,
		       char *buffers)
{
	uint64_t begun = now_ns(), from = begun + ns_of(options->warmup_s), until = UINT64_MAX, end = 0;
	unsigned int i;
	bool fine;

	if (options->duration_s > 0) {
		until = from + ns_of(options->duration_s);
		end = until + ns_of(options->cooldown_s);
	}
	for (i = 0; i < options->streams; i++) {
		readers[i].options = options;
		readers[i].files = files;
		readers[i].index = i;
		series_begin(&readers[i].series, begun);
		readers[i].buffer = buffers + i * options->read_bytes;
		readers[i].count_from_ns = from;
		slices_begin(&readers[i].latency, from);
		readers[i].count_until_ns = until;
	}
	fine = workers_run(work, readers, sizeof(*readers), (unsigned int)options->streams, end);
	return report(readers, now_ns()) && fine;
}

bool file_reader_run(const struct options *options)
{
	struct reader *readers = calloc(options->streams, sizeof(*readers));
	struct files files = {.paths = calloc(MOST_FILES, sizeof(char *))};
	char *buffers = aligned_alloc(ALIGNMENT, options->streams * options->read_bytes);
	bool fine = readers && files.paths && buffers && find_files(&files, options->path) &&
		    read_files(options, &files, readers, buffers);

	while (files.count)
		free(files.paths[--files.count]);
	free(files.paths);
	free(buffers);
	free(readers);
	return fine;
}
