# SPDX-License-Identifier: Apache-2.0
"""Uploaded files as they came, named by their SHA-256, in a bucket of an S3-compatible server.

A PUT shows its object whole or not at all, and is answered when the server has it for good. Bytes
on their way are a local temporary file. What is read is fetched into a local folder of bounded
size; a copy there counts as long as the server's entity tag is still the one it came with.

Endpoint and keys are in the environment, where all tools look for them: AWS_ENDPOINT_URL,
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION.
"""

import hashlib
import logging
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotSupportedError
from obstore.store import S3Store

from coalescope.errors import CoalescopeError, read_only
from coalescope.storage.object_store import (
    Contents,
    ReceivedFile,
    StagedObject,
    object_at,
    place_of,
    sweep_parts,
)
from coalescope.storage.private_files import make_folder

_LOG = logging.getLogger("coalescope.bucket_store")
_PART_BYTES = 5 * 2**20
_PARTS_AT_ONCE = 2
_PUTS_AT_ONCE = 16
_FETCHED_BYTES = 2**30
# A copy that was handed out so recently may not have been opened yet.
_JUST_USED_S = 60.0
_RETRIES = 3
_PATIENCE = timedelta(seconds=20)


class BucketObjectStore:
    """Objects under <prefix>/ab/cd/<sha256>.<suffix> of the bucket that `url` names.

    `scratch` holds what is being received, and copies of what was read, up to `fetched_bytes`.
    Opened `for_reading`, it takes a temporary folder in its place, so that everything is read anew,
    and refuses to stage anything (503).

    Errors: CoalescopeError 503 where the bucket cannot be reached, here and in every call.
    """

    def __init__(
        self,
        url: str,
        scratch: Path,
        *,
        for_reading: bool = False,
        fetched_bytes: int = _FETCHED_BYTES,
    ) -> None:
        self.url = url.rstrip("/")
        self._for_reading = for_reading
        self._fetched_bytes = fetched_bytes
        folder = self._own_folder() if for_reading else scratch
        self._receiving, self._fetched = folder / "receiving", folder / "fetched"
        for own in (self._receiving, self._fetched):
            make_folder(own)
        self._bucket = _bucket(url)
        self.look()

    def _own_folder(self) -> Path:
        """A temporary one that ends with this store."""
        folder = tempfile.mkdtemp(prefix="coalescope-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def look(self) -> None:
        """Errors: CoalescopeError 503 unless the bucket answers."""
        with self._reaching():
            next(iter(obstore.list(self._bucket, chunk_size=1)), None)

    @contextmanager
    def stage(self) -> Iterator["_StagedForBucket"]:
        """Receive bytes into a locked temporary file."""
        if self._for_reading:
            raise read_only()
        staged = _StagedForBucket(self, self._receiving)
        try:
            yield staged
        finally:
            staged.close()

    def add_all(self, contents: Iterable[bytes], suffix: str) -> list[str]:
        """Put all that is not there yet, several at once."""
        if self._for_reading:
            raise read_only()
        named = [(hashlib.sha256(content).hexdigest(), content) for content in contents]
        with ThreadPoolExecutor(_PUTS_AT_ONCE) as pool:
            list(pool.map(lambda one: self._put(place_of(one[0], suffix), *one), named))
        return [sha256 for sha256, _ in named]

    def commit_all(self, staged: Sequence[StagedObject], suffix: str) -> None:
        """Put all, several at once."""
        with ThreadPoolExecutor(_PUTS_AT_ONCE) as pool:
            list(pool.map(lambda one: self.put(one.path, one.size, one.sha256, suffix), staged))

    def put(self, path: Path, size: int, sha256: str, suffix: str) -> None:
        """Make a local file an object, unless it is one, whole, already."""
        key = place_of(sha256, suffix)
        if size <= _PART_BYTES:
            self._put(key, sha256, path.read_bytes())
        elif not self._holds(key, sha256):
            with self._reaching():
                obstore.put(
                    self._bucket,
                    key,
                    path,
                    use_multipart=True,
                    chunk_size=_PART_BYTES,
                    max_concurrency=_PARTS_AT_ONCE,
                )

    def path(self, sha256: str, suffix: str) -> Path | None:
        """A copy of the object as it is in the bucket now, damaged or not; None if there is none.

        A copy that is not what its name says is logged, and left to the caller to refuse.
        """
        key = place_of(sha256, suffix)
        with self._reaching():
            try:
                found = obstore.head(self._bucket, key)
            except FileNotFoundError:
                return None
        tag = f"{found['e_tag']} {found['size']} {found['last_modified']}"
        state = hashlib.sha256(tag.encode()).hexdigest()[:16]
        copy = self._fetched / state / f"{sha256}.{suffix}"
        if copy.is_file():
            os.utime(copy)
            return copy
        return self._fetch(key, copy, sha256)

    def name(self, sha256: str, suffix: str) -> str:
        """The object's URL."""
        return f"{self.url}/{place_of(sha256, suffix)}"

    def contents(self) -> Contents:
        """List the bucket."""
        objects, others = set(), []
        with self._reaching():
            for chunk in obstore.list(self._bucket):
                for found in chunk:
                    known = object_at(found["path"])
                    if known is None:
                        others.append(f"{self.url}/{found['path']}")
                    else:
                        objects.add(known)
        return Contents(objects, sorted(others))

    def sweep(self) -> int:
        """Remove temporary files that no living process holds."""
        sweep_parts(self._fetched)
        return sweep_parts(self._receiving)

    def _put(self, key: str, sha256: str, content: bytes) -> None:
        with self._reaching():
            try:
                obstore.put(self._bucket, key, content, mode="create", use_multipart=False)
                return
            except AlreadyExistsError:
                if self._holds(key, sha256):
                    return
            except NotSupportedError:
                pass  # a server without conditional writes: the same bytes under the same name
            obstore.put(self._bucket, key, content, use_multipart=False)

    def _holds(self, key: str, sha256: str) -> bool:
        """Whether the bucket has that object, with the bytes of its name."""
        digest = hashlib.sha256()
        with self._reaching():
            try:
                for chunk in obstore.get(self._bucket, key).stream():
                    digest.update(chunk)
            except FileNotFoundError:
                return False
        return digest.hexdigest() == sha256

    def _fetch(self, key: str, copy: Path, sha256: str) -> Path | None:
        part = ReceivedFile(self._fetched)
        try:
            with self._reaching():
                try:
                    for chunk in obstore.get(self._bucket, key).stream():
                        part.write(chunk)
                except FileNotFoundError:
                    return None
            if part.sha256 != sha256:
                _LOG.error("%s/%s does not hold the bytes that it is named by.", self.url, key)
            make_folder(copy.parent)
            part.path.rename(copy)
        finally:
            part.close()
        self._make_room()
        return copy

    def _make_room(self) -> None:
        """Remove the copies that were used longest ago."""
        copies = []
        for path in self._fetched.glob("*/*"):
            try:
                state = path.stat()
            except FileNotFoundError:
                continue  # another process made room
            copies.append((state.st_mtime, state.st_size, path))
        left = sum(size for _, size, _ in copies)
        for used, size, path in sorted(copies):
            if left <= self._fetched_bytes or used > time.time() - _JUST_USED_S:
                return
            path.unlink(missing_ok=True)
            left -= size

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Say what is wrong with the bucket in the one error type."""
        try:
            yield
        except (BaseError, OSError) as error:
            if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
                raise  # of the local folder
            raise CoalescopeError(
                "bucket_unreachable",
                f"The bucket {self.url} does not answer as it should: {_reason(error)}.",
                advice="Check COALESCOPE_OBJECT_STORE_URL, AWS_ENDPOINT_URL and the keys, and that "
                "the server of the bucket runs; then try again. Nothing was kept.",
                status=503,
            ) from error


class _StagedForBucket(ReceivedFile):
    """Bytes on their way into a bucket."""

    def __init__(self, store: BucketObjectStore, folder: Path) -> None:
        super().__init__(folder)
        self._store = store

    def sync(self) -> None:
        """Make sure that the bucket answers, before anybody waits for the one who writes to it."""
        self._store.look()

    def commit(self, suffix: str) -> None:
        self._store.put(self.path, self.size, self.sha256, suffix)


def _bucket(url: str) -> S3Store:
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
    try:
        return S3Store.from_url(
            url,
            config={"checksum_algorithm": "SHA256"},
            client_options={"allow_http": endpoint.startswith("http://")},
            retry_config={"max_retries": _RETRIES, "retry_timeout": _PATIENCE},
        )
    except (BaseError, ValueError) as error:
        raise CoalescopeError(
            "bad_object_store_url",
            f"COALESCOPE_OBJECT_STORE_URL names no bucket: {_reason(error)}.",
            advice="Give one such as s3://bucket/folder, with AWS_ENDPOINT_URL, AWS_REGION and "
            "the keys beside it.",
            status=500,
        ) from None


def _reason(error: Exception) -> str:
    """The first line, which names no key."""
    return str(error).strip().partition("\n")[0].rstrip(".")[:300]
