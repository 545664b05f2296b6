# SPDX-License-Identifier: Apache-2.0
"""Interrupt coalescing (`ethtool -C`).

`delay_us` is rx-usecs: a number that adaptive moderation would move, so it is switched off.
"""

from .ethtool_messages import COALESCE_GET, COALESCE_SET, CoalesceMessage
from .group import Attribute, EthtoolGroup

COALESCING = EthtoolGroup(
    name="coalescing",
    option="-c",
    message=CoalesceMessage,
    get=COALESCE_GET,
    set=COALESCE_SET,
    attributes={
        "adaptive_rx": Attribute("USE_ADAPTIVE_RX", "adaptive-rx", switch=True),
        "adaptive_tx": Attribute("USE_ADAPTIVE_TX", "adaptive-tx", switch=True),
        "delay_us": Attribute("RX_USECS", "rx-usecs"),
        "rx_frames": Attribute("RX_MAX_FRAMES", "rx-frames"),
        "rx_delay_irq_us": Attribute("RX_USECS_IRQ", "rx-usecs-irq"),
        "rx_frames_irq": Attribute("RX_MAX_FRAMES_IRQ", "rx-frames-irq"),
        "tx_delay_us": Attribute("TX_USECS", "tx-usecs"),
        "tx_frames": Attribute("TX_MAX_FRAMES", "tx-frames"),
        "tx_delay_irq_us": Attribute("TX_USECS_IRQ", "tx-usecs-irq"),
        "tx_frames_irq": Attribute("TX_MAX_FRAMES_IRQ", "tx-frames-irq"),
        "rx_delay_low_us": Attribute("RX_USECS_LOW", "rx-usecs-low"),
        "rx_delay_high_us": Attribute("RX_USECS_HIGH", "rx-usecs-high"),
        "tx_delay_low_us": Attribute("TX_USECS_LOW", "tx-usecs-low"),
        "tx_delay_high_us": Attribute("TX_USECS_HIGH", "tx-usecs-high"),
        "cqe_mode_rx": Attribute("USE_CQE_MODE_RX", "cqe-mode-rx", switch=True),
        "cqe_mode_tx": Attribute("USE_CQE_MODE_TX", "cqe-mode-tx", switch=True),
    },
    overrides={
        "delay_us": "adaptive_rx",
        "rx_frames": "adaptive_rx",
        "tx_delay_us": "adaptive_tx",
        "tx_frames": "adaptive_tx",
    },
)
