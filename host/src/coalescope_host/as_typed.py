# SPDX-License-Identifier: Apache-2.0
"""Commands to be typed next: as this one was, where its name is not on the path."""

import os
import shutil
import sys
from pathlib import Path

_NAME = "coalescope-host"
_FILES = (_NAME, f"{_NAME}.pyz")


def as_typed(arguments: str) -> str:
    """The whole command line; with `sudo` where that started this one."""
    called = sys.argv[0] if Path(sys.argv[0]).name in _FILES else _NAME
    program = _NAME if shutil.which(_NAME) else called
    return f"{'sudo ' if 'SUDO_UID' in os.environ else ''}{program} {arguments}"
