# SPDX-License-Identifier: Apache-2.0
"""How deeply brackets are nested in a JSON text, without reading it as JSON."""

import re

# One that does not end reaches to the end, and nothing is tried twice: else a text of many quotes
# takes the square of its length.
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKETS = re.compile(rb"[\[{\]}]")


def exceeds_depth(most: int, text: bytes) -> bool:
    """Whether some part of the text stands in more than `most` brackets."""
    depth = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub(b"", text)):
        depth += 1 if bracket in b"[{" else -1
        if depth > most:
            return True
    return False
