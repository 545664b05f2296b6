/* SPDX-License-Identifier: Apache-2.0 */
/* Wires the parts together. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "header.h"
#include "interfaces.h"
#include "json_print.h"
#include "notes.h"
#include "options.h"
#include "recorder.h"
#include "terminal.h"

enum { FINE = 0, WRONG = 1, USAGE = 2 };

static int preview(struct recorder *recorder)
{
	struct text header = {0};
	bool fine;

	if (!header_write(recorder->options, &recorder->set, &header))
		return WRONG;
	if (header.length)
		header.length = strcspn(header.data, "\n");
	while (header.length && header.data[header.length - 1] == ' ')
		header.length--;
	fine = json_print(&header);
	text_free(&header);
	return fine ? FINE : WRONG;
}

static bool is_folder(const char *path)
{
	struct stat found;

	return !stat(path, &found) && S_ISDIR(found.st_mode);
}

static bool is_file(int fd)
{
	struct stat found;

	return !fstat(fd, &found) && S_ISREG(found.st_mode);
}

static int record(struct recorder *recorder)
{
	const struct options *options = recorder->options;
	/* another user's link would have any file of ours overwritten */
	int over = options->force ? O_TRUNC | O_NOFOLLOW : O_EXCL;
	int fd = open(options->output, O_WRONLY | O_CREAT | O_CLOEXEC | over, 0644);
	bool fine;

	if (fd < 0) {
		print_line(stderr, "coalescope-logger: %s: %s%s", options->output,
			   errno == ELOOP ? "Is a symbolic link, which is not written through" : strerror(errno),
			   errno == EEXIST && !is_folder(options->output) ? "; --force overwrites it" : "");
		return WRONG;
	}
	fine = recorder_run(recorder, fd);
	if (!fine && recorder->wakeup.timer_fd < 0 && is_file(fd))
		unlink(options->output); /* nothing was recorded */
	if (close(fd) && fine) {
		print_line(stderr, "coalescope-logger: %s: %s", options->output, strerror(errno));
		fine = false;
	}
	return fine ? FINE : WRONG;
}

int main(int count, char **arguments)
{
	struct recorder recorder;
	struct options options;
	int status = WRONG;

	switch (options_parse(&options, count, arguments)) {
	case OPTIONS_DONE:
		return FINE;
	case OPTIONS_WRONG:
		print_line(stderr, "Try coalescope-logger --help.");
		return USAGE;
	case OPTIONS_LIST:
		return interfaces_print(options.json) ? FINE : WRONG;
	case OPTIONS_RUN:
		break;
	}
	if (options.quiet)
		notes_leave_out();
	if (recorder_open(&recorder, &options))
		status = options.preview ? preview(&recorder) : record(&recorder);
	recorder_close(&recorder);
	return status;
}
