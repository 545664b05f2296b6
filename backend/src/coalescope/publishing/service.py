# SPDX-License-Identifier: Apache-2.0
"""Writing the site: whole beside its place first, then renamed. Same store, same bytes."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI

from coalescope.copies.environments import EnvironmentTable
from coalescope.errors import CoalescopeError
from coalescope.publishing import answers, documents
from coalescope.publishing.questions import encoded

MARK = "coalescope-copy.json"
# Of the built page: what a host of files does not need, or what is written again.
_LEFT_OUT = {"index.html", "routes.json"}
_PACKED = {".br", ".gz", ".map"}


@dataclass(frozen=True)
class Published:
    """What was written. Sizes in bytes."""

    experiments: int
    runs: int
    files: int
    size_bytes: int


@dataclass
class _Folder:
    """The site while it is written."""

    top: Path
    files: int = 0
    size_bytes: int = 0

    def write(self, name: str, content: bytes) -> None:
        parts = PurePosixPath(name).parts
        if any(part in {"..", "."} or "\\" in part or "\0" in part for part in parts):
            raise CoalescopeError("unusable_name", f"{name!r} cannot be the name of a file.")
        path = self.top.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.files += 1
        self.size_bytes += len(content)


def publish(
    app: FastAPI,
    page_dir: Path | None,
    target: Path,
    *,
    with_logs: bool = False,
    at: str | None = None,
    replace: bool = False,
) -> Published:
    """Write the application's store and the built page to `target` as files.

    `at` is the address that the site will have: with it, files are named from there and unknown
    addresses show the page. `replace` allows to replace a folder that this function wrote.

    Errors: CoalescopeError when the page is not built, or the folder holds something else.
    """
    if page_dir is None or not (page_dir / "index.html").is_file():
        raise CoalescopeError(
            "no_page",
            "The page is not built, and a site needs its files.",
            advice="Run `make page` in the checkout, or set COALESCOPE_PAGE_DIR.",
        )
    _check(target, replace=replace)
    draft = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        written = _write(app, page_dir, _Folder(draft), with_logs=with_logs, at=at)
        _exchange(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return written


def _check(target: Path, *, replace: bool) -> None:
    if not target.parent.is_dir():
        raise CoalescopeError("no_folder", f"There is no folder {str(target.parent)!r}.")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / MARK).is_file():
        raise CoalescopeError(
            "not_empty",
            f"{str(target)!r} holds something that `coalescope publish` did not write.",
            advice="Name a folder that is empty or not there yet.",
        )
    if not replace:
        raise CoalescopeError(
            "not_empty",
            f"{str(target)!r} holds a site already.",
            advice="Add --replace to write it anew.",
        )


def _exchange(draft: Path, target: Path) -> None:
    """Put the draft in the place of what was there."""
    before = target.with_name(f".{target.name}.{os.getpid()}.before")
    if target.exists():
        target.rename(before)
    draft.rename(target)
    shutil.rmtree(before, ignore_errors=True)


def _write(
    app: FastAPI, page_dir: Path, folder: _Folder, *, with_logs: bool, at: str | None
) -> Published:
    made_by = version("coalescope")
    with start_blocking_portal() as portal:
        client = answers.InProcessClient(app, portal)
        slugs = [each["slug"] for each in answers.experiments(client)]
        models = [model["id"] for model in client.get("models").json()]
        shown = documents.addresses(models, _figures(page_dir))
        for name, content in answers.common(client):
            folder.write(f"answers/{name}", content)
        runs = 0
        for slug in slugs:
            shown += documents.of_experiment(slug)
            for name, content in answers.of_experiment(client, slug):
                folder.write(f"answers/{name}", content)
                if name == f"experiments/{slug}/runs.json":
                    listed = json.loads(content)["runs"]
            runs += len(listed)
            environments = EnvironmentTable()
            for run in listed:
                shown.append(f"runs/{run['id']}")
                for name, content in answers.of_run(client, run, with_log=with_logs):
                    folder.write(f"answers/{name}", content)
                    if name == f"runs/{run['id']}/environment.json":
                        environments.add(run["id"], json.loads(content))
            kept = encoded(environments.as_json())
            folder.write(f"answers/experiments/{slug}/environments.json", kept)
    for name, content in _page_files(page_dir):
        folder.write(name, content)
    index = (page_dir / "index.html").read_text(encoding="utf-8")
    top = None if at is None else f"{urlsplit(at).path.rstrip('/')}/"
    for address in shown:
        text = documents.document(index, top or documents.way_up(address), made_by, logs=with_logs)
        folder.write(f"{address}/index.html".lstrip("/"), text.encode())
    # A missing address may be any number of folders deep: only a known top leads back from it.
    missing = documents.document(index, top, made_by, logs=with_logs) if top else documents.MISSING
    folder.write("404.html", missing.encode())
    about = {"format": 1, "version": made_by, "experiments": len(slugs), "runs": runs}
    folder.write(MARK, encoded({**about, "logs": with_logs}))
    return Published(len(slugs), runs, folder.files, folder.size_bytes)


def _figures(page_dir: Path) -> list[str]:
    """The page's own list of its figures."""
    listed = page_dir / "routes.json"
    return list(json.loads(listed.read_bytes())["figures"]) if listed.is_file() else []


def _page_files(page_dir: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(page_dir.rglob("*")):
        name = path.relative_to(page_dir).as_posix()
        if path.is_file() and name not in _LEFT_OUT and path.suffix not in _PACKED:
            yield name, path.read_bytes()
