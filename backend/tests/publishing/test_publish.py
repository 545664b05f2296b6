# SPDX-License-Identifier: Apache-2.0
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
from coalescope.cli import main
from coalescope.publishing.documents import document, way_up
from coalescope_models.inference.methods import METHODS

from ..datasets.converters.test_nic_tuning import SAMPLE

TABLES = ("geist-2005-nfs", "geist-2005-points", "dillon-2004", "chase-1999")
INDEX = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <link rel="icon" href="/mark.svg" type="image/svg+xml">
    <script type="module" crossorigin src="/assets/index-1.js"></script>
  </head>
</html>
"""


@pytest.fixture
def store(tmp_path: Path, datasets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of the shipped tables, and a built page of a few files."""
    shipped, page = tmp_path / "datasets", tmp_path / "page"
    for slug in TABLES:
        shutil.copytree(datasets / slug, shipped / slug)
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text(INDEX)
    (page / "routes.json").write_text('{"figures": ["geist-2005-table-2"]}')
    (page / "assets/index-1.js").write_text("export {};")
    (page / "assets/index-1.js.gz").write_bytes(b"packed")
    monkeypatch.setenv("COALESCOPE_DATASETS_DIR", str(shipped))
    monkeypatch.setenv("COALESCOPE_PAGE_DIR", str(page))
    monkeypatch.setenv("COALESCOPE_DATA_DIR", str(tmp_path / "data"))
    assert main(["migrate"]) == 0
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def test_a_site_holds_what_the_page_asks(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(store / "site")]) == 0
    said = capsys.readouterr().out
    assert "4 experiments" in said
    assert re.search(r"\d+ files, \d+\.\d MB", said)
    files = contents(store / "site")

    def answer(name: str) -> object:
        return json.loads(files[f"answers/{name}.json"])

    listed = answer("experiments")
    assert isinstance(listed, list)
    assert {e["slug"] for e in listed} == set(TABLES)
    own = "experiments/geist-2005-nfs"
    cells, runs, fits = answer(f"{own}/cells"), answer(f"{own}/runs"), answer(f"{own}/fits")
    assert isinstance(cells, dict)
    assert isinstance(runs, dict)
    assert isinstance(fits, list)
    assert len(cells["cells"]) == runs["total"] == len(runs["runs"]) == 27
    for run in runs["runs"]:
        assert f"answers/runs/{run['id']}.json" in files
        assert f"runs/{run['id']}/index.html" in files
    kept = {fit["asked"]["method"]: fit["answer"]["estimates"] for fit in fits}
    assert set(kept) == set(METHODS)
    assert kept["paper-tls"]["alpha"]["value"] == pytest.approx(0.813, abs=5e-4)
    assert f"answers/{own}/export/cells.csv" in files
    for address in ("explorer/chase-1999", "figures/geist-2005-table-2", "models/link-bound"):
        assert f"{address}/index.html" in files
    assert "assets/index-1.js.gz" not in files
    about = json.loads(files["coalescope-copy.json"])
    assert about["experiments"] == 4
    assert about["logs"] is False


def test_the_same_store_gives_the_same_bytes(store: Path) -> None:
    for name in ("one", "two"):
        assert main(["publish", str(store / name)]) == 0
    assert contents(store / "one") == contents(store / "two")


def test_what_somebody_else_wrote_is_never_replaced(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = store / "site"
    site.mkdir()
    (site / "thesis.txt").write_text("the only copy")
    assert main(["publish", str(site), "--replace"]) == 1
    assert "did not write" in capsys.readouterr().err
    assert (site / "thesis.txt").read_text() == "the only copy"


def test_a_site_is_replaced_on_request_only(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = store / "site"
    assert main(["publish", str(site)]) == 0
    (site / "left-over.txt").write_text("from before")
    assert main(["publish", str(site)]) == 1
    assert "--replace" in capsys.readouterr().err
    assert main(["publish", str(site), "--replace", "--at", "https://example.org/a/b/"]) == 0
    assert not (site / "left-over.txt").exists()
    assert 'src="/a/b/assets/index-1.js"' in (site / "404.html").read_text()
    assert [p.name for p in store.iterdir() if p.name.startswith(".")] == []


def test_a_page_that_is_not_built_is_said(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COALESCOPE_PAGE_DIR", str(store / "datasets"))
    assert main(["publish", str(store / "site")]) == 1
    assert "make page" in capsys.readouterr().err
    assert not (store / "site").exists()


def test_documents_name_their_files_from_where_they_are() -> None:
    assert [way_up(a) for a in ("", "models", "explorer/x", "experiments/x/runs")] == [
        "./",
        "../",
        "../../",
        "../../../",
    ]
    text = document(INDEX, way_up("explorer/x"), "0.1.0", logs=True)
    assert 'src="../../assets/index-1.js"' in text
    assert 'href="../../mark.svg"' in text
    assert '<meta name="coalescope-copy" data-version="0.1.0" data-logs="yes">' in text
    assert "default-src 'self'" in text
    assert "frame-ancestors" not in text


def test_what_was_fetched_from_others_is_said(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", str(store / "site")]) == 0
    assert "Licence" not in capsys.readouterr().err
    folder = store / "datasets/a-study-2022"
    folder.mkdir()
    sha256, copy = hashlib.sha256(SAMPLE).hexdigest(), store / "copy.csv"
    copy.write_bytes(SAMPLE)
    (folder / "source.toml").write_text(
        'title = "A"\nkind = "published"\ncitation = "B"\nlicence = "None is stated."\n[fetch]\n'
        f'url = "http://127.0.0.1:9/never-asked"\ncommit = "0"\nsha256 = "{sha256}"\n'
        f'bytes = {len(SAMPLE)}\nconverter = "nic-tuning-mcd"\n'
    )
    assert main(["datasets", "fetch", "a-study-2022", "--from", str(copy)]) == 0
    assert main(["publish", str(store / "another-site")]) == 0
    said = capsys.readouterr().err
    assert "a-study-2022 was fetched from its authors" in said
    assert "Licence: None is stated." in said
