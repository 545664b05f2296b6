/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_PRINT_H
#define JSON_PRINT_H

#include "text.h"

/* Prints compact JSON on stdout, indented for people; false if it failed. */
bool json_print(const struct text *json);

#endif
