# SPDX-License-Identifier: Apache-2.0
"""Every test makes its own application from its own settings; requests go to it in process."""

import io
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx
import pytest
from coalescope.app import create_app
from coalescope.settings import Settings
from coalescope_host.run_log import Writer, make_header, standard_field
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


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of the published data sets."""
    return Path(__file__).resolve().parents[2] / "datasets"


# --- run logs to upload

_SAMPLES = ("t_monotonic_ns", "t_realtime_ns", "rx_bytes", "rx_packets", "rx_interrupts")
_SECOND = 1_000_000_000


def build_log(
    *,
    run_id: str | None = None,
    experiment: str | None = "lab",
    kind: str = "measured",
    replicate: int | None = 1,
    factors: Mapping[str, Any] | None = None,
    fields: Sequence[Mapping[str, Any]] | None = None,
    rows: Sequence[Sequence[int]] | None = None,
    window: tuple[int | None, int | None] = (2, 8),
    result: bytes | None = None,
    version: tuple[int, int] = (1, 0),
    finish: bool = True,
    environment: Mapping[str, Any] | None = None,
    **run: Any,
) -> bytes:
    """A run log: ten records, one a second, 125 MB/s in 1000-byte packets, 4 an interrupt.

    `factors` are levels (read back) or whole header entries; `rows` replaces the records, `fields`
    their columns; `window` marks record numbers.
    """
    listed = {"mtu_bytes": 1500, "delay_us": 10, "workload": "udp"} if factors is None else factors
    header = make_header(
        run_id=run_id or str(uuid.uuid4()),
        experiment=experiment,
        kind=kind,
        replicate=replicate,
        factors={
            name: v if isinstance(v, dict) else {"requested": v, "read_back": v}
            for name, v in listed.items()
        },
        fields=[standard_field(name) for name in _SAMPLES] if fields is None else fields,
        sources=[{"name": "sysfs", "atomic": False}, {"name": "proc", "atomic": False}],
        environment={"kernel": "6.1.0"} if environment is None else environment,
        **run,
    )
    if rows is None:
        rows = [
            (i * _SECOND, i * _SECOND, i * 125_000_000, i * 125_000, i * 31_250)
            for i in range(1, 11)
        ]
    file = io.BytesIO()
    log = Writer(file, header, version)
    for index, row in enumerate(rows):
        log.sample(*row)
        for name, at in zip(("window_start", "window_end"), window, strict=True):
            if index == at:
                log.mark(name, row[0], row[0])
    if result is not None:
        log.result(result)
    if finish:
        log.finish()
    else:
        log.flush()
    return file.getvalue()


@pytest.fixture
def make_log() -> Callable[..., bytes]:
    """Build run logs; see build_log."""
    return build_log
