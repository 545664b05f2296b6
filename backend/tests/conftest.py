# SPDX-License-Identifier: Apache-2.0
"""Every test makes its own application from its own settings; requests go to it in process."""

import io
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx
import pytest
from coalescope.app import create_app
from coalescope.settings import Settings
from coalescope_host.run_log import Writer, make_header, standard_field
from fastapi import FastAPI

from . import stack as stacks

_HERE = Path(__file__).parent
# What looks into SQLite's file or the folder of logs itself.
_ABOUT_THE_FOLDER = (
    "backups",
    "db/test_database.py",
    "durability",
    "storage/test_object_store.py",
    "verification/test_verify_command.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On servers, leave out what is about SQLite and the folder themselves, or has no store."""
    if stacks.CHOSEN == "folder":
        return
    left_out = [item for item in items if _is_about_the_folder(item) or not _has_a_store(item)]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def _is_about_the_folder(item: pytest.Item) -> bool:
    places = {_HERE / place for place in _ABOUT_THE_FOLDER}
    return bool(item.get_closest_marker("folder_stack") or {item.path, *item.path.parents} & places)


def _has_a_store(item: pytest.Item) -> bool:
    """Whatever has one asks for the fixture `stack`, also what only starts processes."""
    return "servers" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def servers() -> Iterator[stacks.Folder]:
    """What all tests run on, ended after the last."""
    yield stacks.current()
    stacks.current().close()


@pytest.fixture(scope="session")
def real_servers(servers: stacks.Folder) -> Iterator[stacks.Servers]:
    """PostgreSQL and an S3 server, for tests that are about them."""
    if isinstance(servers, stacks.Servers):
        yield servers
        return
    started = stacks.Servers()
    yield started
    started.close()


@pytest.fixture
def on_servers(real_servers: stacks.Servers, tmp_path: Path) -> Iterator[stacks.Servers]:
    """The same, with what this test left dropped after it."""
    yield real_servers
    real_servers.forget(tmp_path)


@pytest.fixture
def stack(servers: stacks.Folder, tmp_path: Path) -> Iterator[stacks.Folder]:
    """What this test runs on: settings for each data folder that it uses."""
    yield servers
    servers.forget(tmp_path)


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
def make_client(tmp_path: Path, stack: stacks.Folder) -> Iterator[MakeClient]:
    """Make clients of applications with given settings; no data sets unless asked for."""
    with making_clients(tmp_path, stack) as make:
        yield make


@contextmanager
def making_clients(folder: Path, stack: stacks.Folder) -> Iterator[MakeClient]:
    """The same for a longer time than a test's: their data is below that folder."""
    apps: list[FastAPI] = []
    with anyio.from_thread.start_blocking_portal() as portal:

        def make(tracer: Any = None, **settings: Any) -> Client:
            defaults = {"data_dir": folder / "data", "datasets_dir": None, "page_dir": None}
            chosen = {**defaults, **settings}
            if "database_url" not in chosen:
                stack.begin(chosen["data_dir"])
            app = create_app(Settings(**{**stack.settings(chosen["data_dir"]), **chosen}), tracer)
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
_SOURCES = ({"name": "sysfs", "atomic": False}, {"name": "proc", "atomic": False})
_SECOND = 1_000_000_000
_WALL = 1_700_000_000 * _SECOND  # in November 2023


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
    sources: Sequence[Mapping[str, Any]] = _SOURCES,
    command: bool = False,
    wall_ns: int = _WALL,
    **run: Any,
) -> bytes:
    """A run log: ten records, one a second, 125 MB/s in 1000-byte packets, 4 an interrupt.

    `factors` are levels (read back) or whole header entries; `rows` replaces the records, `fields`
    their columns; `window` marks record numbers; `command`: it was recorded from start to end;
    `wall_ns`: the wall clock at its beginning.
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
        sources=sources,
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
        if command and index == 0:
            log.mark("command_start", row[0], wall_ns + row[0])
        for name, at in zip(("window_start", "window_end"), window, strict=True):
            if index == at:
                log.mark(name, row[0], wall_ns + row[0])
    if command:
        log.mark("command_end", rows[-1][0], wall_ns + rows[-1][0])
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


# --- logs with the fields of the kernel module

_MODULE_SOURCES = (
    {"name": "module", "atomic": True},
    {"name": "module_driver", "atomic": False},
)
_HZ = 1_000_000_000  # of the time stamp counter: a cycle is a nanosecond
# a second of them: 8,000 full frames at MTU 1500, 4 an interrupt
MODULE_SECOND: Mapping[str, int] = {
    "t_tsc": _HZ,
    "rx_bytes": 8_000 * 1518,
    "rx_packets": 8_000,
    "tx_bytes": 64,
    "tx_packets": 1,
    "interrupts": 2_001,
    "rx_interrupts": 2_000,
    "polls": 2_001,
    "rx_polls": 2_000,
    "poll_work": 8_000,
    "schedules": 2_001,
    "idle_cycles": 600_000_000,
    "task_cycles": 100_000_000,
    "other_task_cycles": 50_000_000,
    "irq_cycles": 40_000_000,
    "softirq_cycles": 200_000_000,
    "other_irq_cycles": 10_000_000,
    "rx_packets.q0": 8_000,
    "rx_bytes.q0": 8_000 * 1518,
    "rx_interrupts.q0": 2_000,
    "driver_rx_packets": 8_000,
    "rx_dropped": 0,
    "rx_missed_errors": 0,
}
_UNITS = {"bytes": "bytes", "packets": "packets", "cycles": "cycles", "tsc": "cycles", "ns": "ns"}
_OF_THE_DRIVER = {"driver_rx_packets", "rx_dropped", "rx_missed_errors"}


def module_fields(per_second: Mapping[str, int]) -> list[dict[str, Any]]:
    """The columns of those counters, and the snapshot's flags."""
    fields = [standard_field("t_monotonic_ns", source="module")]
    for name in per_second:
        unit = _UNITS.get(name.partition(".")[0].rpartition("_")[2], "1")
        source = "module_driver" if name in _OF_THE_DRIVER else "module"
        described = {"name": name, "type": "u64", "unit": unit, "kind": "counter"}
        described |= {"wrap_bits": 64, "source": source}
        if unit == "bytes":
            described["bytes_include"] = ["link_header", "fcs"]
        fields.append(described)
    flags = {"name": "flags", "type": "u64", "unit": "1", "kind": "gauge", "source": "module"}
    return [*fields, flags]


def build_module_log(
    per_second: Mapping[str, int] | None = None, flags: Sequence[int] = (), **more: Any
) -> bytes:
    """A log of the kernel module's fields: ten records, one a second, at steady rates."""
    rates = {**MODULE_SECOND, **(per_second or {})}
    rows = [
        (i * _SECOND, *(i * rate for rate in rates.values()), (*flags, *[0] * 10)[i - 1])
        for i in range(1, 11)
    ]
    fields = module_fields(rates)
    return build_log(fields=fields, rows=rows, sources=_MODULE_SOURCES, **more)


@pytest.fixture
def make_module_log() -> Callable[..., bytes]:
    """Build run logs with the kernel module's fields; see build_module_log."""
    return build_module_log
