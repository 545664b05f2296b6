# SPDX-License-Identifier: Apache-2.0
"""Every test makes its own application from its own settings; requests go to it in process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx
import pytest
from coalescope.app import create_app
from coalescope.settings import Settings
from fastapi import FastAPI


class Client:
    """Blocking requests to an application in process."""

    def __init__(self, app: FastAPI, portal: anyio.from_thread.BlockingPortal) -> None:
        self.app = app
        self._portal = portal

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            # failures inside the server are answers here, as they are for a real client
            transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8000"
            ) as client:
                return await client.request(method, path, **more)

        return self._portal.call(send)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)

    def upload(self, content: bytes, filename: str = "file", **params: str) -> httpx.Response:
        query = {"filename": filename, **params}
        return self.post("/api/uploads", params=query, content=content)


MakeClient = Callable[..., Client]


@pytest.fixture
def make_client(tmp_path: Path) -> Iterator[MakeClient]:
    """Make clients of applications with given settings; no data sets unless asked for."""
    apps: list[FastAPI] = []
    with anyio.from_thread.start_blocking_portal() as portal:

        def make(**settings: Any) -> Client:
            defaults = {"data_dir": tmp_path / "data", "datasets_dir": None, "page_dir": None}
            app = create_app(Settings(**{**defaults, **settings}))
            apps.append(app)
            return Client(app, portal)

        yield make
        for app in apps:
            app.state.database.close()


@pytest.fixture
def client(make_client: MakeClient) -> Client:
    """An application with an empty store."""
    return make_client()
