# SPDX-License-Identifier: Apache-2.0
"""What a misspelt word probably means."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(word: str, known: Iterable[str], *, prefix: str = "") -> str:
    """“ Did you mean …?” with up to two known words that look like it; nothing where none does.

    A prefix stands before all of them, and is not compared: by that much any two would look alike.
    """
    bare = dict.fromkeys(each.removeprefix(prefix) for each in known)
    near = get_close_matches(word.removeprefix(prefix), bare, n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(prefix + each for each in near)}?" if near else ""
