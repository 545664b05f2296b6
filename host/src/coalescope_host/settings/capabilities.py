# SPDX-License-Identifier: Apache-2.0
"""What the kernel lets this process do: capabilities(7)."""

from __future__ import annotations

import os
from pathlib import Path

NET_ADMIN = "CAP_NET_ADMIN"
"""To change interfaces."""
SYS_ADMIN = "CAP_SYS_ADMIN"
"""To make namespaces, and to mount."""
SYS_CHROOT = "CAP_SYS_CHROOT"
"""To enter a namespace of mounts."""
_BITS = {NET_ADMIN: 12, SYS_CHROOT: 18, SYS_ADMIN: 21}


def lacking(*names: str) -> list[str]:
    """Those that this process has not; without /proc, root is taken to have all."""
    try:
        status = Path("/proc/thread-self/status").read_text(encoding="ascii")
    except OSError:
        return [] if os.geteuid() == 0 else list(names)
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    held = int(effective.split()[1], 16)
    return [name for name in names if not held >> _BITS[name] & 1]
