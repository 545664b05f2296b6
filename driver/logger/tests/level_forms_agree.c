/* SPDX-License-Identifier: Apache-2.0 */
/* level_forms_agree FORM LEVEL JSON: says "agree" or "differ" of a level and what the environment has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../level_forms.h"

int main(int argc, char **argv)
{
	if (argc != 4)
		return EXIT_FAILURE;
	puts(level_agrees((enum form)atoi(argv[1]), argv[2], argv[3], strlen(argv[3])) ? "agree" : "differ");
	return EXIT_SUCCESS;
}
