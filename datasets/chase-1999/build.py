# SPDX-License-Identifier: Apache-2.0
"""Turn raw/text.csv (one printed value a row) into data.csv (one cell a row)."""

import csv
from pathlib import Path

HERE = Path(__file__).parent
REPLICATES = 20
MEASURES = ("throughput_mbps", "system_cpu_percent")


def main() -> None:
    """Gather the values of one setting in one row; what the text does not give stays empty."""
    cells: dict[tuple[str, str, int], dict[str, str]] = {}
    with (HERE / "raw/text.csv").open() as source:
        for row in csv.DictReader(source):
            setting = (row["host"], row["options"], int(row["mtu_bytes"]))
            cells.setdefault(setting, {})[row["measure"]] = row["value"]
    with (HERE / "data.csv").open("w") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(("host", "factor.options", "mtu_bytes", "n", *MEASURES))
        for setting, values in cells.items():
            writer.writerow((*setting, REPLICATES, *(values.get(name, "") for name in MEASURES)))


if __name__ == "__main__":
    main()
