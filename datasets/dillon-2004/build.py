# SPDX-License-Identifier: Apache-2.0
"""Turn the two tables of the message (raw/message.csv) into data.csv.

The setting is a greatest interrupt frequency f, in hertz: the longest delay it adds is 1/f. "max"
is moderation at its least, for which the message names no number: delay 0.
"""

import csv
from pathlib import Path

HERE = Path(__file__).parent
WORKLOADS = {"ping": "ping", "idle": "iperf"}


def main() -> None:
    """One row a measurement; the message gives one run of each."""
    with (
        (HERE / "raw/message.csv").open() as source,
        (HERE / "data.csv").open("w") as target,
    ):
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(("workload", "delay_us", "replicate", "latency_us", "idle_cpu_percent"))
        for row in csv.DictReader(source):
            hertz = row["moderation_hz"]
            delay_us = 0.0 if hertz == "max" else round(1e6 / float(hertz), 4)
            latency_us = round(1000 * float(row["value"])) if row["table"] == "ping" else ""
            idle_percent = row["value"] if row["table"] == "idle" else ""
            writer.writerow((WORKLOADS[row["table"]], delay_us, 1, latency_us, idle_percent))


if __name__ == "__main__":
    main()
