# SPDX-License-Identifier: Apache-2.0
"""Where `make serve` listens: as its command line says, else as the documented settings do."""

import os
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


def served_by(*typed: str, **environment: str) -> str:
    """The command that `make serve` would end in."""
    done = subprocess.run(
        ["make", "-n", "serve", *typed],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return " ".join(done.stdout.splitlines()[-1].split())


@pytest.mark.fault("A13")
def test_the_environment_chooses_no_address() -> None:
    bare = served_by(HOST="x86_64-conda-linux-gnu", PORT="1", COALESCOPE_PORT="8011")
    assert bare == "exec .venv/bin/coalescope serve"


@pytest.mark.fault("A13")
def test_what_is_typed_chooses_it() -> None:
    typed = served_by("HOST=::1", "PORT=8011", HOST="other")
    assert typed == "exec .venv/bin/coalescope serve --host ::1 --port 8011"
