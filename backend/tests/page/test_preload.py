# SPDX-License-Identifier: Apache-2.0
"""The explorer's document brings the answers to what the page asks first, if anybody may read."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from coalescope.page import preload

MakeClient = Callable[..., Any]

INDEX = "<!doctype html>\n<html>\n  <head>\n  </head>\n</html>\n"
VIEW = "/explorer/geist-2005-nfs"
API = "/api/experiments/geist-2005-nfs"
FIT = {"model": "cpu-overhead", "method": "paper-tls", "response": "system_cpu_jiffies"}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "index.html").write_text(INDEX)
    return folder


@pytest.fixture
def published(make_client: MakeClient, page: Path, datasets: Path) -> Any:
    return make_client(page_dir=page, datasets_dir=datasets)


def told(client: Any, address: str = VIEW) -> dict[str, Any]:
    """The answers in the document; {} where it has none."""
    found = re.search(r'<script type="application/json" id="answers">(.*)</script>',
                      client.get(address).text)  # fmt: skip
    answers: dict[str, Any] = json.loads(found[1]) if found else {}
    return answers


def test_a_document_says_what_the_server_would_answer(published: Any) -> None:
    answers = told(published)
    assert answers["experiments/geist-2005-nfs.json"] == published.get(API).json()
    assert answers["experiments/geist-2005-nfs/cells.json"] == published.get(f"{API}/cells").json()
    assert told(published, f"/embed{VIEW}") == answers
    assert told(published, "/explorer/none") == {}
    assert told(published, "/figures") == {}


def test_the_home_page_says_what_is_listed_and_what_its_study_opens_with(published: Any) -> None:
    published.post(f"{API}/fits", json=FIT | {"where": {}})
    answers = told(published, "/")
    assert answers.pop("experiments.json") == published.get("/api/experiments").json()
    assert answers == told(published, f"/explorer/{preload.HOME_STUDY}")
    assert "experiments/geist-2005-nfs/fits.json" in answers
    study = Path(__file__).parents[3] / "frontend/src/features/home/study.ts"
    assert f"slug: '{preload.HOME_STUDY}'" in study.read_text()


def test_a_list_that_goes_on_or_is_long_is_not_told(
    published: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preload, "LISTED", 1)
    assert "experiments.json" not in told(published, "/")
    monkeypatch.undo()
    assert "experiments.json" in told(published, "/")
    monkeypatch.setattr(preload, "_MOST_CHARACTERS", 10)
    assert told(published, "/").keys() == {"experiments/geist-2005-nfs.json"}


def test_without_its_study_the_home_page_says_what_is_listed(
    make_client: MakeClient, page: Path
) -> None:
    assert told(make_client(page_dir=page), "/") == {"experiments.json": []}


def test_a_document_that_brings_answers_is_packed(published: Any) -> None:
    for address in ("/", VIEW):
        plain = published.get(address, headers={"Accept-Encoding": "identity"})
        packed = published.get(address, headers={"Accept-Encoding": "gzip"})
        assert packed.headers["content-encoding"] == "gzip"
        assert int(packed.headers["content-length"]) < len(plain.content) / 2
        assert packed.text == plain.text


def test_the_document_names_the_scripts_of_its_address(published: Any, page: Path) -> None:
    listed = {"routes": ["/", "/models"], "scripts": {"/": ["assets/home-1.js"]}}
    (page / "routes.json").write_text(json.dumps(listed))
    named = '<link rel="modulepreload" crossorigin href="/assets/home-1.js">'
    assert named in published.get("/").text
    assert named not in published.get("/models").text


def test_the_first_fit_is_told_once_somebody_asked_for_it(published: Any) -> None:
    assert "experiments/geist-2005-nfs/fits.json" not in told(published)
    where = {"workload": "nfs"}
    plane = published.get(API).json()["factors"]
    asked = FIT | {"where": where if any(len(f["levels"]) > 1 and f["name"] == "workload"
                                         for f in plane) else {}}  # fmt: skip
    answer = published.post(f"{API}/fits", json=asked).json()
    published.post(f"{API}/fits", json=asked | {"method": "ols"})
    assert told(published)["experiments/geist-2005-nfs/fits.json"] == [
        {"asked": asked, "answer": answer}
    ]


def test_the_fit_that_the_address_asks_for_is_told(published: Any) -> None:
    asked = FIT | {"method": "ols", "where": {}}
    answer = published.post(f"{API}/fits", json=asked).json()
    fits = "experiments/geist-2005-nfs/fits.json"
    assert told(published, f"{VIEW}?fit=ols")[fits] == [{"asked": asked, "answer": answer}]
    assert fits not in told(published)
    assert fits not in told(published, f"{VIEW}?fit=ols&measure=traffic_cpu_jiffies_per_gb")


def test_cells_that_are_too_many_to_be_told_are_fetched_beside_the_scripts(
    published: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = f"{API}/cells?layout=columns"
    beside = f'<link rel="preload" as="fetch" crossorigin href="{cells}">'
    assert beside not in published.get(VIEW).text
    monkeypatch.setattr(preload, "_MOST_CHARACTERS", len(json.dumps(told(published))) // 2)
    answers = told(published)
    assert answers == {"experiments/geist-2005-nfs.json": published.get(API).json()}
    assert beside in published.get(VIEW).text
    # with runs left out, other cells are asked for
    assert beside not in published.get(f"{VIEW}?without=0123").text


def test_what_could_not_be_told_is_not_written_either(
    published: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the largest experiment the cells alone would be 55 MiB, kept beside those of 15 others."""

    def written(*_: object) -> None:
        raise AssertionError("all cells were judged or written")

    def endless(*_: object) -> Iterator[dict[str, Any]]:
        for number in range(100_000):
            yield {**FIT, "where": {"mtu_bytes": number}}
        raise AssertionError("fits of all choices were kept")

    monkeypatch.setattr(preload, "_MOST_CHARACTERS", 1000)
    monkeypatch.setattr(preload, "cells_out", written)
    monkeypatch.setattr(preload, "cells_in_sequence", written)
    monkeypatch.setattr(preload, "fit_requests", endless)
    assert told(published).keys() == {"experiments/geist-2005-nfs.json"}


def test_new_data_are_told_at_once(published: Any) -> None:
    etag = published.get(VIEW).headers["etag"]
    assert published.get(VIEW, headers={"if-none-match": etag}).status_code == 304
    run = published.get(f"{API}/runs").json()["runs"][0]["id"]
    published.post(f"/api/runs/{run}/retraction", json={"reason": "a test"})
    answer = published.get(VIEW, headers={"if-none-match": etag})
    assert answer.status_code == 200
    cells = told(published)["experiments/geist-2005-nfs/cells.json"]
    assert cells == published.get(f"{API}/cells").json()


def test_what_a_token_guards_is_not_told(
    make_client: MakeClient, page: Path, datasets: Path
) -> None:
    guarded = make_client(page_dir=page, datasets_dir=datasets, token="a-secret-of-some-length")
    assert told(guarded) == {}


def test_no_word_of_the_data_ends_the_element(make_client: MakeClient, page: Path) -> None:
    client = make_client(page_dir=page)
    hostile = "</script><script>alert(1)</script><!--"
    made = {"slug": "hostile", "title": hostile, "kind": "measured"}
    assert client.post("/api/experiments", json=made).status_code == 201
    assert told(client, "/explorer/hostile")["experiments/hostile.json"]["title"] == hostile
    assert "<script>alert" not in client.get("/explorer/hostile").text
