# SPDX-License-Identifier: Apache-2.0
"""index.html for every address of a site of files. Pure: text in, text out."""

from collections.abc import Iterable
from html import escape

from coalescope.web.security.headers import CONTENT_SECURITY_POLICY

_HEAD = '<meta charset="utf-8">'
# A document cannot say this of itself, and browsers complain where it does.
_NOT_IN_DOCUMENTS = "frame-ancestors"

MISSING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Not found</title>
<h1>There is no such page</h1>
<p>This site of files holds a copy of a Coalescope store, and not this page.</p>
</html>
"""


def addresses(models: Iterable[str], figures: Iterable[str]) -> list[str]:
    """The addresses that do not depend on what is stored, without slashes around them."""
    plain = ["", "models", "figures", "glossary", "how-it-works", "compare", "open", "workshop"]
    views = [f"models/{m}" for m in models] + [f"figures/{f}" for f in figures]
    about = [f"models/{m}/about" for m in models]
    return plain + views + about + [f"embed/{view}" for view in views]


def of_experiment(slug: str) -> list[str]:
    """Where an experiment is shown."""
    views = [f"explorer/{slug}", f"embed/explorer/{slug}"]
    return [*views, f"experiments/{slug}/runs", f"experiments/{slug}/replicates"]


def document(index: str, prefix: str, version: str, *, logs: bool) -> str:
    """The page's index.html as part of a copy, its files named from `prefix` ('../../', '/a/')."""
    policy = "; ".join(
        part for part in CONTENT_SECURITY_POLICY.split("; ") if _NOT_IN_DOCUMENTS not in part
    )
    known = (
        f'<meta name="coalescope-copy" data-version="{escape(version)}" '
        f'data-logs="{"yes" if logs else "no"}">'
    )
    head = (
        f'{_HEAD}\n    <meta http-equiv="Content-Security-Policy" content="{policy}">\n    {known}'
    )
    moved = index.replace(_HEAD, head, 1)
    for name in ("href", "src"):
        moved = moved.replace(f'{name}="/', f'{name}="{prefix}')
    return moved


def way_up(address: str) -> str:
    """From the folder of an address to the top: 'explorer/x' is two folders down."""
    return "../" * (address.count("/") + 1) if address else "./"
