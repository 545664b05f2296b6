# SPDX-License-Identifier: Apache-2.0
"""Turn raw/streams.csv (in the order of the message) into data.csv (by stream)."""

import csv
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """One row a stream; iperf's own rounding is kept."""
    with (HERE / "raw/streams.csv").open() as source:
        rows = sorted((int(row["stream"]), row["value"]) for row in csv.DictReader(source))
    with (HERE / "data.csv").open("w") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(("workload", "factor.stream", "replicate", "goodput_mbps"))
        for stream, value in rows:
            writer.writerow(("iperf", stream, 1, value))


if __name__ == "__main__":
    main()
