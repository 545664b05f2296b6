# SPDX-License-Identifier: Apache-2.0
"""Bundles of run logs beside the source: loaded while the server answers, once, whole or not."""

import io
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import anyio.from_thread
import pytest
from coalescope.datasets.background import BackgroundLoader
from coalescope.datasets.bundles import StoppedError
from coalescope.datasets.loader import load_dataset, stale_datasets
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.store import open_store
from timeouts import TIMEOUT_S

MakeLog = Callable[..., bytes]
SOURCE = """
title = "A testbed"
kind = "emulated"
citation = "Made with make testbed"
licence = "CC0"
how_made = "make testbed"
[default_view]
measure = "traffic_cpu_jiffies_per_gb"
x = "delay_ticks"
y = "mtu_bytes"
[default_fit]
model = "cpu-overhead"
method = "ols"
[environment]
network_namespace = "other"
"""
SLUG = "a-testbed"


def bundle(logs: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:xz") as archive:
        for name, content in logs.items():
            member = tarfile.TarInfo(f"udp/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


@pytest.fixture
def logs(make_module_log: MakeLog) -> dict[str, bytes]:
    """Two MTUs, two delays, two replicates, and a file that is no log."""
    found = {
        f"{mtu}-{delay}-{replicate}.runlog": make_module_log(
            {"rx_bytes": 8_000 * (mtu + 18), "irq_cycles": 40_000_000 // delay},
            run_id=str(uuid5(NAMESPACE_URL, f"{mtu} {delay} {replicate}")),
            experiment=None,
            kind="emulated",
            time_dilation=12.5,
            factors={"mtu_bytes": mtu, "delay_ticks": delay, "workload": "udp"},
            replicate=replicate,
            environment={"virtual_machine": {"hypervisor": "qemu-tcg", "qemu_version": "10.0.2"}},
        )
        for mtu in (1500, 9000)
        for delay in (10, 960)
        for replicate in (1, 2)
    }
    return {"README": b"eight logs", **found}


@pytest.fixture
def testbed(tmp_path: Path, logs: dict[str, bytes]) -> Path:
    folder = tmp_path / "datasets" / SLUG
    (folder / "raw").mkdir(parents=True)
    (folder / "source.toml").write_text(SOURCE)
    (folder / "raw/run-logs.tar.xz").write_bytes(bundle(logs))
    return folder


@contextmanager
def running(client: Any) -> Iterator[BackgroundLoader]:
    """The application between its start and its end, with the data sets loaded."""
    with anyio.from_thread.start_blocking_portal() as portal:
        lifespan = client.app.router.lifespan_context(client.app)
        with portal.wrap_async_context_manager(lifespan):
            loader: BackgroundLoader = client.app.state.dataset_loader
            if loader._thread.ident is not None:
                loader._thread.join(TIMEOUT_S)
            yield loader


def load(client: Any, folder: Path) -> list[str]:
    state = client.app.state
    stale = stale_datasets(state.database, folder.parent)
    for dataset in stale:
        load_dataset(state.database, state.object_store, dataset)
    return [dataset.slug for dataset in stale]


def test_a_bundle_is_loaded_once_the_server_answers(
    make_client: Callable[..., Any], testbed: Path, logs: dict[str, bytes]
) -> None:
    client = make_client(datasets_dir=testbed.parent)
    waiting = client.get("/api/health").json()["datasets"]
    assert waiting == [{"slug": SLUG, "state": "loading", "message": None}]
    assert client.get("/api/experiments").json() == [], "nothing of it before all of it"
    with running(client):
        assert client.get("/api/health").json()["datasets"] == []
        found = client.get(f"/api/experiments/{SLUG}").json()
        assert (found["kind"], found["cells"], found["runs"]) == ("emulated", 4, 8)
        assert found["replicates_label"] == "2 each"
        assert found["default_view"]["measure"] == "traffic_cpu_jiffies_per_gb"
        listed = client.get(f"/api/experiments/{SLUG}/runs").json()["runs"]
        assert {run["content"] for run in listed} == {"dataset"}
        run = listed[0]
        assert run["filename"] == "udp-1500-10-1.runlog"
        assert client.get(f"/api/runs/{run['id']}/log").content == logs["1500-10-1.runlog"]
        detail = client.get(f"/api/runs/{run['id']}").json()
        assert detail["header"]["time_dilation"] == 12.5
        assert detail["environment"]["virtual_machine"]["qemu_version"] == "10.0.2"
        assert detail["measures"]["elapsed_s"]["value"] == pytest.approx(6 / 12.5)
        assert detail["history"][0]["reason"] == "loaded with the data set"


def test_files_of_a_data_set_are_no_uploads_of_people(
    make_client: Callable[..., Any], testbed: Path, make_log: MakeLog, logs: dict[str, bytes]
) -> None:
    client = make_client(datasets_dir=testbed.parent)
    client.upload(make_log(), "mine.runlog")
    load(client, testbed)
    listed = client.get("/api/uploads").json()
    assert [upload["filename"] for upload in listed] == ["mine.runlog"]
    again = client.upload(logs["1500-10-1.runlog"], "copy.runlog").json()
    assert again["outcome"] == "known"


def test_a_bundle_is_loaded_once(make_client: Callable[..., Any], testbed: Path) -> None:
    client = make_client(datasets_dir=testbed.parent)
    assert load(client, testbed) == [SLUG]
    before = client.get(f"/api/experiments/{SLUG}").json()
    assert load(client, testbed) == []
    again = make_client(datasets_dir=testbed.parent)
    assert again.get("/api/health").json()["datasets"] == []
    with running(again):
        assert again.get(f"/api/experiments/{SLUG}").json() == before


def test_a_changed_bundle_takes_the_place_of_the_former(
    make_client: Callable[..., Any],
    testbed: Path,
    logs: dict[str, bytes],
    make_module_log: MakeLog,
) -> None:
    client = make_client(datasets_dir=testbed.parent)
    load(client, testbed)
    factors = {"mtu_bytes": 1500, "delay_ticks": 10, "workload": "udp"}
    mine = make_module_log(experiment=SLUG, kind="emulated", factors=factors, replicate=3)
    assert client.upload(mine, "mine.runlog").status_code == 201
    kept = {name: content for name, content in logs.items() if name.startswith("1500")}
    (testbed / "raw/run-logs.tar.xz").write_bytes(bundle(kept))
    assert load(client, testbed) == [SLUG]
    found = client.get(f"/api/experiments/{SLUG}").json()
    assert (found["cells"], found["runs"]) == (2, 5)
    runs = client.get(f"/api/experiments/{SLUG}/runs").json()["runs"]
    assert sorted(run["content"] for run in runs) == ["dataset"] * 4 + ["run_log"]


def test_a_run_that_was_uploaded_before_stays_an_upload(
    make_client: Callable[..., Any], testbed: Path, logs: dict[str, bytes]
) -> None:
    """As when a sweep uploads as it goes, and its logs become the data set later."""
    client = make_client(datasets_dir=testbed.parent)
    client.upload(logs["1500-10-1.runlog"], "as-it-went.runlog", experiment=SLUG)
    load(client, testbed)
    runs = client.get(f"/api/experiments/{SLUG}/runs").json()["runs"]
    assert len(runs) == 8
    assert [run["content"] for run in runs if run["filename"] == "as-it-went.runlog"] == ["run_log"]


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (lambda found: {"bad.runlog": found["9000-10-1.runlog"][:-3] + b"x"}, None, "bad.runlog"),
        (lambda found: {"again.runlog": found["9000-10-1.runlog"]}, "bad_bundle", "again.runlog"),
    ],
)
def test_a_wrong_log_is_named_and_nothing_is_stored(
    make_client: Callable[..., Any],
    testbed: Path,
    logs: dict[str, bytes],
    change: Callable[[dict[str, bytes]], dict[str, bytes]],
    code: str | None,
    named: str,
) -> None:
    (testbed / "raw/run-logs.tar.xz").write_bytes(bundle(logs | change(logs)))
    client = make_client(datasets_dir=testbed.parent)
    with pytest.raises(CoalescopeError) as caught:
        load(client, testbed)
    assert code in (None, caught.value.code)
    assert named in f"{caught.value.message} {caught.value.where}"
    assert client.get("/api/experiments").json() == []


@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b"no archive", lambda b: b""]
)
def test_a_damaged_archive_fails_in_the_open_and_the_server_goes_on(
    make_client: Callable[..., Any], testbed: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = testbed / "raw/run-logs.tar.xz"
    path.write_bytes(damage(path.read_bytes()))
    client = make_client(datasets_dir=testbed.parent)
    with running(client):
        (state,) = client.get("/api/health").json()["datasets"]
        assert (state["slug"], state["state"]) == (SLUG, "failed")
        assert "archive cannot be read" in state["message"]
        assert client.get("/api/experiments").json() == []


def test_a_log_of_another_kind_is_refused(
    make_client: Callable[..., Any], testbed: Path, make_module_log: MakeLog
) -> None:
    """What was measured never slips into what was emulated."""
    (testbed / "raw/run-logs.tar.xz").write_bytes(bundle({"m.runlog": make_module_log()}))
    client = make_client(datasets_dir=testbed.parent)
    with pytest.raises(CoalescopeError) as caught:
        load(client, testbed)
    assert caught.value.code == "kinds_never_mix"


def test_a_load_that_is_stopped_stores_no_rows(
    make_client: Callable[..., Any], testbed: Path
) -> None:
    client = make_client(datasets_dir=testbed.parent)
    state = client.app.state
    (dataset,) = stale_datasets(state.database, testbed.parent)
    with pytest.raises(StoppedError):
        load_dataset(state.database, state.object_store, dataset, lambda: True)
    assert client.get("/api/experiments").json() == []
    assert load(client, testbed) == [SLUG], "the next start takes it up"


def test_the_command_line_waits_for_bundles(tmp_path: Path, testbed: Path) -> None:
    store = open_store(Settings(data_dir=tmp_path / "data", datasets_dir=testbed.parent))
    try:
        assert not store.waiting
        assert stale_datasets(store.database, testbed.parent) == []
    finally:
        store.close()
