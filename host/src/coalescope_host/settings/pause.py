# SPDX-License-Identifier: Apache-2.0
"""Pause frames (`ethtool -A`): what is asked for counts only where it is not negotiated."""

from .ethtool_messages import PAUSE_GET, PAUSE_SET, PauseMessage
from .group import Attribute, EthtoolGroup

PAUSE = EthtoolGroup(
    name="pause",
    option="-a",
    message=PauseMessage,
    get=PAUSE_GET,
    set=PAUSE_SET,
    attributes={
        "pause_autoneg": Attribute("AUTONEG", "autoneg", switch=True),
        "pause_rx": Attribute("RX", "rx", switch=True),
        "pause_tx": Attribute("TX", "tx", switch=True),
    },
    overrides={"pause_rx": "pause_autoneg", "pause_tx": "pause_autoneg"},
)
