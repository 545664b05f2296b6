# SPDX-License-Identifier: Apache-2.0
"""What the manuals tell their readers to type, for the tests that type it.

A test takes a fence by words that it alone has, and types it. Which fences nobody types
follows from these calls: `backend/tests/documents/test_every_command_is_typed.py`.
"""

import re
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

from timeouts import TIMEOUT_S

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def fences_of_all_kinds(document: str) -> list[tuple[str, str]]:
    """Kind and text of each fence of a document, which is named from the root, in its order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [(kind, textwrap.dedent(fence)) for kind, fence in _FENCE.findall(text)]


def fences(document: str, kind: str = "sh") -> list[str]:
    """The text of all fences of that kind."""
    return [text for of_kind, text in fences_of_all_kinds(document) if of_kind == kind]


def fence(document: str, words: str) -> str:
    """The text of the one fence of commands that has these words."""
    (found,) = (text for text in fences(document) if words in text)
    return found


def typed(text: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Type it into a shell that ends at the first line that fails; what it prints."""
    done = subprocess.run(
        ["/bin/bash", "-e", "-c", text],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
