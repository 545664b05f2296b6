# SPDX-License-Identifier: Apache-2.0
"""The document in which a reader's Python runs: its policy, and its script by its hash."""

import base64
import hashlib
import re
from pathlib import Path

from coalescope.web.security import SANDBOX_POLICY

DOCUMENT = (Path(__file__).parents[4] / "frontend/public/sandbox.html").read_text(encoding="utf-8")


def directives(policy: str) -> dict[str, set[str]]:
    split = [part.split() for part in policy.split(";") if part.strip()]
    return {name: set(values) for name, *values in split}


def test_both_policies_name_the_script_by_its_hash() -> None:
    script = re.search(r"<script>(.*)</script>", DOCUMENT, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    inside = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', DOCUMENT)
    assert inside is not None
    for policy in (SANDBOX_POLICY, inside[1]):
        assert directives(policy)["script-src"] == {
            f"'sha256-{digest}'",
            "'wasm-unsafe-eval'",
            "blob:",
        }, f"paste 'sha256-{digest}' into sandbox.html and security/headers.py"


def test_nothing_is_reached_from_there() -> None:
    inside = re.search(r'content="([^"]*)"', DOCUMENT)
    assert inside is not None
    for policy in (SANDBOX_POLICY, inside[1]):
        found = directives(policy)
        assert found["default-src"] == {"'none'"}
        assert found["worker-src"] == {"blob:"}
        # what is not named falls back to default-src
        assert not set(found) & {"connect-src", "img-src", "frame-src", "style-src", "font-src"}
    header = directives(SANDBOX_POLICY)
    assert header["sandbox"] == {"allow-scripts"}
    assert header["frame-ancestors"] == {"'self'"}
