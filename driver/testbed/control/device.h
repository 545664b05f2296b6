/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands ask the kernel for. All say on stderr what went wrong. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* An ioctl of /dev/wire. */
bool wire_request(unsigned long request, void *argument);

struct interface {
	uint32_t mtu_bytes;
	uint32_t address; /* network byte order */
	uint8_t mac[6];
};

bool interface_read(struct interface *interface, const char *name);
/* Makes a host's hardware address known for good, so that nobody has to ask for it. */
bool neighbour_add(const char *name, uint32_t address, const uint8_t mac[6]);
/* Sets bits of one 32-bit register of the PCI card behind an interface. */
bool register_set_bits(const char *name, uint32_t offset, uint32_t bits);

#endif
