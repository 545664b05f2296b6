// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/io.h>

#include "card.h"
#include "wire_abi.h"

#define TX_DESCRIPTORS 8
#define RX_DESCRIPTORS 256

static void write_register(struct card *card, enum wire_register place, u32 value)
{
	writel(value, card->registers + place);
}

static void *allocate(struct pci_dev *device, size_t bytes, dma_addr_t *address)
{
	return dmam_alloc_coherent(&device->dev, bytes, address, GFP_KERNEL);
}

static int allocate_all(struct card *card, struct pci_dev *device)
{
	card->tx = allocate(device, TX_DESCRIPTORS * sizeof(*card->tx), &card->tx_address);
	card->rx = allocate(device, RX_DESCRIPTORS * sizeof(*card->rx), &card->rx_address);
	card->header = allocate(device, CARD_HEADER_BYTES, &card->header_address);
	card->zeros = allocate(device, WIRE_LARGEST_MTU, &card->zeros_address);
	card->buffers = allocate(device, RX_DESCRIPTORS * CARD_RX_BUFFER_BYTES,
				 &card->buffers_address);
	return card->tx && card->rx && card->header && card->zeros && card->buffers ? 0 : -ENOMEM;
}

static void start_transmitter(struct card *card)
{
	write_register(card, TDBAL, lower_32_bits(card->tx_address));
	write_register(card, TDBAH, upper_32_bits(card->tx_address));
	write_register(card, TDLEN, TX_DESCRIPTORS * sizeof(*card->tx));
	write_register(card, TDH, 0);
	write_register(card, TDT, 0);
	write_register(card, TCTL, TCTL_ENABLE | TCTL_PAD_SHORT | TCTL_COLLISION_THRESHOLD |
				   TCTL_COLLISION_DISTANCE);
}

static void start_receiver(struct card *card)
{
	unsigned int i;

	for (i = 0; i < RX_DESCRIPTORS; i++)
		card->rx[i].address = cpu_to_le64(card->buffers_address + i * CARD_RX_BUFFER_BYTES);
	write_register(card, RDBAL, lower_32_bits(card->rx_address));
	write_register(card, RDBAH, upper_32_bits(card->rx_address));
	write_register(card, RDLEN, RX_DESCRIPTORS * sizeof(*card->rx));
	write_register(card, RDH, 0);
	write_register(card, RDT, RX_DESCRIPTORS - 1);
	write_register(card, RCTL, RCTL_ENABLE | RCTL_UNICAST_PROMISCUOUS |
				   RCTL_MULTICAST_PROMISCUOUS | RCTL_BROADCAST | RCTL_STRIP_FCS);
}

int card_open(struct card *card, struct pci_dev *device)
{
	int error = pcim_enable_device(device);

	if (!error)
		error = pcim_iomap_regions(device, BIT(0), KBUILD_MODNAME);
	if (!error)
		error = dma_set_mask_and_coherent(&device->dev, DMA_BIT_MASK(32));
	if (!error)
		error = allocate_all(card, device);
	if (error)
		return error;
	pci_set_master(device);
	card->registers = pcim_iomap_table(device)[0];
	write_register(card, IMC, ~0u);
	write_register(card, CTRL, readl(card->registers + CTRL) | CTRL_SET_LINK_UP);
	start_transmitter(card);
	start_receiver(card);
	return 0;
}

void card_close(struct card *card)
{
	write_register(card, RCTL, 0);
	write_register(card, TCTL, 0);
}

static void add_piece(struct card *card, dma_addr_t address, unsigned int bytes, u8 command)
{
	card->tx[card->tx_next] = (struct tx_descriptor){
		.address = cpu_to_le64(address),
		.length = cpu_to_le16(bytes),
		.command = command,
	};
	card->tx_next = (card->tx_next + 1) % TX_DESCRIPTORS;
}

void card_send(struct card *card, unsigned int header_bytes, unsigned int zero_bytes)
{
	u8 last = TX_END_OF_PACKET | TX_INSERT_FCS;

	add_piece(card, card->header_address, header_bytes, zero_bytes ? TX_INSERT_FCS : last);
	if (zero_bytes)
		add_piece(card, card->zeros_address, zero_bytes, last);
	wmb(); /* the descriptors before the tail that shows them */
	write_register(card, TDT, card->tx_next);
}

const u8 *card_received(struct card *card, unsigned int *bytes)
{
	struct rx_descriptor *next = &card->rx[card->rx_next];

	if (!(READ_ONCE(next->status) & RX_DONE))
		return NULL;
	rmb(); /* the frame after the status that says it is there */
	*bytes = le16_to_cpu(next->length);
	return card->buffers + card->rx_next * CARD_RX_BUFFER_BYTES;
}

void card_give_back(struct card *card)
{
	card->rx[card->rx_next].status = 0;
	wmb(); /* the descriptor before the tail that hands it over */
	write_register(card, RDT, card->rx_next);
	card->rx_next = (card->rx_next + 1) % RX_DESCRIPTORS;
}
