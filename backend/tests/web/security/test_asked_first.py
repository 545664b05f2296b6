# SPDX-License-Identifier: Apache-2.0
"""Whoever may not read is not told what is there: not by an answer, nor by what it looks up."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from .addresses import embed_patterns, filled, page_patterns, server_routes
from .asking import ask
from .test_every_address import token

MakeClient = Callable[..., Any]
TABLE = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,40,1,940\n"
SWEEP = {
    "state": "running",
    "runs_planned": 4,
    "runs_done": 0,
    "experiment": "lab-hidden",
    "replicates": 1,
    "cells": [],
}
AREAS = ("explorer", "experiments", "models", "figures")
ADDRESSES = count(1)


@dataclass(frozen=True)
class Kept:
    """A server that holds something, and the names of what it holds."""

    app: FastAPI
    names: tuple[str, ...]


def absent(name: str) -> str:
    """A name of the same form that nothing has."""
    return "".join(
        chr(ord("q") - (ord(c) - ord("a")) % 16) if c.isalpha() and c.islower() else c for c in name
    )


@pytest.fixture
def kept(make_client: MakeClient, tmp_path: Path) -> Callable[..., Kept]:
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "index.html").write_text("<head></head>")
    listed = {"routes": [*page_patterns(), *embed_patterns()], "embeds": embed_patterns()}
    (folder / "routes.json").write_text(json.dumps(listed))

    def made(**settings: Any) -> Kept:
        given = {"host": "0.0.0.0", "token": "the admin's own", "page_dir": folder}
        app: FastAPI = make_client(**given | settings).app
        app.state.listeners.closing = True
        admin = {"authorization": f"Bearer {token(app, 'admin')}"}

        async def fill() -> tuple[str, ...]:
            at = "/api/uploads?filename=x.csv&experiment=lab-hidden"
            assert (await ask(app, "POST", at, TABLE, **admin)).status == 201
            link = await ask(app, "POST", "/api/links", {"path": "/explorer/lab-hidden"}, **admin)
            runs = await ask(app, "GET", "/api/experiments/lab-hidden/runs", **admin)
            sweep = "0b5f0f2e-3d5e-4c3f-9d1a-6a2d3b0c9e11"
            assert (await ask(app, "PUT", f"/api/sweeps/{sweep}", SWEEP, **admin)).status == 200
            run = json.loads(runs.body)["runs"][0]["id"]
            return "lab-hidden", json.loads(link.body)["token"], run, sweep

        return Kept(app, asyncio.run(fill()))

    return made


def targets(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Every method of every address with a name in it, of the server's and of the page's."""
    for methods, path in sorted(server_routes(app), key=str):
        if "{" in path:
            for area in AREAS if "{area}" in path else ("",):
                for method in sorted(methods | ({"HEAD"} if "GET" in methods else set())):
                    yield method, filled(path, "{name}", area=area)
    for pattern in [*page_patterns(), *embed_patterns()]:
        if ":" in pattern:
            for method in ("GET", "HEAD"):
                yield method, filled(pattern, "{name}")


@contextmanager
def statements(app: FastAPI) -> Iterator[list[str]]:
    """What is asked of the database meanwhile."""
    said: list[str] = []

    def note(_c: Any, _u: Any, statement: str, *_: Any) -> None:
        said.append(statement)

    sa.event.listen(app.state.database.engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        sa.event.remove(app.state.database.engine, "before_cursor_execute", note)


async def told(app: FastAPI, method: str, target: str, name: str, **shown: str) -> Any:
    """All of an answer, with the name that was asked for taken out, and what was looked up."""
    address = f"10.1.{next(ADDRESSES) // 250}.{next(ADDRESSES) % 250}"
    with statements(app) as said:
        at = target.replace("{name}", name)
        answer = await ask(app, method, at, address=address, **shown)
    head = {key: text for key, text in answer.headers.items() if key not in ("x-request-id",)}
    return answer.status, head, answer.body.replace(name.encode(), b"NAME"), said


async def differences(kept: Kept, **shown: str) -> set[str]:
    """The addresses that answer differently for what is there and what is not."""
    found = set()
    for method, target in targets(kept.app):
        for name in kept.names:
            there = await told(kept.app, method, target, name, **shown)
            not_there = await told(kept.app, method, target, absent(name), **shown)
            if there != not_there:
                found.add(f"{method} {target}")
    return found


@pytest.mark.parametrize(
    "shown", [{}, {"authorization": "Bearer guess"}, {"authorization": "Basic YTpi"}], ids=str
)
def test_a_stranger_is_told_the_same_of_what_is_there_and_what_is_not(
    kept: Callable[..., Kept], shown: dict[str, str]
) -> None:
    server = kept()
    assert len({target for _, target in targets(server.app)}) > 40
    assert asyncio.run(differences(server, **shown)) == set()


def test_a_reader_is_told_the_difference(kept: Callable[..., Kept]) -> None:
    """Control: by the same walk, on a server that lets everybody read."""
    found = asyncio.run(differences(kept(public_read=True)))
    assert len(found) > 30
    for address in ("/l/{name}", "/previews/explorer/{name}.png", "/explorer/{name}"):
        assert f"GET {address}" in found
    assert not any(address.startswith(("PUT", "DELETE")) for address in found)


def test_an_owner_shows_previews_and_no_more(kept: Callable[..., Kept]) -> None:
    found = asyncio.run(differences(kept(public_previews=True)))
    assert found
    assert not any(" /api/" in address for address in found)
