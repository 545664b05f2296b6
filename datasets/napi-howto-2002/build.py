# SPDX-License-Identifier: Apache-2.0
"""Turn raw/table.csv (as printed) into data.csv (a run a row)."""

import csv
from pathlib import Path

HERE = Path(__file__).parent
OFFERED_PACKETS = 1_000_000
FRAME_CHECK_BYTES = 4


def main() -> None:
    """Name the columns as the glossary does."""
    with (HERE / "raw/table.csv").open() as source, (HERE / "data.csv").open("w") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(
            (
                "workload",
                "frame_bytes",
                "replicate",
                "elapsed_s",
                "rx_packets",
                "rx_interrupts",
                "drops",
            )
        )
        for row in csv.DictReader(source):
            received = int(row["tput"])
            writer.writerow(
                (
                    "forwarding",
                    int(row["psize"]) + FRAME_CHECK_BYTES,
                    1,
                    f"{OFFERED_PACKETS / int(row['ipps']):.6f}",
                    received,
                    row["rxint"],
                    max(0, OFFERED_PACKETS - received),
                )
            )


if __name__ == "__main__":
    main()
