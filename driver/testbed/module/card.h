/* SPDX-License-Identifier: GPL-2.0 */
/* The emulated 8254x at the far end of the cable, without interrupts. */
#ifndef WIRE_CARD_H
#define WIRE_CARD_H

#include <linux/pci.h>
#include <linux/types.h>

#include "registers.h"

#define CARD_HEADER_BYTES 256
#define CARD_RX_BUFFER_BYTES 2048

struct card {
	void __iomem *registers;
	struct tx_descriptor *tx;
	struct rx_descriptor *rx;
	u8 *header;  /* of the frame that is sent next */
	u8 *zeros;   /* what follows it */
	u8 *buffers; /* for received frames */
	dma_addr_t tx_address, rx_address, header_address, zeros_address, buffers_address;
	unsigned int tx_next, rx_next;
};

int card_open(struct card *card, struct pci_dev *device);
void card_close(struct card *card);
/* Sends card->header and zeros behind it. The card has read both when this returns: an emulator's does so at once. */
void card_send(struct card *card, unsigned int header_bytes, unsigned int zero_bytes);
/* The next received frame, or NULL. Give it back when it is read. */
const u8 *card_received(struct card *card, unsigned int *bytes);
void card_give_back(struct card *card);

#endif
