# SPDX-License-Identifier: Apache-2.0
"""Turn raw/latency.csv (an arm a row) into data.csv (a run a row)."""

import csv
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
THROTTLE = {"0": "0 (off)", "3": "3 (dynamic conservative)"}  # rx-usecs of igb
MEASURES = {
    "irq_per_s": "rx_line_interrupt_rate_hz",
    "package_w": "package_power_w",
    "p50_us": "latency_p50_us",
    "p99_us": "latency_p99_us",
    "p999_us": "latency_p999_us",
}


def main() -> None:
    """Number the runs of a setting in the order of the table."""
    runs: Counter[tuple[str, str, str]] = Counter()
    with (HERE / "raw/latency.csv").open() as source, (HERE / "data.csv").open("w") as target:
        writer = csv.writer(target, lineterminator="\n")
        factors = ("workload", "factor.aspm", "factor.rx_usecs", "factor.c_states")
        writer.writerow((*factors, "replicate", *MEASURES.values()))
        for row in csv.DictReader(source):
            setting = (row["aspm"], THROTTLE[row["rx_usecs"]], row["c_states"])
            runs[setting] += 1
            writer.writerow(("bfd", *setting, runs[setting], *(row[name] for name in MEASURES)))


if __name__ == "__main__":
    main()
