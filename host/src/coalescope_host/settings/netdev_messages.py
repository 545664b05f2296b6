# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="misc"
"""The messages of the kernel's netdev family that are used here: the NAPIs of an interface.

Names and numbers: the kernel's include/uapi/linux/netdev.h, in the order of the map.
"""

from .netlink import genlmsg

NAPI_GET, NAPI_SET = 11, 14


class NapiMessage(genlmsg):
    """NETDEV_CMD_NAPI_GET and _SET."""

    prefix = "NETDEV_A_NAPI_"
    nla_map = (
        ("NETDEV_A_NAPI_UNSPEC", "none"),
        ("NETDEV_A_NAPI_IFINDEX", "uint32"),
        ("NETDEV_A_NAPI_ID", "uint32"),
        ("NETDEV_A_NAPI_IRQ", "uint32"),
        ("NETDEV_A_NAPI_PID", "uint32"),
        ("NETDEV_A_NAPI_DEFER_HARD_IRQS", "uint32"),
        ("NETDEV_A_NAPI_GRO_FLUSH_TIMEOUT", "cdata"),
        ("NETDEV_A_NAPI_IRQ_SUSPEND_TIMEOUT", "cdata"),
        ("NETDEV_A_NAPI_THREADED", "uint32"),
    )
