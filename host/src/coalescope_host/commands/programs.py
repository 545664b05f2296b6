# SPDX-License-Identifier: Apache-2.0
"""Where logger and traffic tool are when these tools run from a checkout."""

import os
from pathlib import Path

_PROGRAMS = (Path("logger", "coalescope-logger"), Path("traffic", "coalescope-traffic"))


def add_to_path() -> None:
    """Let PATH end with the folders of what `make logger traffic` built, where there is any."""
    for above in Path(__file__).resolve().parents:
        found = [above / "driver" / p for p in _PROGRAMS if (above / "driver" / p).is_file()]
        if found:
            folders = [str(program.parent) for program in found]
            os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), *folders])
            return
