# SPDX-License-Identifier: Apache-2.0
"""Memory that a received frame takes: steps of powers of two, and of pages."""

from __future__ import annotations

from typing import Any, Final

from .link import FRAME_OVERHEAD_BYTES

#: The smallest buffer that the driver takes for frames of MTU 1500.
_LEAST_BUFFER_BYTES: Final = 2048.0


def receive_buffers(
    mtu_bytes: Any,
    buffer_overhead_bytes: Any,
    page_bytes: Any,
    ring_descriptors: Any,
    xp: Any,
) -> dict[str, Any]:
    """Return the memory of a frame in one contiguous buffer, and in pages.

    Linux's e1000 of 2006: the frame is rounded up to a power of two, the network stack adds its
    own record behind it, and the allocator rounds the sum up to a power of two again. So 1500 bytes
    take 4 KB, and a jumbo frame of 9000 takes 16 KB, and with the record 32 KB: a contiguous
    allocation of order 3, which fails where memory is fragmented (Polyakov and Xu 2006). A device
    that can put a frame into several pages takes ⌈frame/page⌉ of them; that is this project's
    comparison.

    Source:
        Polyakov and Xu 2006, their messages of 3 and 4 August [polyakov_2006]; the equations are
        this project's own.

    Args:
        mtu_bytes: MTU [bytes].
        buffer_overhead_bytes: record that the stack adds to each buffer [bytes].
        page_bytes: size of a page [bytes].
        ring_descriptors: receive descriptors, each with a buffer.
        xp: array namespace.

    Returns:
        frame_memory_bytes; buffer_bytes, before the record; page_order, of which the allocation is;
        buffer_fill_percent, the frame's share of it; ring_memory_mb [10⁶ bytes];
        paged_memory_bytes.
    """
    frame = mtu_bytes + FRAME_OVERHEAD_BYTES
    buffer = xp.maximum(_LEAST_BUFFER_BYTES, 2.0 ** _exponent(frame, xp))
    memory = 2.0 ** _exponent(buffer + buffer_overhead_bytes, xp)
    return {
        "frame_memory_bytes": memory,
        "buffer_bytes": buffer,
        "page_order": xp.maximum(0.0, _exponent(memory / page_bytes, xp)),
        "buffer_fill_percent": 100.0 * frame / memory,
        "ring_memory_mb": 1e-6 * ring_descriptors * memory,
        "paged_memory_bytes": page_bytes * xp.ceil(frame / page_bytes),
    }


def _exponent(size: Any, xp: Any) -> Any:
    """Exponent of the next power of two, with room for rounding where it is one."""
    return xp.ceil(xp.log(size) / xp.log(2.0) - 1e-9)
