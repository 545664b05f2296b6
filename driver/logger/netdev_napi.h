/* SPDX-License-Identifier: Apache-2.0 */
/* The interface's NAPI instances with their settings, through the kernel's netdev family (Linux 6.8 or newer). */
#ifndef NETDEV_NAPI_H
#define NETDEV_NAPI_H

#include "text.h"

/* The member "napi": a list. Nothing where the kernel or the driver does not say. */
void netdev_napi(const char *interface, struct text *json);

#endif
