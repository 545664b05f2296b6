/* SPDX-License-Identifier: GPL-2.0 */
/* Of the 8254x, what a polled card needs. Source: PCI/PCI-X Family of Gigabit Ethernet Controllers, chapters 3 and 13. */
#ifndef WIRE_REGISTERS_H
#define WIRE_REGISTERS_H

#include <linux/bits.h>
#include <linux/types.h>

enum wire_register {
	CTRL = 0x0000,
	IMC = 0x00d8, /* interrupt mask clear */
	RCTL = 0x0100,
	TCTL = 0x0400,
	RDBAL = 0x2800,
	RDBAH = 0x2804,
	RDLEN = 0x2808,
	RDH = 0x2810,
	RDT = 0x2818,
	TDBAL = 0x3800,
	TDBAH = 0x3804,
	TDLEN = 0x3808,
	TDH = 0x3810,
	TDT = 0x3818,
};

#define CTRL_SET_LINK_UP BIT(6)
#define RCTL_ENABLE BIT(1)
#define RCTL_UNICAST_PROMISCUOUS BIT(3)
#define RCTL_MULTICAST_PROMISCUOUS BIT(4)
#define RCTL_BROADCAST BIT(15)
#define RCTL_STRIP_FCS BIT(26)
#define TCTL_ENABLE BIT(1)
#define TCTL_PAD_SHORT BIT(3)
#define TCTL_COLLISION_THRESHOLD (0x10 << 4)
#define TCTL_COLLISION_DISTANCE (0x40 << 12)

#define TX_END_OF_PACKET BIT(0)
#define TX_INSERT_FCS BIT(1)
#define RX_DONE BIT(0)

struct tx_descriptor {
	__le64 address;
	__le16 length;
	u8 checksum_offset;
	u8 command;
	u8 status;
	u8 checksum_start;
	__le16 special;
};

struct rx_descriptor {
	__le64 address;
	__le16 length;
	__le16 checksum;
	u8 status;
	u8 errors;
	__le16 special;
};

_Static_assert(sizeof(struct tx_descriptor) == 16, "as the card reads it");
_Static_assert(sizeof(struct rx_descriptor) == 16, "as the card writes it");

#endif
