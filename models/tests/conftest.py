# SPDX-License-Identifier: Apache-2.0
import csv
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]

# One process for all kernels: a line of JSON in, a line of JSON out. JSON has no inf and nan, so
# those travel as text.
_RUNNER = r"""
const decode = (v) =>
  typeof v === 'string' ? Number(v) : Array.isArray(v) ? Float64Array.from(v, decode) : v;
const encode = (v) => (Number.isFinite(v) ? v : String(v));
const kernels = new Map();
const load = async (source) => {
  if (!kernels.has(source)) {
    const url = 'data:text/javascript,' + encodeURIComponent(source);
    kernels.set(source, (await import(url)).default);
  }
  return kernels.get(source);
};
const lines = require('node:readline').createInterface({ input: process.stdin });
(async () => {
  for await (const line of lines) {
    const { source, inputs, nx, ny } = JSON.parse(line);
    const out = new Float64Array(nx * ny).fill(-12345);
    const kernel = await load(source);
    const same = kernel(inputs.map(decode), nx, ny, out) === out;
    console.log(JSON.stringify({ same, out: Array.from(out, encode) }));
  }
})();
"""


class Node:
    """Runs printed kernels in node."""

    def __init__(self):
        # a machine without node fails here: a skip would hide that the engines were not compared
        self._process = subprocess.Popen(
            ["node", "-e", _RUNNER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def run(self, source, inputs, nx=1, ny=1):
        def encode(value):
            if np.ndim(value):
                return [encode(item) for item in np.ravel(value)]
            return float(value) if np.isfinite(value) else _JAVASCRIPT[str(float(value))]

        request = {"source": source, "inputs": [encode(v) for v in inputs], "nx": nx, "ny": ny}
        self._process.stdin.write(json.dumps(request) + "\n")
        answer = self._process.stdout.readline()
        assert answer, "node stopped"
        reply = json.loads(answer)
        assert reply["same"], "the kernel must return the array that it was given"
        return np.array([float(item) for item in reply["out"]]).reshape(ny, nx)

    def close(self):
        self._process.kill()
        self._process.communicate()


_JAVASCRIPT = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


@pytest.fixture(scope="session")
def node():
    runner = Node()
    yield runner
    runner.close()


@pytest.fixture(scope="session")
def nfs():
    """Table 2 of Geist et al. 2005, as published, by column."""
    with (ROOT / "datasets/geist-2005-nfs/raw/table-2.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert len(rows) == 27
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@pytest.fixture(scope="session")
def nfs_table(nfs):
    """The same as a table to fit: every row stands for 10,000 jiffies."""
    return {
        "rx_megabytes": nfs["normalised_megabytes"],
        "rx_kilopackets": nfs["normalised_kilopackets"],
        "rx_kilointerrupts": nfs["normalised_kilointerrupts"],
        "system_cpu_jiffies": np.full(27, 10_000.0),
    }
