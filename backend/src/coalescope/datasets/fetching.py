# SPDX-License-Identifier: Apache-2.0
"""Fetch the file of a recipe, check that it is the one recorded, and make a data set of it."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import httpx

from coalescope.datasets.converters import CONVERTERS, Converted
from coalescope.datasets.recipes import Recipe
from coalescope.datasets.source import TABLE, Dataset, describe
from coalescope.errors import CoalescopeError
from coalescope.untrusted.web_addresses import is_loopback

_TIMEOUT = httpx.Timeout(30.0)


def downloaded(recipe: Recipe) -> bytes:
    """The file from its address, whole and as recorded.

    Errors: CoalescopeError where it cannot be reached, is not there, or is another one.
    """
    host = urlsplit(recipe.url).hostname or ""
    try:
        # This machine is reached directly, whatever proxy the environment names.
        with (
            httpx.Client(
                follow_redirects=True, timeout=_TIMEOUT, trust_env=not is_loopback(host)
            ) as client,
            client.stream("GET", recipe.url) as answer,
        ):
            if answer.status_code != httpx.codes.OK:
                raise CoalescopeError(
                    "not_there",
                    f"{host} answers {answer.status_code} {answer.reason_phrase} for the file: "
                    "nothing was stored.",
                    where={"url": recipe.url},
                    advice="It may have been removed. A copy of it can be given with --from FILE.",
                )
            return _checked(recipe, _at_most(recipe, answer))
    except httpx.HTTPError as error:
        raise CoalescopeError(
            "no_network",
            f"{host} cannot be reached, or not whole ({error or type(error).__name__}): nothing "
            "was stored.",
            where={"url": recipe.url},
            advice="Fetching needs the internet, once. Without it, download the file on another "
            "machine and give it with --from FILE: it is checked alike.",
        ) from None


def read_from(recipe: Recipe, path: Path) -> bytes:
    """The file from a copy on this machine. Errors: CoalescopeError where it is another one."""
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size == recipe.size_bytes else b""
    except OSError as error:
        raise CoalescopeError(
            "unreadable", f"{path} cannot be read: {error.strerror}.", where={"file": str(path)}
        ) from None
    if size != recipe.size_bytes:
        raise _another(recipe, f"{size:,} bytes, not {recipe.size_bytes:,}")
    return _checked(recipe, content)


def convert(recipe: Recipe, content: bytes) -> Converted:
    """The file as a table. Errors: CoalescopeError where it cannot be converted."""
    return CONVERTERS[recipe.converter](content)


@contextmanager
def as_dataset(recipe: Recipe, converted: Converted) -> Iterator[Dataset]:
    """The table as a data set that can be loaded, for as long as the context lasts."""
    with TemporaryDirectory(prefix="coalescope-") as folder:
        path = Path(folder, TABLE)
        path.write_bytes(converted.table)
        yield describe(recipe.folder, path)


def _at_most(recipe: Recipe, answer: httpx.Response) -> bytes:
    content = bytearray()
    for chunk in answer.iter_bytes():
        content += chunk
        if len(content) > recipe.size_bytes:
            raise _another(recipe, f"more than {recipe.size_bytes:,} bytes")
    return bytes(content)


def _checked(recipe: Recipe, content: bytes) -> bytes:
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != recipe.sha256:
        raise _another(recipe, f"SHA-256 {sha256}, not {recipe.sha256}")
    return content


def _another(recipe: Recipe, what: str) -> CoalescopeError:
    return CoalescopeError(
        "another_file",
        f"The file is not the one that was recorded ({what}): nothing was stored.",
        where={"url": recipe.url},
        advice="It was changed where it comes from, or on the way. Nothing can be said of its "
        "content: do not use it for this data set.",
    )
