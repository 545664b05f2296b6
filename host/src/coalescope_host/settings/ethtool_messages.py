# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="misc"
"""The messages of the kernel's ethtool family that pyroute2 does not have, in its style.

Names and numbers: the kernel's include/uapi/linux/ethtool_netlink.h; the order of a map is the
numbering of its attributes.
"""

import struct
from collections.abc import Iterator
from typing import ClassVar

from .netlink import NLA_F_NESTED, ethtoolbitset, ethtoolheader, genlmsg, nla

FEATURES_GET, FEATURES_SET = 11, 12
RINGS_GET, RINGS_SET = 15, 16
CHANNELS_GET, CHANNELS_SET = 17, 18
COALESCE_GET, COALESCE_SET = 19, 20
PAUSE_GET, PAUSE_SET = 21, 22
RSS_GET = 38


def _map(prefix: str, **types: str) -> tuple[tuple[str, str], ...]:
    return (
        (f"{prefix}UNSPEC", "none"),
        (f"{prefix}HEADER", "ethtoolheader"),
        *((f"{prefix}{name}", kind) for name, kind in types.items()),
    )


class CoalesceMessage(genlmsg):
    """ETHTOOL_MSG_COALESCE_GET and _SET."""

    prefix = "ETHTOOL_A_COALESCE_"
    nla_map = _map(
        prefix,
        RX_USECS="uint32",
        RX_MAX_FRAMES="uint32",
        RX_USECS_IRQ="uint32",
        RX_MAX_FRAMES_IRQ="uint32",
        TX_USECS="uint32",
        TX_MAX_FRAMES="uint32",
        TX_USECS_IRQ="uint32",
        TX_MAX_FRAMES_IRQ="uint32",
        STATS_BLOCK_USECS="uint32",
        USE_ADAPTIVE_RX="uint8",
        USE_ADAPTIVE_TX="uint8",
        PKT_RATE_LOW="uint32",
        RX_USECS_LOW="uint32",
        RX_MAX_FRAMES_LOW="uint32",
        TX_USECS_LOW="uint32",
        TX_MAX_FRAMES_LOW="uint32",
        PKT_RATE_HIGH="uint32",
        RX_USECS_HIGH="uint32",
        RX_MAX_FRAMES_HIGH="uint32",
        TX_USECS_HIGH="uint32",
        TX_MAX_FRAMES_HIGH="uint32",
        RATE_SAMPLE_INTERVAL="uint32",
        USE_CQE_MODE_TX="uint8",
        USE_CQE_MODE_RX="uint8",
        TX_AGGR_MAX_BYTES="uint32",
        TX_AGGR_MAX_FRAMES="uint32",
        TX_AGGR_TIME_USECS="uint32",
        RX_PROFILE="profile",
        TX_PROFILE="profile",
        RX_CQE_FRAMES="uint32",
        RX_CQE_NSECS="uint32",
    )
    ethtoolheader = ethtoolheader

    class profile(nla):  # noqa: N801  # a type of pyroute2
        """A profile of dynamic interrupt moderation: some lines, from little load to much."""

        nla_flags = NLA_F_NESTED
        nla_map = (
            ("ETHTOOL_A_PROFILE_UNSPEC", "none"),
            ("ETHTOOL_A_PROFILE_IRQ_MODERATION", "irq_moderation"),
        )

        class irq_moderation(nla):  # noqa: N801
            """One line of it."""

            nla_flags = NLA_F_NESTED
            nla_map = (
                ("ETHTOOL_A_IRQ_MODERATION_UNSPEC", "none"),
                ("ETHTOOL_A_IRQ_MODERATION_USEC", "uint32"),
                ("ETHTOOL_A_IRQ_MODERATION_PKTS", "uint32"),
                ("ETHTOOL_A_IRQ_MODERATION_COMPS", "uint32"),
            )


