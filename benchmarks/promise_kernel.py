# SPDX-License-Identifier: Apache-2.0
"""The printed kernel is as fast as hand-written TypeScript, and far faster than Python."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path

from coalescope_models.catalogue import MODELS
from coalescope_models.expr import FLOATS, kernel
from rows import Row

HERE = Path(__file__).parent
MODEL = "cpu-overhead-surface"
OUTPUT = "system_cpu_per_gb"
SIDE = 128

TRANSPILE = """
import ts from './node_modules/typescript/lib/typescript.js';
import { readFileSync, writeFileSync } from 'node:fs';
const [source, target] = process.argv.slice(1);
const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
writeFileSync(target, ts.transpile(readFileSync(source, 'utf8'), options));
"""


def time_in_node(folder: Path) -> dict[str, float]:
    """Medians of both kernels in one process, in turn."""
    printed, by_hand = folder / "printed.mjs", folder / "by_hand.mjs"
    model = MODELS[MODEL]
    printed.write_text(kernel(model.graph, OUTPUT, model.axes))
    subprocess.run(
        ["node", "--input-type=module", "-e", TRANSPILE, HERE / "kernel_by_hand.ts", by_hand],
        cwd=HERE.parent / "frontend",
        check=True,
    )
    answer = subprocess.run(
        ["node", HERE / "kernel.mjs", printed, by_hand, str(SIDE), "101"],
        capture_output=True,
        check=True,
    )
    result: dict[str, float] = json.loads(answer.stdout)
    return result


def time_in_python() -> float:
    """Milliseconds for the same grid: the same function, called on floats point by point."""
    function = MODELS[MODEL].function
    start = time.perf_counter()
    for j in range(SIDE):
        for i in range(SIDE):
            function(1500.0 + j, 1.0 + i, 0.8, 0.813, 0.266, 1.11, FLOATS)
    return 1000 * (time.perf_counter() - start)


def measure() -> list[Row]:
    """Rows for the report."""
    with tempfile.TemporaryDirectory() as folder:
        node = time_in_node(Path(folder))
    python_ms = time_in_python()
    return [
        Row(
            f"kernel, {SIDE}²: printed from the graph / hand-written TypeScript",
            f"{node['ratio']:.2f} × ({node['printed_ms']:.3f} / {node['by_hand_ms']:.3f} ms)",
            "≤ 1.10 ×",  # equal, within what repeated runs differ by
            node["ratio"] <= 1.10,
        ),
        Row(
            f"kernel, {SIDE}²: pure Python / printed",
            f"{python_ms / node['printed_ms']:.0f} × ({python_ms:.0f} ms)",
        ),
        Row(
            "kernel: largest relative difference to the hand-written one",
            f"{node['difference']:.1e}",
        ),
    ]
