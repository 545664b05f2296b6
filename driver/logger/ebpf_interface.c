/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf_interface.h"

#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ethtool_query.h"
#include "interface.h"
#include "text_file.h"

/* These take frames over from another interface inside the stack, after the point where they are counted. */
static bool receives_through_another(const char *driver)
{
	static const char *const drivers[] = {"802.1Q VLAN Support", "bonding", "team", "macvlan", "ipvlan", "vrf"};
	size_t i;

	for (i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(driver, drivers[i]))
			return true;
	return false;
}

/* A virtual function receives for them, and they take over inside the stack: net_failover always, Hyper-V's if it has one. */
static bool has_virtual_function(const char *driver, const char *name)
{
	return !strcmp(driver, "net_failover") || (!strcmp(driver, "hv_netvsc") && interface_has_lower(name));
}

/* The interrupt lines of a PCI device, which /sys shows whatever the network namespace. */
static void find_lines(struct ebpf_interface *interface, const char *bus)
{
	char path[128];
	uint64_t line;
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_irqs", bus);
	directory = opendir(path);
	while (directory && interface->line_count < MOST_LINES && (entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			interface->lines[interface->line_count++] = (unsigned int)strtoul(entry->d_name, NULL, 10);
	if (directory)
		closedir(directory);
	interface->has_line = interface->line_count ||
			      (read_unsigned(&line, "/sys/bus/pci/devices/%s/irq", bus) && line);
}

int ebpf_interface_open(struct ebpf_interface *interface, const char *name)
{
	char driver[64], bus[64];

	*interface = (struct ebpf_interface){.index = (int)interface_index(name), .socket = -1};
	if (!interface->index)
		return -ENODEV;
	interface->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (interface->socket < 0)
		return -errno;
	if (!interface_is_ethernet(name))
		return -EOPNOTSUPP;
	if (!ethtool_driver(name, driver, sizeof(driver)))
		return 0;
	if (receives_through_another(driver))
		return -EOPNOTSUPP;
	if (has_virtual_function(driver, name))
		return -EMEDIUMTYPE;
	if (ethtool_bus(name, bus, sizeof(bus)) && *bus)
		find_lines(interface, bus);
	return 0;
}

int ebpf_interface_still_there(const struct ebpf_interface *interface)
{
	struct ifreq request = {.ifr_ifindex = interface->index};

	return ioctl(interface->socket, SIOCGIFNAME, &request) ? -errno : 0;
}

void ebpf_interface_close(struct ebpf_interface *interface)
{
	if (interface->socket >= 0)
		close(interface->socket);
	interface->socket = -1;
}
