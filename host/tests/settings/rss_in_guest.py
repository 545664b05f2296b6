# SPDX-License-Identifier: Apache-2.0
"""Runs in the guest: queues and the table that leads to them, set and put back on igb.

What the card has then, and what it lets people change, ethtool says. Writes to /out/seen.json.
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coalescope_host.settings import SettingError, open_host, open_saved

QUEUES = 2
"""That the card begins with."""


def ethtool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["ethtool", *words], capture_output=True, text=True, check=False)


def table(card: str) -> list[int]:
    shown = ethtool("-x", card).stdout
    lines = re.findall(r"^ +\d+:((?: +\d+)+)$", shown, re.MULTILINE)
    return [int(queue) for line in lines for queue in line.split()]


def queues(card: str) -> int:
    return int(re.findall(r"Combined:\s+(\d+)", ethtool("-l", card).stdout)[-1])


def takes_fewer(card: str) -> bool:
    """Whether the kernel lets one queue remain, as it does with the driver's own table only."""
    fewer = ethtool("-L", card, "combined", "1").returncode == 0
    if fewer:
        ethtool("-L", card, "combined", str(QUEUES))
    return fewer


def apply(card: str, cells: list[dict[str, Any]]) -> Iterator[str]:
    host = open_host(card)
    for cell in cells:
        try:
            took = host.apply(cell)
        except SettingError as error:
            yield str(error)
            continue
        yield "set" if took == cell else f"taken as {took}"


def swept(card: str, *cells: dict[str, Any]) -> dict[str, Any]:
    """Each cell, and what is left when all is put back."""
    before = table(card)
    host = open_host(card)
    problems = [problem for cell in cells for problem in host.problems(cell)]
    state = json.loads(json.dumps(host.save()))
    said = list(apply(card, list(cells)))
    try:
        open_saved(state).restore(state)
        left = ""
    except SettingError as error:
        left = str(error)
    time.sleep(1)
    return {
        "problems": problems,
        "said": said,
        "left": left,
        "table_before": before,
        "table": table(card),
        "queues": queues(card),
        "takes_fewer": takes_fewer(card),
        "table_later": table(card),
    }


def cell(count: int, shared_by: int) -> dict[str, Any]:
    return {"queues": count, "rss_queues": shared_by}


def swept_from_the_kernels(card: str, *cells: dict[str, Any]) -> dict[str, Any]:
    """The same, of the table that the kernel fills in otherwise than igb does by itself."""
    ethtool("-X", card, "default")
    return swept(card, *cells)


def main(card: str) -> None:
    subprocess.run(["ip", "link", "set", card, "up"], check=True)
    ethtool("-L", card, "combined", str(QUEUES))
    seen = {
        "shrinking": swept(card, cell(4, 3), cell(2, 1), cell(1, 1)),
        "growing": swept(card, cell(1, 1), cell(3, 2), cell(4, 4)),
        "as many as before": swept(card, cell(4, QUEUES)),
        "one of more": swept(card, cell(4, 1), cell(1, 1)),
        "table alone": swept(card, {"rss_queues": 1}, {"rss_queues": 2}, {"rss_queues": 1}),
        "queues alone": swept(card, {"queues": 1}, {"queues": 4}),
    }
    kernels = "the kernel's, "
    seen |= {
        f"{kernels}fewer queues": swept_from_the_kernels(card, {"queues": 1}),
        f"{kernels}more queues": swept_from_the_kernels(card, {"queues": 4}),
        f"{kernels}table alone": swept_from_the_kernels(card, {"rss_queues": 1}),
        f"{kernels}both": swept_from_the_kernels(card, cell(4, 3), cell(2, 1)),
    }
    ethtool("-X", card, "weight", "1", "3")
    seen["somebody's table"] = swept(card, cell(4, 4), cell(1, 1))
    seen["somebody's table and queues alone"] = swept(card, {"queues": 4}, {"queues": 1})
    Path("/out/seen.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
