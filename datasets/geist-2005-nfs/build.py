# SPDX-License-Identifier: Apache-2.0
"""Derive data.csv from raw/table-2.csv.

Table 2 of Geist et al. 2005 is normalised to K = 10 000 jiffies: every row was multiplied by
K / T. The volume was the same in each run (3 clients x 1.67e9 bytes = 5010 MB), so the row's
own N_MB gives the factor back:

    T = K * 5010 / N_MB      jiffies of 10 ms              (figure 13)
    packets    = 1000 * N_KP * T / K
    interrupts = 1000 * N_KI * T / K
    packets per interrupt = N_KP / N_KI                    (figure 10)

N_MB, N_KP and N_KI are printed as whole numbers, so derived values carry a rounding of up to
0.5 / N: at most 0.008 % of the bytes, 0.019 % of the packets, 0.08 % of the interrupts.
"""

import csv
import sys
from pathlib import Path

HERE = Path(__file__).parent
K_JIFFIES = 10_000
VOLUME_MB = 5_010
REPLICATES = 10

COLUMNS = (
    "workload", "mtu_bytes", "delay_ticks", "n",
    "rx_bytes", "rx_packets", "rx_interrupts", "system_cpu_jiffies",
    "packets_per_interrupt", "mean_packet_bytes",
    "system_cpu_jiffies_per_gb", "rx_packets_per_gb", "rx_interrupts_per_gb",
)  # fmt: skip


def derive(row: dict[str, str]) -> tuple[object, ...]:
    """One row of data.csv from one row of table 2."""
    megabytes = int(row["normalised_megabytes"])
    kilopackets = int(row["normalised_kilopackets"])
    kilointerrupts = int(row["normalised_kilointerrupts"])
    jiffies = K_JIFFIES * VOLUME_MB / megabytes
    scale = jiffies / K_JIFFIES
    return (
        "nfs", row["mtu_bytes"], row["delay_ticks"], REPLICATES,
        VOLUME_MB * 1_000_000, 1_000 * kilopackets * scale, 1_000 * kilointerrupts * scale, jiffies,
        kilopackets / kilointerrupts, 1_000 * megabytes / kilopackets,
        1_000 * jiffies / VOLUME_MB, 1e6 * kilopackets / megabytes,
        1e6 * kilointerrupts / megabytes,
    )  # fmt: skip


def main() -> None:
    """Write data.csv, or to standard output with `-`."""
    with (HERE / "raw/table-2.csv").open() as source:
        rows = [derive(row) for row in csv.DictReader(source)]
    if sys.argv[1:] == ["-"]:
        write(sys.stdout, rows)
        return
    with (HERE / "data.csv").open("w") as target:
        write(target, rows)


def write(target: object, rows: list[tuple[object, ...]]) -> None:
    """Write the tidy table; floats in their shortest exact form."""
    writer = csv.writer(target, lineterminator="\n")  # type: ignore[arg-type]
    writer.writerow(COLUMNS)
    writer.writerows(rows)


if __name__ == "__main__":
    main()
