/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../module/wire_abi.h"

enum { REGISTERS_BYTES = 0x20000, PATH_BYTES = 128 };

static bool usage_error(const char *what)
{
	fprintf(stderr, "wire-control: %s: %s\n", what, strerror(errno));
	return false;
}

bool wire_request(unsigned long request, void *argument)
{
	int fd = open(WIRE_DEVICE, O_RDWR | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return usage_error(WIRE_DEVICE);
	done = ioctl(fd, request, argument) == 0 || usage_error("the wire refused");
	close(fd);
	return done;
}

static bool ask(int fd, unsigned long request, struct ifreq *answer, const char *name)
{
	memset(answer, 0, sizeof(*answer));
	strncpy(answer->ifr_name, name, IFNAMSIZ - 1);
	return ioctl(fd, request, answer) == 0 || usage_error(name);
}

static bool read_interface(int fd, struct interface *interface, const char *name)
{
	struct sockaddr_in address;
	struct ifreq answer;

	if (!ask(fd, SIOCGIFMTU, &answer, name))
		return false;
	interface->mtu_bytes = (uint32_t)answer.ifr_mtu;
	if (!ask(fd, SIOCGIFHWADDR, &answer, name))
		return false;
	memcpy(interface->mac, answer.ifr_hwaddr.sa_data, sizeof(interface->mac));
	if (!ask(fd, SIOCGIFADDR, &answer, name))
		return false;
	memcpy(&address, &answer.ifr_addr, sizeof(address));
	interface->address = address.sin_addr.s_addr;
	return true;
}

bool interface_read(struct interface *interface, const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool done = fd >= 0 ? read_interface(fd, interface, name) : usage_error("socket");

	if (fd >= 0)
		close(fd);
	return done;
}

bool neighbour_add(const char *name, uint32_t address, const uint8_t mac[6])
{
	struct sockaddr_in protocol = {.sin_family = AF_INET, .sin_addr.s_addr = address};
	struct arpreq entry = {.arp_flags = ATF_PERM | ATF_COM};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool done;

	memcpy(&entry.arp_pa, &protocol, sizeof(protocol));
	entry.arp_ha.sa_family = ARPHRD_ETHER;
	memcpy(entry.arp_ha.sa_data, mac, 6);
	strncpy(entry.arp_dev, name, sizeof(entry.arp_dev) - 1);
	if (fd < 0)
		return usage_error("socket");
	done = ioctl(fd, SIOCSARP, &entry) == 0 || usage_error("a neighbour's address");
	close(fd);
	return done;
}

bool register_set_bits(const char *name, uint32_t offset, uint32_t bits)
{
	char path[PATH_BYTES];
	volatile uint32_t *registers;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/resource0", name);
	fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
	if (fd < 0)
		return usage_error(path);
	registers = mmap(NULL, REGISTERS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (registers == MAP_FAILED)
		return usage_error(path); /* needs iomem=relaxed */
	registers[offset / sizeof(*registers)] |= bits;
	munmap((void *)(uintptr_t)registers, REGISTERS_BYTES);
	return true;
}
