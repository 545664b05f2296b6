# SPDX-License-Identifier: Apache-2.0
"""The store in a bucket, on an S3 server that is really there."""

import hashlib
import logging
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import obstore
import pytest
from coalescope.errors import CoalescopeError
from coalescope.storage.bucket_store import BucketObjectStore
from coalescope.storage.object_store import place_of
from coalescope.uploads.reading import Reading
from coalescope.verification.service import verify
from obstore.store import S3Store

CONTENT = b"a log"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MakeClient = Callable[..., Any]


@pytest.fixture
def url(on_servers: Any, tmp_path: Path) -> str:
    return str(on_servers.settings(tmp_path / "data")["object_store_url"])


@pytest.fixture
def store(url: str, tmp_path: Path) -> BucketObjectStore:
    return BucketObjectStore(url, tmp_path / "scratch")


@pytest.fixture
def behind(url: str, store: BucketObjectStore) -> S3Store:
    """The bucket, behind the store's back."""
    return S3Store.from_url(url, client_options={"allow_http": True})


def put(store: BucketObjectStore, content: bytes = CONTENT) -> None:
    with store.stage() as staged:
        staged.write(content)
        staged.sync()
        staged.commit("runlog")


def test_an_object_is_found_by_its_content(store: BucketObjectStore, url: str) -> None:
    assert store.path(SHA256, "runlog") is None
    put(store)
    path = store.path(SHA256, "runlog")
    assert path is not None
    assert (path.name, path.read_bytes()) == (f"{SHA256}.runlog", CONTENT)
    assert store.contents() == ({(SHA256, "runlog")}, [])
    assert store.name(SHA256, "runlog") == f"{url}/{place_of(SHA256, 'runlog')}"


def test_what_is_not_committed_is_nowhere(store: BucketObjectStore, tmp_path: Path) -> None:
    with store.stage() as staged:
        staged.write(CONTENT)
        staged.sync()
        assert staged.path.read_bytes() == CONTENT
        assert store.contents() == (set(), [])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_repeating_an_object_writes_nothing(store: BucketObjectStore, behind: S3Store) -> None:
    put(store)
    key = place_of(SHA256, "runlog")
    obstore.put(behind, key, CONTENT, attributes={"Content-Language": "la"})
    put(store)
    assert store.add_all([CONTENT, b"another"], "runlog")[0] == SHA256
    kept = obstore.get(behind, key).attributes
    assert kept["Content-Language"] == "la", "the same object is still there"
    assert len(store.contents().objects) == 2


def test_a_large_object_goes_up_in_parts(store: BucketObjectStore) -> None:
    content = os.urandom(12 * 2**20)
    put(store, content)
    put(store, content)
    path = store.path(hashlib.sha256(content).hexdigest(), "runlog")
    assert path is not None
    assert path.read_bytes() == content


@pytest.mark.parametrize("size", [5, 6 * 2**20])
def test_a_damaged_object_is_seen_and_mended(
    store: BucketObjectStore, behind: S3Store, caplog: pytest.LogCaptureFixture, size: int
) -> None:
    content = bytes(size)
    sha256 = hashlib.sha256(content).hexdigest()
    put(store, content)
    assert store.path(sha256, "runlog") is not None
    obstore.put(behind, place_of(sha256, "runlog"), content[:-1] + b"x")
    with caplog.at_level(logging.ERROR):
        path = store.path(sha256, "runlog")
    assert path is not None
    assert path.read_bytes() != content, "not the copy of what was there before"
    assert "does not hold the bytes" in caplog.text
    put(store, content)
    mended = store.path(sha256, "runlog")
    assert mended is not None
    assert mended.read_bytes() == content


def test_what_the_bucket_lost_is_not_found_in_a_copy(
    store: BucketObjectStore, behind: S3Store
) -> None:
    put(store)
    assert store.path(SHA256, "runlog") is not None
    obstore.delete(behind, place_of(SHA256, "runlog"))
    assert store.path(SHA256, "runlog") is None


def test_copies_take_no_more_room_than_they_may(url: str, tmp_path: Path) -> None:
    store = BucketObjectStore(url, tmp_path / "scratch", fetched_bytes=1500)
    digests = store.add_all([bytes([number]) * 1000 for number in range(3)], "runlog")
    for number, digest in enumerate(digests):
        path = store.path(digest, "runlog")
        assert path is not None
        os.utime(path, (number, time.time() - 3600 + number))
    kept = [path.stem for path in (tmp_path / "scratch" / "fetched").rglob("*.runlog")]
    assert kept == digests[2:]


def test_the_same_object_from_all_sides_at_once(url: str, tmp_path: Path) -> None:
    stores = [BucketObjectStore(url, tmp_path / str(number)) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, stores * 4))
    assert stores[0].contents() == ({(SHA256, "runlog")}, [])


def test_an_upload_is_whole_on_servers(
    make_client: MakeClient, on_servers: Any, make_log: Callable[..., bytes], tmp_path: Path
) -> None:
    settings = on_servers.settings(tmp_path / "shared")
    one = make_client(data_dir=tmp_path / "one", **settings)
    other = make_client(data_dir=tmp_path / "other", **settings)
    content = make_log()
    sent = one.upload(content).json()
    assert other.upload(content).status_code == 200
    run = sent["runs"][0]["id"]
    assert other.get(f"/api/runs/{run}/log").content == content
    assert other.get(f"/api/runs/{run}/contents").status_code == 200
    bucket = S3Store.from_url(settings["object_store_url"], client_options={"allow_http": True})
    state = other.app.state
    assert verify(state.database, state.object_store, Reading()).sound
    key = place_of(sent["sha256"], "runlog")
    obstore.put(bucket, key, content[:-1] + b"x")
    (fault,) = verify(state.database, state.object_store).faults
    assert fault.code == "damaged_file"
    assert one.upload(content).status_code == 200, "sending it again mends it"
    assert verify(state.database, state.object_store).sound


def test_a_bucket_that_does_not_answer(
    store: BucketObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    with pytest.raises(CoalescopeError) as refused:
        BucketObjectStore("s3://coalescope/x", tmp_path / "gone")
    assert (refused.value.code, refused.value.status) == ("bucket_unreachable", 503)
    monkeypatch.undo()
    with pytest.raises(CoalescopeError, match="s3://no-such-bucket"):
        BucketObjectStore("s3://no-such-bucket/x", tmp_path / "none")
