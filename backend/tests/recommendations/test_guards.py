# SPDX-License-Identifier: Apache-2.0
"""What is guarded where the question does not say."""

from typing import Any


def at_an_offered_rate(fields: str = "throughput_mbps,goodput_mbps") -> bytes:
    """100 Mb/s of payload arrive at every setting; small frames have more bytes around it."""
    lines = [f"mtu_bytes,delay_us,replicate,{fields},system_cpu_percent"]
    for mtu in (1500, 9000):
        for delay in (0, 50):
            for run in range(4):
                off = 1.0 + 1e-4 * (run - 1.5)
                rates = {"throughput_mbps": (mtu + 18) / (mtu - 52), "goodput_mbps": 1.0}
                shown = ",".join(str(100.0 * rates[name] * off) for name in fields.split(","))
                cpu = (4e4 / mtu) * (1.0 + 20.0 / (10.0 + delay)) * off
                lines.append(f"{mtu},{delay},{run + 1},{shown},{cpu}")
    return "\n".join(lines).encode()


def test_bytes_around_the_payload_are_no_throughput_to_keep(client: Any) -> None:
    """Larger frames need 4 % fewer of them."""
    client.upload(at_an_offered_rate(), "lab.csv")
    asked = {"aims": [{"measure": "system_cpu_percent"}]}
    limit = {"measure": "delay_us", "limit": "at most", "value": 50}
    found = client.post(
        "/api/experiments/lab/recommendations", json=asked | {"constraints": [limit]}
    ).json()
    assert [guard["measure"] for guard in found["guards"]] == ["goodput_mbps"]
    best = found["candidates"][found["answer"]]["factors"]
    assert best == {"mtu_bytes": 9000, "delay_us": 50}
