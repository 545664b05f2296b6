# SPDX-License-Identifier: Apache-2.0
"""What a shared link shows: tags on the page's documents, and the picture behind them."""

from collections.abc import Callable
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from coalescope.previews.picture import png_of
from coalescope.previews.service import card_for, png_for
from PIL import Image

MakeClient = Callable[..., Any]

INDEX = "<!doctype html>\n<html>\n  <head>\n    <title>Coalescope</title>\n  </head>\n</html>\n"
PNG = b"\x89PNG\r\n\x1a\n"
HOSTILE = '"><script>alert(1)</script> ' + "x" * 150


class Tags(HTMLParser):
    """The meta tags of a document, and every other element in it."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.others: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "meta":
            self.meta[said.get("property") or said["name"] or ""] = said["content"] or ""
        else:
            self.others.append(tag)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "index.html").write_text(INDEX)
    return folder


@pytest.fixture
def published(make_client: MakeClient, page: Path, datasets: Path) -> Any:
    return make_client(page_dir=page, datasets_dir=datasets)


def test_a_view_says_what_it_shows(published: Any) -> None:
    address = "/explorer/geist-2005-points?measure=throughput_mbps&delay_ticks=960"
    answer = published.get(address)
    said = Tags(answer.text).meta
    assert said["og:title"] == "Geist et al. 2005, UDP and TCP"
    assert said["og:description"].startswith("Published · Throughput, Mb/s over ")
    assert "R. Geist" in said["og:description"]
    assert said["og:url"] == f"http://127.0.0.1:8000{address}"
    assert (said["og:image:width"], said["og:image:height"]) == ("1200", "630")
    assert "Throughput over" in said["og:image:alt"]
    assert said["twitter:card"] == "summary_large_image"
    picture = said["og:image"].removeprefix("http://127.0.0.1:8000")
    assert "measure=throughput_mbps" in picture
    assert published.get(picture).content.startswith(PNG)
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-security-policy"].startswith("default-src 'self'; script-src")
    etag = answer.headers["etag"]
    assert published.get(address, headers={"if-none-match": etag}).status_code == 304
    other = published.get("/explorer/dillon-2004", headers={"if-none-match": etag})
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/embed/explorer/geist-2005-nfs", "Geist et al. 2005, NFS"),
        ("/experiments/geist-2005-nfs/runs", "Runs of Geist et al. 2005, NFS"),
        ("/models/tcp-coalescing-throughput", "TCP throughput under coalescing"),
        ("/figures/geist-2005-figure-14", "Geist 2005, figure 14"),
    ],
)
def test_other_addresses(published: Any, path: str, title: str) -> None:
    said = Tags(published.get(path).text).meta
    assert said["og:title"] == title
    picture = published.get(urlsplit(said["og:image"])._replace(scheme="", netloc="").geturl())
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")


def test_a_short_link_leads_to_the_tags_of_its_view(published: Any) -> None:
    made = published.post("/api/links", json={"path": "/explorer/geist-2005-nfs?view=3d"}).json()
    answer = published.get(f"/l/{made['token']}", follow_redirects=True)
    assert Tags(answer.text).meta["og:url"].endswith("/explorer/geist-2005-nfs?view=3d")


@pytest.mark.parametrize(
    "path",
    ["/explorer/nothing", "/explorer/a%2F..", "/models/nothing", "/figures/x", "/runs/1"],
)
def test_what_has_no_card_is_the_page_as_it_was_built(published: Any, path: str) -> None:
    assert published.get(path).text == INDEX


def test_the_home_page_brings_answers_and_no_card(published: Any) -> None:
    tags = Tags(published.get("/").text)
    assert tags.others == ["html", "head", "title", "script"]
    assert not [name for name in tags.meta if name.startswith("og:")]


def test_strangers_text_is_cut_and_inert(make_client: MakeClient, page: Path) -> None:
    client = make_client(page_dir=page)
    body = {"slug": "hostile", "title": HOSTILE, "kind": "measured"}
    source = {"citation": HOSTILE, "how_made": "y" * 10_000}
    assert client.post("/api/experiments", json={**body, "source": source}).status_code == 201
    document = client.get("/explorer/hostile?x=%22%3E%3Cscript%3E").text
    tags = Tags(document)
    # the one script is data: the answers that come with the document
    assert tags.others == ["html", "head", "title", "script"]
    assert tags.meta["og:title"].startswith('"><script>alert(1)</script> xx')
    assert len(tags.meta["og:title"]) <= 120
    assert client.get("/previews/explorer/hostile.png").content.startswith(PNG)


def test_the_picture(published: Any) -> None:
    address = "/previews/explorer/geist-2005-nfs.png"
    answer = published.get(address)
    image = Image.open(BytesIO(answer.content))
    assert (image.format, image.size) == ("PNG", (1200, 630))
    # the greatest cell, 1500 bytes at 10 ticks, is bottom left and bright
    colours = image.convert("RGB").getcolors(maxcolors=2**20)
    assert colours is not None
    counts = {colour: count for count, colour in colours}
    assert counts[0xF4, 0xEB, 0x98] > 2000
    etag = answer.headers["etag"]
    again = published.get(address, headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")
    other = published.get(f"{address}?measure=packets_per_interrupt")
    assert other.headers["etag"] != etag
    assert other.content != answer.content
    # parameters that change nothing of it do not make another
    same = published.get(f"{address}?gamma=1.2&measure=nothing&mtu_bytes=1500")
    assert (same.headers["etag"], same.content) == (etag, answer.content)
    assert published.request("HEAD", address).status_code == 200


@pytest.mark.parametrize("path", ["explorer/nothing", "models/nothing", "runs/1", "explorer/A%22"])
def test_there_is_no_picture_of_what_is_not_there(published: Any, path: str) -> None:
    answer = published.get(f"/previews/{path}.png")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_new_data_is_a_new_picture(client: Any, make_log: Callable[..., bytes]) -> None:
    client.upload(make_log())
    before = client.get("/previews/explorer/lab.png")
    client.upload(make_log(factors={"mtu_bytes": 9000, "delay_us": 10, "workload": "udp"}))
    after = client.get("/previews/explorer/lab.png")
    assert before.headers["etag"] != after.headers["etag"]
    assert before.content != after.content


def test_a_large_experiment_is_drawn_in_part(client: Any) -> None:
    rows = [
        f"{500 + 10 * row},{column},{row + column}.5,3"
        for row in range(60)
        for column in range(100)
    ]
    table = "\n".join(["mtu_bytes,delay_us,throughput_mbps,n", *rows]).encode()
    sent = client.upload(table, "large.csv", experiment="large", kind="measured")
    assert sent.status_code == 201, sent.text
    with client.app.state.database.read() as connection:
        card = card_for(connection, "/explorer/large")
        assert card is not None
        png = png_for(connection, card, "/explorer/large")
    assert card.plane is not None and card.plane.y is not None
    assert (len(card.plane.x.levels), card.plane.x.of) == (32, 100)
    assert (len(card.plane.y.levels), card.plane.y.of) == (16, 60)
    assert png.startswith(PNG)


def test_a_picture_has_no_interval_that_the_page_has_not(client: Any) -> None:
    """Replicates that were recorded in a row do not say how far means would scatter."""
    places = [(delay, replicate) for delay in range(10, 130, 10) for replicate in (1, 2, 3, 4)]
    rows = [
        f"{delay},{replicate},{800 + delay + 20 * (replicate % 3)},{order}"
        for order, (delay, replicate) in enumerate(places, start=1)
    ]
    table = "\n".join(["delay_us,replicate,throughput_mbps,order", *rows]).encode()
    assert client.upload(table, "lab.csv").status_code == 201
    cells = client.get("/api/experiments/lab/cells").json()["cells"]
    assert {cell["measures"]["throughput_mbps"]["ci95"] for cell in cells} == {None}
    with client.app.state.database.read() as connection:
        card = card_for(connection, "/explorer/lab")
        assert card is not None
        assert png_of(card) != png_for(connection, card, "/explorer/lab")
        assert client.get("/previews/explorer/lab.png").content == png_for(
            connection, card, "/explorer/lab"
        )


def test_a_token_guards_previews_too(make_client: MakeClient, page: Path, datasets: Path) -> None:
    beyond = {"host": "0.0.0.0", "token": "secret", "page_dir": page, "datasets_dir": datasets}
    client = make_client(**beyond)
    assert client.get("/explorer/geist-2005-nfs").text == INDEX
    assert client.get("/previews/explorer/geist-2005-nfs.png").status_code == 404
    # models are nobody's secret; a Host that anybody may send is not believed
    model = Tags(client.get("/models/cpu-overhead", headers={"host": "evil.example"}).text).meta
    assert "og:title" in model and "og:image" not in model


def test_an_owner_may_show_them(make_client: MakeClient, page: Path, datasets: Path) -> None:
    client = make_client(
        host="0.0.0.0",
        token="secret",
        page_dir=page,
        datasets_dir=datasets,
        public_previews=True,
        public_url="https://lab.example/",
    )
    said = Tags(client.get("/explorer/geist-2005-nfs", headers={"host": "evil.example"}).text).meta
    assert said["og:image"].startswith("https://lab.example/previews/explorer/geist-2005-nfs.png?")
    assert client.get("/previews/explorer/geist-2005-nfs.png").status_code == 200
