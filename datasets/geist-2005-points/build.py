# SPDX-License-Identifier: Apache-2.0
"""Turn raw/text.csv (one printed value a row) into data.csv (one cell a row)."""

import csv
from pathlib import Path

HERE = Path(__file__).parent
REPLICATES = 10
MEASURES = ("packets_per_interrupt", "throughput_mbps")


def main() -> None:
    """Gather the values of one setting in one row; what the text does not give stays empty."""
    cells: dict[tuple[str, int, int], dict[str, str]] = {}
    with (HERE / "raw/text.csv").open() as source:
        for row in csv.DictReader(source):
            setting = (row["workload"], int(row["mtu_bytes"]), int(row["delay_ticks"]))
            cells.setdefault(setting, {})[row["measure"]] = row["value"]
    with (HERE / "data.csv").open("w") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(("workload", "mtu_bytes", "delay_ticks", "n", *MEASURES))
        for setting, values in sorted(cells.items()):
            writer.writerow((*setting, REPLICATES, *(values.get(name, "") for name in MEASURES)))


if __name__ == "__main__":
    main()
