/* SPDX-License-Identifier: Apache-2.0 */
#include "json_print.h"

#include <stdio.h>

#include "terminal.h"

bool json_print(const struct text *json)
{
	struct text pretty = {0};
	bool fine;

	json_pretty(&pretty, json->data, json->length);
	fine = !json->failed && !pretty.failed;
	if (fine)
		print_lines(stdout, pretty.data);
	text_free(&pretty);
	return fine && !fflush(stdout) && !ferror(stdout);
}
