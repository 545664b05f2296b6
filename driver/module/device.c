// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/coalescope: each open file monitors at most one interface. And /sys/class/misc/coalescope/, to look at.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>

#include "cost.h"
#include "device.h"
#include "irq_map.h"
#include "monitor.h"
#include "monitored.h"
#include "probes.h"
#include "snapshot.h"

#include <uapi/coalescope.h>

struct reader {
	struct mutex lock; /* of a file that several tasks use */
	struct monitor *monitor; /* NULL: not attached */
	struct snapshot_buffers buffers;
};

static void detach(struct reader *reader)
{
	if (!reader->monitor)
		return;
	monitor_put(reader->monitor);
	reader->monitor = NULL;
	free_buffers(&reader->buffers);
	probes_put();
}

static struct monitor *start_monitoring(const char *name)
{
	int error = probes_get();
	struct monitor *monitor;

	if (error)
		return ERR_PTR(error);
	monitor = monitor_get(current->nsproxy->net_ns, name);
	if (IS_ERR(monitor))
		probes_put();
	else
		measure_probe_cost();
	return monitor;
}

/* The other interface first: when it cannot be had, the file stays where it was. */
static int attach(struct reader *reader, struct coalescope_attach *request)
{
	struct monitor *monitor = start_monitoring(request->interface);
	struct snapshot_buffers buffers;
	int error;

	if (IS_ERR(monitor))
		return PTR_ERR(monitor);
	error = allocate_buffers(&buffers, monitor);
	if (error) {
		monitor_put(monitor);
		probes_put();
		return error;
	}
	detach(reader);
	reader->monitor = monitor;
	reader->buffers = buffers;
	request->interface_index = monitor->interface_index;
	return 0;
}

static long attach_as_asked(struct reader *reader, struct coalescope_attach __user *argument)
{
	struct coalescope_attach request;
	int error;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	if (request.flags || !memchr(request.interface, '\0', sizeof(request.interface)))
		return -EINVAL;
	error = attach(reader, &request);
	if (error)
		return error;
	return copy_to_user(argument, &request, sizeof(request)) ? -EFAULT : 0;
}

static long coalescope_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct reader *reader = file->private_data;
	long result = 0;

	if (command != COALESCOPE_ATTACH && command != COALESCOPE_DETACH)
		return -ENOTTY;
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	if (mutex_lock_interruptible(&reader->lock))
		return -ERESTARTSYS;
	if (command == COALESCOPE_ATTACH)
		result = attach_as_asked(reader, (void __user *)argument);
	else
		detach(reader);
	mutex_unlock(&reader->lock);
	return result;
}

static ssize_t read_snapshot(struct reader *reader, char __user *buffer, size_t count)
{
	ssize_t bytes;

	if (!reader->monitor)
		return -ENXIO;
	if (!rcu_access_pointer(reader->monitor->device))
		return -ENODEV;
	if (count < sizeof(struct coalescope_snapshot))
		return -EMSGSIZE;
	bytes = take_snapshot(reader->monitor, &reader->buffers);
	if (bytes < 0)
		return bytes;
	if (count < bytes)
		return -EMSGSIZE;
	return copy_to_user(buffer, reader->buffers.snapshot, bytes) ? -EFAULT : bytes;
}

static ssize_t coalescope_read(struct file *file, char __user *buffer, size_t count, loff_t *offset)
{
	struct reader *reader = file->private_data;
	ssize_t result;

	if (mutex_lock_interruptible(&reader->lock))
		return -ERESTARTSYS;
	result = read_snapshot(reader, buffer, count);
	mutex_unlock(&reader->lock);
	return result;
}

static int coalescope_open(struct inode *inode, struct file *file)
{
	struct reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);

	if (!reader)
		return -ENOMEM;
	mutex_init(&reader->lock);
	file->private_data = reader;
	return stream_open(inode, file);
}

static int coalescope_release(struct inode *inode, struct file *file)
{
	struct reader *reader = file->private_data;

	detach(reader);
	mutex_destroy(&reader->lock);
	kfree(reader);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = coalescope_open,
	.release = coalescope_release,
	.read = coalescope_read,
	.unlocked_ioctl = coalescope_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static const char *driver_name(const struct net_device *device)
{
	return device->dev.parent ? dev_driver_string(device->dev.parent) : "virtual";
}

static int list_monitor(char *text, int at, const struct monitor *monitor)
{
	const struct net_device *device = rcu_dereference(monitor->device);
	int start = at;

	if (!device || device->reg_state == NETREG_UNINITIALIZED) /* gone, or a stand-in */
		return 0;
	at += sysfs_emit_at(text, at, "%s netns=%u driver=%s readers=%u queues=%u irqs=",
			    device->name, dev_net(device)->ns.inum, driver_name(device),
			    READ_ONCE(monitor->readers), known_queues(monitor));
	at += irq_map_list(text, at, monitor->slot);
	at += sysfs_emit_at(text, at, "\n");
	return at - start;
}

static ssize_t interfaces_show(struct device *device, struct device_attribute *attribute, char *text)
{
	unsigned int slot;
	int at = 0;

	rcu_read_lock();
	for (slot = 0; slot < MAX_MONITORS; slot++) {
		const struct monitor *monitor = rcu_dereference(monitors[slot]);

		if (monitor)
			at += list_monitor(text, at, monitor);
	}
	rcu_read_unlock();
	return at;
}

static ssize_t abi_version_show(struct device *device, struct device_attribute *attribute,
				char *text)
{
	return sysfs_emit(text, "%d\n", COALESCOPE_ABI_VERSION);
}

static DEVICE_ATTR_ADMIN_RO(interfaces); /* names from all network namespaces */
static DEVICE_ATTR_RO(abi_version);

static struct attribute *coalescope_attrs[] = {
	&dev_attr_interfaces.attr,
	&dev_attr_abi_version.attr,
	NULL,
};

static const struct attribute_group coalescope_group = { .attrs = coalescope_attrs };

#define COST_ATTRIBUTE(part)                                                                       \
	static ssize_t part##_ns_show(struct device *device, struct device_attribute *attribute,   \
				      char *text)                                                  \
	{                                                                                          \
		return sysfs_emit(text, "%u\n", probe_cost().part);                                \
	}                                                                                          \
	static DEVICE_ATTR_RO(part##_ns)

COST_ATTRIBUTE(irq);
COST_ATTRIBUTE(poll);
COST_ATTRIBUTE(frame);

static struct attribute *cost_attrs[] = {
	&dev_attr_irq_ns.attr,
	&dev_attr_poll_ns.attr,
	&dev_attr_frame_ns.attr,
	NULL,
};

/* As of when an interface was last attached. */
static const struct attribute_group cost_group = { .name = "probe_cost", .attrs = cost_attrs };

static const struct attribute_group *coalescope_groups[] = { &coalescope_group, &cost_group, NULL };

static struct miscdevice misc_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "coalescope",
	.mode = 0600,
	.fops = &operations,
	.groups = coalescope_groups,
};

int device_init(void)
{
	return misc_register(&misc_device);
}

void device_exit(void)
{
	misc_deregister(&misc_device);
}
