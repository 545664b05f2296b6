# SPDX-License-Identifier: Apache-2.0
"""Turn raw/table.csv (a percentile a row) into data.csv (a run a row)."""

import csv
from pathlib import Path

HERE = Path(__file__).parent
WAYS = {
    "interrupts": "interrupts",
    "so_busypoll": "so-busypoll",
    "so_busypoll_separate": "so-busypoll-own-core",
    "napi_threaded": "threaded-napi",
}
PERCENTILES = ("50", "95", "99")  # the glossary has no 5th


def main() -> None:
    """Put the percentiles of a load and a way of polling in one row, in microseconds."""
    runs: dict[tuple[str, str, str], dict[str, float]] = {}
    with (HERE / "raw/table.csv").open() as source:
        for row in csv.DictReader(source):
            for column, way in WAYS.items():
                run = (row["packet_rate_per_s"], row["delay_us"], way)
                runs.setdefault(run, {})[row["percentile"]] = int(row[column]) / 1000
    with (HERE / "data.csv").open("w") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(
            (
                "workload",
                "packet_rate_hz",
                "factor.processing_us",
                "factor.polling",
                "replicate",
                *(f"latency_p{percentile}_us" for percentile in PERCENTILES),
            )
        )
        for (rate, processing, way), found in runs.items():
            percentiles = (found[percentile] for percentile in PERCENTILES)
            writer.writerow(("xsk_rr", rate, processing, way, 1, *percentiles))


if __name__ == "__main__":
    main()
