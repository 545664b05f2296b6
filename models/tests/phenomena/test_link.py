# SPDX-License-Identifier: Apache-2.0
"""Link bounds against the numbers of Geist et al. 2005, Dillon 2004 and the e1000 manual."""

import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.phenomena.link import SHORTEST_FRAME_BYTES, frame_rate_hz, packet_gap_us

LINK = MODELS["link-bound"]


@pytest.mark.parametrize(
    ("mtu", "bound"), [(1500, 987.0), (3000, 993.4), (4500, 995.6), (6000, 996.7)]
)
def test_throughput_seen_at_the_interface_at_1_gbps(mtu, bound):
    got = evaluate(LINK, {"mtu_bytes": mtu})["throughput_mbps"]
    assert round(got, 1) == bound
    assert got == pytest.approx(1000 * (mtu + 18) / (mtu + 38), rel=1e-15)


@pytest.mark.parametrize(("mtu", "bound"), [(1500, 941.48), (9000, 990.04)])
def test_tcp_goodput_with_timestamps(mtu, bound):
    assert round(evaluate(LINK, {"mtu_bytes": mtu})["goodput_mbps"], 2) == bound


@pytest.mark.parametrize(("mtu", "gap"), [(1500, 12.3), (9000, 72.3)])
def test_packet_gap_at_line_rate(mtu, gap):
    assert round(packet_gap_us(mtu, 1000.0), 1) == gap
    rate = evaluate(LINK, {"mtu_bytes": mtu})["carried_packet_rate_hz"]
    assert rate == pytest.approx(1e6 / packet_gap_us(mtu, 1000.0), rel=1e-15)


def test_measured_udp_throughput_stays_below_the_bound():
    """Where the 2005 study's UDP curves become flat: within 0.04 % of the bound, never above."""
    for mtu, measured in [(1500, 986.7), (3000, 993.1), (4500, 995.3), (6000, 996.4)]:
        bound = evaluate(LINK, {"mtu_bytes": mtu})["throughput_mbps"]
        assert 0.0 < bound - measured < 0.0004 * bound


def test_shortest_frames_at_line_rate():
    """10⁹/672: with preamble and gap, which Dillon's 1.9 million and 10⁹/512 leave out."""
    assert frame_rate_hz(SHORTEST_FRAME_BYTES, 1000.0) == pytest.approx(1e9 / 672, rel=1e-15)
