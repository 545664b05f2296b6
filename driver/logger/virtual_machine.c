/* SPDX-License-Identifier: Apache-2.0 */
#include "virtual_machine.h"

#include <stddef.h>
#include <string.h>

#include "text_file.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

enum { LEAF_FEATURES = 1, HYPERVISOR_BIT = 31, LEAF_HYPERVISOR = 0x40000000 };

/* The hypervisor's signature of 12 bytes, as a string; empty without one. */
static void read_signature(char signature[13])
{
	unsigned int a, b, c, d;

	memset(signature, 0, 13);
	if (!__get_cpuid(LEAF_FEATURES, &a, &b, &c, &d) || !(c >> HYPERVISOR_BIT & 1))
		return;
	__cpuid(LEAF_HYPERVISOR, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
}
#else
static void read_signature(char signature[13])
{
	signature[0] = '\0';
}
#endif

static const char *hypervisor_of(const char *signature)
{
	static const struct {
		const char *signature, *name;
	} known[] = {
		{"TCGTCGTCGTCG", "qemu-tcg"}, {"KVMKVMKVM", "kvm"},     {"Microsoft Hv", "hyper-v"},
		{"VMwareVMware", "vmware"},   {"XenVMMXenVMM", "xen"},  {"bhyve bhyve ", "bhyve"},
		{"VBoxVBoxVBox", "virtualbox"},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].signature, signature))
			return known[i].name;
	return signature;
}

/* What the firmware's tables say, e.g. QEMU's machine type with its version. */
static void firmware_members(struct text *json)
{
	static const struct {
		const char *file, *name;
	} entries[] = {
		{"sys_vendor", "vendor"},
		{"product_name", "machine"},
		{"product_version", "machine_version"},
		{"bios_version", "firmware_version"},
	};
	char line[256];
	size_t i;

	for (i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (read_line(line, sizeof(line), "/sys/class/dmi/id/%s", entries[i].file) && *line)
			json_member_string(json, entries[i].name, line);
}

void virtual_machine_describe(struct text *json)
{
	char signature[13];

	read_signature(signature);
	if (!*signature)
		return;
	json_member_string(json, "hypervisor", hypervisor_of(signature));
	firmware_members(json);
}
