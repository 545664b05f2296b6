# SPDX-License-Identifier: Apache-2.0
"""What the documents' site is built of: every document, each reached from its contents."""

import re
import sys
from pathlib import Path

import pytest

from .test_documents import DOCUMENTS, ROOT

sys.path.insert(0, str(ROOT / "docs"))
import site_sources

TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def sources() -> dict[Path, str]:
    return site_sources.sources()


def test_it_has_every_document_and_notebook() -> None:
    notebooks = (ROOT / "docs/notebooks").glob("*.ipynb")
    every = {path.relative_to(ROOT) for path in (*DOCUMENTS, *notebooks)}
    assert set(site_sources.documents()) == every
    assert len(every) > 50


def entries(page: Path, sources: dict[Path, str]) -> list[Path]:
    """The pages that a page lists in the navigation."""
    lines = [line for listed in TOCTREE.findall(sources[page]) for line in listed.splitlines()]
    names = [line for line in lines if line and not line.startswith(":")]
    return [page.parent / f"{name}.md" for name in names]


def test_each_page_is_reached_from_the_contents_once(sources: dict[Path, str]) -> None:
    reached, ahead = [Path("index.md")], [Path("index.md")]
    while ahead:
        below = entries(ahead.pop(), sources)
        assert [page for page in below if page not in sources] == [], "listed, and not there"
        reached += below
        ahead += below
    assert sorted(reached) == sorted(sources)


def test_links_lead_to_where_the_site_has_a_document() -> None:
    places = {Path(path): site_sources.place(Path(path)) for path in (
        "docs/sweep.md", "README.md", "docs/openapi.json", "docs/notebooks/a.ipynb",
    )}  # fmt: skip
    places[Path("docs/decisions")] = Path("decisions/index.md")

    def led(text: str, document: str) -> str:
        return site_sources.with_links(text, Path(document), places)

    assert led("[a sweep](sweep.md#how)", "docs/tune.md") == "[a sweep](sweep.md#how)"
    assert led("[a sweep](docs/sweep.md)", "README.md") == "[a sweep](sweep.md)"
    assert led("[docs/sweep.md](docs/sweep.md)", "README.md") == "[](sweep.md)"
    assert led("[it](../../../docs/sweep.md)", "driver/logger/bpf/README.md") == (
        "[it](../../../sweep.md)"
    )
    assert led("[why](docs/decisions/)", "README.md") == "[why](decisions/index.md)"
    assert led("[a](notebooks/a.ipynb)", "docs/client.md") == "[a](notebooks/a.md)"
    assert led("[API](docs/openapi.json)", "README.md") == "[API](openapi.json)"
    assert led("[`wire.py`](../host/wire.py)", "docs/security.md") == "`wire.py`"
    for kept in ("[x](https://example.org)", "[x](#here)", "`[x](y.md)`", "```\n[x](y.md)\n```"):
        assert led(kept, "docs/tune.md") == kept


def test_what_is_no_longer_a_page_goes(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("# Gone")
    site_sources.write(tmp_path)
    assert not (tmp_path / "gone.md").exists()
    kept = (tmp_path / "sweep.md").stat().st_mtime_ns
    site_sources.write(tmp_path)
    assert (tmp_path / "sweep.md").stat().st_mtime_ns == kept
