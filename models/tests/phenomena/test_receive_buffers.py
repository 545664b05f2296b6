# SPDX-License-Identifier: Apache-2.0
"""Memory of a frame against an allocator of powers of two that is played step by step."""

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate

MODEL = MODELS["receive-buffers"]


def doubled(size, least):
    """The first of least, 2 least, 4 least … that holds a size."""
    while least < size:
        least *= 2
    return least


@pytest.mark.parametrize(("mtu", "memory", "order"), [(1500, 4096, 0), (9000, 32768, 3)])
def test_the_published_allocations(mtu, memory, order):
    """2 KB become 4, and 9000 bytes 32 KB: order 3, as the failures say."""
    found = evaluate(MODEL, {"mtu_bytes": float(mtu)})
    assert (found["frame_memory_bytes"], found["page_order"]) == (memory, order)


def test_a_jumbo_frame_takes_half_without_the_record():
    found = evaluate(MODEL, {"mtu_bytes": 9000.0, "buffer_overhead_bytes": 0.0})
    assert (found["frame_memory_bytes"], found["page_order"]) == (16384, 2)
    assert found["paged_memory_bytes"] == 3 * 4096


def test_memory_against_an_allocator_at_random_points():
    rng = np.random.default_rng(20)
    edges = [2**k - 18 + step for k in range(11, 17) for step in (-1, 0, 1)]
    points = [int(mtu) for mtu in (*edges, *rng.integers(68, 65536, 200)) if mtu <= 65536]
    for mtu in points:
        extra, page = int(rng.integers(0, 1024)), int(rng.choice([4096, 8192, 16384, 65536]))
        values = {"buffer_overhead_bytes": float(extra), "page_bytes": float(page)}
        found = evaluate(MODEL, {"mtu_bytes": float(mtu), "ring_descriptors": 512.0, **values})
        memory = doubled(doubled(mtu + 18, 2048) + extra, 1)
        assert found["frame_memory_bytes"] == memory
        assert page * 2 ** found["page_order"] == max(page, memory)
        assert found["buffer_fill_percent"] == pytest.approx(100 * (mtu + 18) / memory)
        assert found["ring_memory_mb"] == pytest.approx(512 * memory / 1e6)
        assert found["paged_memory_bytes"] == page * -(-(mtu + 18) // page)