class RingsMessage(genlmsg):
    """ETHTOOL_MSG_RINGS_GET and _SET."""

    prefix = "ETHTOOL_A_RINGS_"
    nla_map = _map(
        prefix,
        RX_MAX="uint32",
        RX_MINI_MAX="uint32",
        RX_JUMBO_MAX="uint32",
        TX_MAX="uint32",
        RX="uint32",
        RX_MINI="uint32",
        RX_JUMBO="uint32",
        TX="uint32",
        RX_BUF_LEN="uint32",
        TCP_DATA_SPLIT="uint8",
        CQE_SIZE="uint32",
        TX_PUSH="uint8",
        RX_PUSH="uint8",
        TX_PUSH_BUF_LEN="uint32",
        TX_PUSH_BUF_LEN_MAX="uint32",
        HDS_THRESH="uint32",
        HDS_THRESH_MAX="uint32",
    )
    ethtoolheader = ethtoolheader


class ChannelsMessage(genlmsg):
    """ETHTOOL_MSG_CHANNELS_GET and _SET."""

    prefix = "ETHTOOL_A_CHANNELS_"
    nla_map = _map(
        prefix,
        RX_MAX="uint32",
        TX_MAX="uint32",
        OTHER_MAX="uint32",
        COMBINED_MAX="uint32",
        RX_COUNT="uint32",
        TX_COUNT="uint32",
        OTHER_COUNT="uint32",
        COMBINED_COUNT="uint32",
    )
    ethtoolheader = ethtoolheader


class PauseMessage(genlmsg):
    """ETHTOOL_MSG_PAUSE_GET and _SET."""

    prefix = "ETHTOOL_A_PAUSE_"
    nla_map = _map(prefix, AUTONEG="uint8", RX="uint8", TX="uint8")
    ethtoolheader = ethtoolheader


class RssMessage(genlmsg):
    """ETHTOOL_MSG_RSS_GET."""

    prefix = "ETHTOOL_A_RSS_"
    nla_map = _map(
        prefix,
        CONTEXT="uint32",
        HFUNC="uint32",
        INDIR="cdata",
        HKEY="cdata",
        INPUT_XFRM="uint32",
        START_CONTEXT="uint32",
    )
    ethtoolheader = ethtoolheader


class FeatureBits(nla):
    """A list of features by name, each with its value."""

    nla_flags = NLA_F_NESTED
    nla_map: ClassVar = ethtoolbitset.nla_map
    bitset_bits = ethtoolbitset.bitset_bits


class FeaturesMessage(genlmsg):
    """ETHTOOL_MSG_FEATURES_SET."""

    prefix = "ETHTOOL_A_FEATURES_"
    nla_map = _map(
        prefix, HW="feature_bits", WANTED="feature_bits", ACTIVE="feature_bits",
        NOCHANGE="feature_bits",
    )  # fmt: skip
    ethtoolheader = ethtoolheader
    feature_bits = FeatureBits


class FeatureListsMessage(genlmsg):
    """ETHTOOL_MSG_FEATURES_GET: its lists as bytes, for `feature_values`."""

    prefix = "ETHTOOL_A_FEATURES_"
    nla_map = _map(prefix, HW="cdata", WANTED="cdata", ACTIVE="cdata", NOCHANGE="cdata")
    ethtoolheader = ethtoolheader


def feature_values(bitset: bytes) -> dict[str, bool]:
    """The features that a list names, with their values.

    By hand: each of four lists names some sixty features, and pyroute2 makes objects of all parts
    of each.
    """
    found = {}
    for kind, bits in _attributes(bitset):
        if kind == _BITSET_BITS:
            for _, bit in _attributes(bits):
                parts = dict(_attributes(bit))
                name = parts[_BIT_NAME].rstrip(b"\0").decode()
                found[name] = _BIT_VALUE in parts
    return found


_BITSET_BITS, _BIT_NAME, _BIT_VALUE = 3, 2, 3
_ATTRIBUTE_HEAD = struct.Struct("=HH")


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of netlink attributes that follow each other."""
    place = 0
    while place + _ATTRIBUTE_HEAD.size <= len(data):
        length, kind = _ATTRIBUTE_HEAD.unpack_from(data, place)
        if length < _ATTRIBUTE_HEAD.size:
            return
        yield kind & ~NLA_F_NESTED, data[place + _ATTRIBUTE_HEAD.size : place + length]
        place += length + 3 & ~3
