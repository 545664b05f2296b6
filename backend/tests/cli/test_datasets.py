# SPDX-License-Identifier: Apache-2.0
"""coalescope datasets: what is said before a download, what is refused, and what is then stored."""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from coalescope.datasets.converters import CONVERTERS

from ..datasets.converters.test_nic_tuning import SAMPLE

Run = Callable[..., CompletedProcess[str]]
SHIPPED = Path(__file__).parents[3] / "datasets"
SOURCE = """
title = "A study that is fetched"
kind = "published"
citation = "Someone 2022"
licence = "None is stated."
how_made = "Fetched."
[fetch]
url = "{url}"
commit = "0123"
sha256 = "{sha256}"
bytes = {size}
converter = "nic-tuning-mcd"
"""


@contextmanager
def server(content: bytes, status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """An address that answers with bytes, and what was asked there."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    serving = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{serving.server_port}/file.csv", asked
    finally:
        serving.shutdown()
        thread.join()
        serving.server_close()


@pytest.fixture
def recipe(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Write a recipe, and return the environment that has it."""

    def write(url: str, content: bytes = SAMPLE) -> dict[str, str]:
        folder = tmp_path / "recipes" / "a-study-2022"
        folder.mkdir(parents=True, exist_ok=True)
        sha256 = hashlib.sha256(content).hexdigest()
        text = SOURCE.format(url=url, sha256=sha256, size=len(content))
        (folder / "source.toml").write_text(text)
        return {"COALESCOPE_DATASETS_DIR": str(folder.parent)}

    return write


def stored(run: Run, **env: str) -> list[dict[str, object]]:
    listed = run("experiments", "--json", **env)
    return json.loads(listed.stdout) if listed.returncode == 0 else []


def test_a_data_set_is_fetched_checked_converted_and_stored(
    run: Run, recipe: Callable[..., dict[str, str]]
) -> None:
    with server(SAMPLE) as (url, asked):
        env = recipe(url)
        done = run("datasets", "fetch", "a-study-2022", **env)
    assert done.returncode == 0, done.stderr
    assert asked == ["/file.csv"]
    lines = done.stdout.splitlines()
    terms = [n for n, line in enumerate(lines) if line == "licence: None is stated."]
    assert terms and terms[0] < lines.index(
        "SHA-256 is as recorded. 3 rows are in the experiment a-study-2022."
    )
    assert f"from: {url}" in lines and "commit: 0123" in lines
    assert [line for line in lines if line.startswith("Passed over: 1")]
    (found,) = stored(run, **env)
    assert (found["slug"], found["kind"], found["runs"]) == ("a-study-2022", "published", 3)
    exported = run("export", "a-study-2022", "--format", "json", "--what", "runs", **env)
    assert "Someone 2022" in exported.stdout
    changes = run("changes", **env)
    assert "a-study-2022: 3 runs loaded with the data set" in changes.stdout


def test_a_copy_on_this_machine_will_do_and_is_checked_alike(
    run: Run, recipe: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    env = recipe("http://127.0.0.1:9/never-asked")
    copy = tmp_path / "copy.csv"
    copy.write_bytes(SAMPLE.replace(b"105.5", b"105.6"))
    refused = run("datasets", "fetch", "a-study-2022", "--from", copy, **env)
    assert refused.returncode == 1
    assert "not the one that was recorded (SHA-256" in refused.stderr
    copy.write_bytes(SAMPLE)
    assert run("datasets", "fetch", "a-study-2022", "--from", copy, **env).returncode == 0
    again = run("datasets", "fetch", "a-study-2022", "--from", copy, **env)
    assert again.returncode == 0
    (found,) = stored(run, **env)
    assert found["runs"] == 3  # not six


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (SAMPLE.replace(b"105.5", b"105.6"), "SHA-256"),
        (SAMPLE + b"\n", "more than"),
        (SAMPLE[:-10], "SHA-256"),
    ],
)
def test_another_file_is_refused_and_nothing_is_stored(
    run: Run, recipe: Callable[..., dict[str, str]], tmp_path: Path, content: bytes, said: str
) -> None:
    with server(content) as (url, _):
        env = recipe(url)
        done = run("datasets", "fetch", "a-study-2022", **env)
    assert done.returncode == 1
    assert "nothing was stored" in done.stderr and said in done.stderr
    assert "licence: None is stated." in done.stdout  # said before it was fetched
    assert not (tmp_path / "data").exists()


