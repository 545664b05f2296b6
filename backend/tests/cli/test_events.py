# SPDX-License-Identifier: Apache-2.0
"""The stream of an experiment's changes, from a real server."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest
from coalescope.errors import CoalescopeError
from coalescope.sweeps.events import Listeners
from timeouts import TIMEOUT_S

SWEEP = {
    "experiment": "my-host",
    "replicates": 10,
    "cells": [{"mtu_bytes": 1500}],
    "state": "running",
    "runs_planned": 10,
    "runs_done": 0,
}
PROGRESS = {"state": "running", "runs_planned": 10, "runs_done": 3}

Serve = Callable[..., AbstractContextManager[tuple[str, subprocess.Popen[str]]]]


def events(lines: Iterator[str]) -> Iterator[dict]:
    for line in lines:
        if line.startswith("data:"):
            yield json.loads(line.removeprefix("data:"))


def tell(address: str, document: dict) -> None:
    httpx.put(address, json=document, timeout=TIMEOUT_S).raise_for_status()


def test_changes_come_as_they_happen(serve: Serve, make_log: Callable[..., bytes]) -> None:
    with (
        serve() as (url, _),
        httpx.stream("GET", f"{url}/api/experiments/my-host/events", timeout=TIMEOUT_S) as stream,
    ):
        assert stream.headers["content-type"].startswith("text/event-stream")
        coming = events(stream.iter_lines())
        assert next(coming) == {"data_version": None, "sweeps": []}
        tell(f"{url}/api/sweeps/sweep-01", SWEEP)
        assert next(coming)["sweeps"][0]["runs_done"] == 0
        tell(f"{url}/api/sweeps/sweep-01/progress", PROGRESS)
        assert next(coming)["sweeps"][0]["runs_done"] == 3
        log = make_log(experiment="my-host")
        uploads = f"{url}/api/uploads?filename=a.runlog"
        httpx.post(uploads, content=log, timeout=TIMEOUT_S).raise_for_status()
        assert next(coming)["data_version"] is not None


def test_an_open_stream_does_not_keep_the_server_from_stopping(serve: Serve) -> None:
    with serve() as (url, server):
        with httpx.stream("GET", f"{url}/api/experiments/any/events", timeout=TIMEOUT_S) as stream:
            lines = stream.iter_lines()
            next(events(lines))
            server.send_signal(signal.SIGTERM)
            assert list(events(lines)) == []
        assert server.wait(TIMEOUT_S) == 0


def test_listeners_are_counted_and_bounded() -> None:
    listeners = Listeners(most=2)
    listeners.enter()
    listeners.enter()
    with pytest.raises(CoalescopeError) as refusal:
        listeners.enter()
    assert refusal.value.status == 503
    listeners.leave()
    listeners.enter()
