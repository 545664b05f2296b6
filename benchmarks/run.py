# SPDX-License-Identifier: Apache-2.0
"""Measure every promise beside its bar: `make bench`, or `python benchmarks/run.py drag kernel`.

Each file `promise_*.py` measures one promise of the design in one run and returns rows. A bar is a
ratio against a named peer or a limit in time; nothing here fails a build.
"""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

from rows import Row, table

HERE = Path(__file__).parent


def promises(wanted: list[str]) -> list[str]:
    """Module names, all of them or those that were asked for."""
    names = sorted(path.stem for path in HERE.glob("promise_*.py"))
    if not wanted:
        return names
    unknown = [name for name in wanted if f"promise_{name}" not in names]
    if unknown:
        known = ", ".join(name.removeprefix("promise_") for name in names)
        sys.exit(f"no such benchmark: {', '.join(unknown)}; there are: {known}")
    return [f"promise_{name}" for name in wanted]


def main() -> None:
    """Print one table."""
    names = promises(sys.argv[1:])
    print(f"{platform.machine()}, Python {platform.python_version()}, {platform.system()}")
    rows: list[Row] = []
    for name in names:
        print(f"measuring {name.removeprefix('promise_')} …", file=sys.stderr, flush=True)
        rows += importlib.import_module(name).measure()
    print(table(rows))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