def test_what_cannot_be_converted_is_not_stored_either(
    run: Run, recipe: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    content = SAMPLE.replace(b"0xd00", b"fast")
    with server(content) as (url, _):
        done = run("datasets", "fetch", "a-study-2022", **recipe(url, content))
    assert done.returncode == 1
    assert "Line 4: dvfs 'fast' is no number." in done.stderr
    assert not (tmp_path / "data").exists()


def test_without_a_network_it_is_said_what_to_do(
    run: Run, recipe: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    with server(SAMPLE) as (url, _):
        pass  # nobody answers there any more
    done = run("datasets", "fetch", "a-study-2022", **recipe(url))
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr and "nothing was stored" in done.stderr
    assert "--from FILE" in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_file_that_is_gone_is_said(run: Run, recipe: Callable[..., dict[str, str]]) -> None:
    with server(b"", 404) as (url, _):
        done = run("datasets", "fetch", "a-study-2022", **recipe(url))
    assert done.returncode == 1
    assert "answers 404" in done.stderr


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("title", "title must be said"),
        ("kind", "kind must be said"),
        ("citation", "citation must be said"),
        ("licence", "licence must be said"),
        ("sha256", "fetch.sha256 must be said"),
        ("bytes", "fetch.bytes must be said"),
        ("converter", "fetch.converter must be said"),
    ],
)
def test_a_description_that_leaves_something_out_is_refused_before_the_download(
    run: Run, recipe: Callable[..., dict[str, str]], tmp_path: Path, line: str, named: str
) -> None:
    with server(SAMPLE) as (url, asked):
        env = recipe(url)
        described(env, lambda text: re.sub(rf"(?m)^{line} = .*\n", "", text))
        done = run("datasets", "fetch", "a-study-2022", **env)
    assert done.returncode == 1
    assert named in done.stderr and "Traceback" not in done.stderr
    assert "source.toml" in done.stderr
    assert asked == []
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("nic-tuning-mcd", "nic-tunnig", "no converter 'nic-tunnig', but nic-tuning-mcd"),
        ("[fetch]", "[fetch", "it is no TOML"),
    ],
)
def test_a_description_that_cannot_be_used_says_why(
    run: Run, recipe: Callable[..., dict[str, str]], before: str, after: str, said: str
) -> None:
    env = recipe("http://127.0.0.1:9/never-asked")
    described(env, lambda text: text.replace(before, after))
    for asked in (("datasets", "fetch", "a-study-2022"), ("datasets", "list")):
        done = run(*asked, **env)
        assert done.returncode == 1
        assert said in done.stderr and "Traceback" not in done.stderr


def described(env: dict[str, str], change: Callable[[str], str]) -> None:
    """Change the recipe's description; the control of each change is the tests above."""
    path = Path(env["COALESCOPE_DATASETS_DIR"], "a-study-2022", "source.toml")
    path.write_text(change(path.read_text()))


def test_names_are_checked_before_anything_is_fetched(run: Run) -> None:
    env = {"COALESCOPE_DATASETS_DIR": str(SHIPPED)}
    assert "nothing to fetch" in run("datasets", "fetch", "chase-1999", **env).stderr
    assert "nic-tuning-2022" in run("datasets", "fetch", "nic-tuning", **env).stderr


def test_the_list_says_what_comes_and_what_is_fetched(run: Run) -> None:
    env = {"COALESCOPE_DATASETS_DIR": str(SHIPPED)}
    listed = run("datasets", "list", "--json", **env)
    by_name = {each["name"]: each for each in json.loads(listed.stdout)}
    assert by_name["chase-1999"]["fetched"] is False
    fetched = by_name["nic-tuning-2022"]
    assert fetched["fetched"] is True
    assert fetched["commit"] in fetched["url"]
    assert len(fetched["sha256"]) == 64
    assert fetched["converter"] in CONVERTERS
    assert "nic-tuning-2022" in run("datasets", "list", **env).stdout


def test_a_recipe_is_no_data_set_that_a_store_waits_for(
    run: Run, recipe: Callable[..., dict[str, str]]
) -> None:
    env = recipe("http://127.0.0.1:9/never-asked")
    assert run("migrate", **env).returncode == 0
    assert stored(run, **env) == []
