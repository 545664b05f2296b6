/* SPDX-License-Identifier: Apache-2.0 */
#include "interface.h"

#include <dirent.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ethtool_query.h"
#include "text_file.h"

unsigned int interface_index(const char *interface)
{
	return if_nametoindex(interface);
}

/* Asks the kernel about the interface; false where it does not say. */
static bool ask(const char *interface, unsigned long what, struct ifreq *request)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool known;

	if (fd < 0)
		return false;
	snprintf(request->ifr_name, sizeof(request->ifr_name), "%s", interface);
	known = !ioctl(fd, what, request);
	close(fd);
	return known;
}

/* The kernel sets the flag up to a second after the driver has the link. */
bool interface_has_carrier(const char *interface, short flags)
{
	return flags & IFF_RUNNING || ethtool_link(interface);
}

const char *interface_passes_nothing(const char *interface)
{
	struct ifreq request = {0};

	if (!ask(interface, SIOCGIFFLAGS, &request))
		return NULL;
	if (!(request.ifr_flags & IFF_UP))
		return "is down";
	return interface_has_carrier(interface, request.ifr_flags) ? NULL : "has no carrier";
}

static bool hardware_address(const char *interface, unsigned short *type, char *address, size_t size)
{
	struct ifreq request = {0};
	const unsigned char *bytes = (const unsigned char *)request.ifr_hwaddr.sa_data;
	bool known = ask(interface, SIOCGIFHWADDR, &request);

	*type = request.ifr_hwaddr.sa_family;
	snprintf(address, size, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[0], bytes[1], bytes[2], bytes[3],
		 bytes[4], bytes[5]);
	return known;
}

bool interface_is_ethernet(const char *interface)
{
	char address[32];
	unsigned short type;

	return hardware_address(interface, &type, address, sizeof(address)) && type == ARPHRD_ETHER;
}

/* Does /sys/class/net belong to our own namespace? Its set of interfaces must be ours. */
bool interface_in_sysfs(const char *interface)
{
	struct if_nameindex *all, *each;
	char address[32], shown[64];
	unsigned short type;
	bool same = true;
	uint64_t index;

	if (!read_unsigned(&index, "/sys/class/net/%s/ifindex", interface) ||
	    index != interface_index(interface))
		return false;
	if (hardware_address(interface, &type, address, sizeof(address)) && type == ARPHRD_ETHER &&
	    read_line(shown, sizeof(shown), "/sys/class/net/%s/address", interface) &&
	    strcmp(shown, address))
		return false;
	all = if_nameindex();
	for (each = all; each && each->if_index; each++)
		if (!read_unsigned(&index, "/sys/class/net/%s/ifindex", each->if_name) ||
		    index != each->if_index)
			same = false;
	if_freenameindex(all);
	return same;
}

bool interface_has_lower(const char *interface)
{
	char path[64];
	const struct dirent *entry;
	bool found = false;
	DIR *directory;

	snprintf(path, sizeof(path), "/sys/class/net/%s", interface);
	directory = interface_in_sysfs(interface) ? opendir(path) : NULL;
	while (directory && !found && (entry = readdir(directory)) != NULL)
		found = !strncmp(entry->d_name, "lower_", strlen("lower_"));
	if (directory)
		closedir(directory);
	return found;
}

void interface_bytes_include(const char *interface, struct text *attributes)
{
	/* Drivers that hand out the hardware's octet counter, which holds the frame check sequence. */
	static const char *const with_fcs[] = {"e1000e"};
	char driver[64];
	bool fcs = false;
	size_t i;

	if (ethtool_driver(interface, driver, sizeof(driver)))
		for (i = 0; i < sizeof(with_fcs) / sizeof(*with_fcs); i++)
			fcs |= !strcmp(driver, with_fcs[i]);
	json_name(attributes, "bytes_include");
	json_open(attributes, '[');
	if (interface_is_ethernet(interface))
		json_string(attributes, "link_header");
	if (fcs)
		json_string(attributes, "fcs");
	json_close(attributes, ']');
	json_member_string(attributes, "bytes_include_basis",
			   fcs ? "driver" : "kernel convention for this kind of interface");
}
