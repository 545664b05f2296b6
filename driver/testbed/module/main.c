// SPDX-License-Identifier: GPL-2.0
/*
 * wire: the far end of the cable, for a network card under test in the same guest.
 *
 * It drives one emulated 8254x that is bound to it by name (driver_override), and is told what to do through /dev/wire.
 * Only for QEMU: there a frame has left when the write to the card's tail register returns.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "interrupt_cost.h"
#include "peer.h"

static struct peer peer;
static bool bound;
static DEFINE_MUTEX(lock);

static int start(const void __user *from)
{
	struct wire_configuration *configuration = memdup_user(from, sizeof(*configuration));
	int error;

	if (IS_ERR(configuration))
		return PTR_ERR(configuration);
	error = peer_start(&peer, configuration);
	kfree(configuration);
	return error;
}

static int read_counters(void __user *to)
{
	struct wire_counters counters = peer.counters;

	return copy_to_user(to, &counters, sizeof(counters)) ? -EFAULT : 0;
}

static int set_interrupt_cost(const void __user *from)
{
	struct wire_interrupt_cost cost;

	if (copy_from_user(&cost, from, sizeof(cost)))
		return -EFAULT;
	return interrupt_cost_set(&cost);
}

static long wire_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *data = (void __user *)argument;
	int result = 0;

	mutex_lock(&lock);
	if (!bound)
		result = -ENXIO;
	else if (command == WIRE_START)
		result = start(data);
	else if (command == WIRE_STOP)
		peer_stop(&peer);
	else if (command == WIRE_READ)
		result = read_counters(data);
	else if (command == WIRE_INTERRUPT_COST)
		result = set_interrupt_cost(data);
	else
		result = -ENOTTY;
	mutex_unlock(&lock);
	return result;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = wire_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KBUILD_MODNAME,
	.fops = &operations,
	.mode = 0600,
};

static int probe(struct pci_dev *pci_device, const struct pci_device_id *id)
{
	int error;

	mutex_lock(&lock);
	error = bound ? -EBUSY : card_open(&peer.card, pci_device);
	if (!error)
		bound = true;
	mutex_unlock(&lock);
	return error;
}

static void remove(struct pci_dev *pci_device)
{
	mutex_lock(&lock);
	peer_stop(&peer);
	card_close(&peer.card);
	bound = false;
	mutex_unlock(&lock);
}

static const struct pci_device_id no_ids[] = { {} };

static struct pci_driver driver = {
	.name = KBUILD_MODNAME,
	.id_table = no_ids,
	.probe = probe,
	.remove = remove,
};

static int __init wire_init(void)
{
	int error;

	peer_init(&peer);
	error = misc_register(&device);
	if (error)
		return error;
	error = pci_register_driver(&driver);
	if (error)
		misc_deregister(&device);
	return error;
}

static void __exit wire_exit(void)
{
	pci_unregister_driver(&driver);
	misc_deregister(&device);
	interrupt_cost_remove();
}

module_init(wire_init);
module_exit(wire_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Hosts behind a switch, at the far end of an emulated cable");
