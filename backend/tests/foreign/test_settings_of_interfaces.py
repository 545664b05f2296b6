# SPDX-License-Identifier: Apache-2.0
"""What `ethtool` printed of an interface, read in the files: what is in force, no maximum."""

from pathlib import Path

import pytest
from coalescope.foreign.registry import ReadFile, read_file

from .conftest import CORPUS, corpus_file, runs_of

COALESCING = {"adaptive_rx": False, "rx_usecs": 0, "rx_frames": 1, "tx_usecs": 0, "tx_frames": 1}
OFFLOADS = {
    "rx-checksumming": True,
    "tcp-segmentation-offload": True,
    "generic-receive-offload": True,
    "large-receive-offload": False,
    "rx-vlan-offload": False,
    "rx-gro-list": False,
}
#: By option; a veth pair has other rings, channels and offloads than the virtio interface.
SAID = {
    "-c": ("coalescing", COALESCING),
    "-g": ("ring", {"rx": 256, "tx": 256}),
    "-k": ("offloads", OFFLOADS),
    "-l": ("channels", {"combined": 1}),
    "-veth-k": (
        "offloads",
        OFFLOADS | {"generic-receive-offload": False, "rx-vlan-offload": True},
    ),
    "-veth-l": ("channels", {"rx": 1, "tx": 1}),
}
PUSHED = {"6.1-g": {"tx_push": False}, "6.14.2-g": {"tx_push": False, "rx_push": False}}
FILES = sorted(path.name for path in CORPUS.glob("ethtool/*") if not path.stem.endswith("-S"))


def settings(name: str) -> dict[str, object]:
    found = read_file(name, corpus_file(f"ethtool/{name}"))
    assert isinstance(found, ReadFile)
    return {record.quantity: record.value for record in found.reading.beside}


@pytest.mark.parametrize("name", FILES)
def test_each_setting_is_what_the_file_says(name: str) -> None:
    version, _, option = Path(name).stem.partition("-")
    group, said = SAID[f"-{option}"]
    expected = {f"environment.{group}.{one}": value for one, value in said.items()}
    pushed = PUSHED.get(f"{version}-{option}", {})
    expected |= {f"environment.{group}.{one}": value for one, value in pushed.items()}
    if option == "c":
        expected["delay_us"] = 0
    found = settings(name)
    assert found.items() >= expected.items()
    assert group == "offloads" or found.keys() == expected.keys()


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
def test_json_says_what_the_text_says(name: str) -> None:
    assert settings(name) == settings(name.replace(".json", ".txt"))


def test_statistics_before_and_after_are_counts_between_them() -> None:
    """Of a driver whose names mean the same everywhere: virtio_net and veth have others."""

    def printed(times: int) -> bytes:
        counts = {"rx_packets": 1000, "rx_bytes": 9_000_000, "tx_bytes": 660, "rx_missed": 1}
        lines = (f"     {name}: {count * times}\n" for name, count in counts.items())
        return f"NIC statistics:\n{''.join(lines)}".encode()

    (run,) = runs_of({"before.txt": printed(1), "after.txt": printed(4)})
    found = {name: record.value for name, record in run.values.items()}
    assert found["rx_packets"] == 3000
    assert found["rx_bytes"] == 27_000_000
    assert found["tx_bytes"] == 1980
    assert not any("missed" in name for name in found)
