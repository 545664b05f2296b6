# SPDX-License-Identifier: Apache-2.0
"""Writes what the documents' site is built of: documents, notebooks, and pages made from code.

    python docs/site_sources.py FOLDER

Documents of docs/ stand at the top, all others where they are in the checkout. Links between them
are kept; of a file that the site does not have, the name stays. What has not changed is left as it
is, so that Sphinx builds only the rest.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import api_pages
import client_page
import command_pages
import model_pages

ROOT = Path(__file__).resolve().parents[1]
INDEX = Path("docs/site/index.md")
#: Folders that have a page of their own, which lists their documents.
FOLDERS = {"docs/decisions": "Decisions", "docs/notebooks": "Notebooks"}
_SHOWN = {".md", ".ipynb"}
_FILES = {".json", ".png", ".jpg", ".svg"}  # beside the documents of docs/
_PASSED_OVER = ("build", "data", "dist", "node_modules", "site")
_LINK = re.compile(r"^```.*?^```|`[^`\n]+`|\[([^\]]*)\]\(([^)\s]+)\)", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    """Every document of the checkout, from its root."""
    found = [INDEX]
    for folder, below, files in os.walk(ROOT):
        below[:] = [n for n in below if not n.startswith(".") and n not in _PASSED_OVER]
        paths = (Path(folder, name).relative_to(ROOT) for name in files)
        found += [path for path in paths if path.suffix in _SHOWN]
    return sorted(found)


def files() -> list[Path]:
    """What documents show or offer besides, from the root."""
    below = (path for path in (ROOT / "docs").rglob("*") if path.suffix in _FILES)
    return sorted(path.relative_to(ROOT) for path in below)


def place(path: Path) -> Path:
    """Where a document or a file stands in the site's sources."""
    if path == INDEX:
        return Path("index.md")
    at = path.relative_to("docs") if path.is_relative_to("docs") else path
    return at.with_suffix(".md") if at.suffix == ".ipynb" else at


def with_links(text: str, document: Path, places: dict[Path, Path]) -> str:
    """The text of a document, with links as they lead from its place.

    `places` are those of all that the site has; folders stand for the pages that list them.
    """

    def link(found: re.Match[str]) -> str:
        words, target = found.groups()
        if words is None or target.startswith(("https://", "http://", "#")):
            return found[0]
        name, _, heading = target.partition("#")
        to = places.get(Path(os.path.normpath(document.parent / name)))
        if to is None:
            return str(words)
        from_here = os.path.relpath(to, place(document).parent)
        # without words of its own a link has the title of its page
        words = "" if to.suffix == ".md" and name.endswith(words) else words
        return f"[{words}]({from_here}{'#' * bool(heading)}{heading})"

    return _LINK.sub(link, text)


def notebook(text: str) -> str:
    """A notebook as Markdown: its text, its code, and what that printed."""
    return "\n\n".join(part for cell in json.loads(text)["cells"] for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        printed = "".join(output["text"] if "text" in output else output["data"]["text/plain"])
        yield f"```text\n{printed.rstrip()}\n```"


def listing(folder: str, title: str) -> str:
    """The page of a folder, which lists its documents in the order of their names."""
    names = sorted(path.stem for path in documents() if path.parent == Path(folder))
    return f"# {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def sources() -> dict[Path, str]:
    """The text of each page, by its place."""
    shown = documents()
    places = {path: place(path) for path in (*shown, *files())}
    places |= {Path(folder): place(Path(folder)) / "index.md" for folder in FOLDERS}
    made = {}
    for path in shown:
        text = (ROOT / path).read_text(encoding="utf-8")
        text = notebook(text) if path.suffix == ".ipynb" else text
        made[place(path)] = with_links(text, path, places)
    made |= {places[Path(name)]: listing(name, title) for name, title in FOLDERS.items()}
    for maker in (model_pages, command_pages, api_pages, client_page):
        made |= maker.pages()
    return made


def write(folder: Path) -> None:
    """Write all pages and files into a folder, and take away what is no longer one."""
    made = sources()
    copied = {place(path): ROOT / path for path in files()}
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder) not in made | copied:
            path.unlink()
    for at, text in made.items():
        to = folder / at
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.read_text(encoding="utf-8") != text:
            to.write_text(text, encoding="utf-8")
    for at, source in copied.items():
        (folder / at).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, folder / at)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
