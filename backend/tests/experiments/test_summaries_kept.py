# SPDX-License-Identifier: Apache-2.0
"""The list says of an experiment what was kept of it, until the experiment changes."""

import fcntl
import os
import time
from collections.abc import Callable
from typing import Any

import anyio.from_thread
import pytest
from coalescope.experiments import service, summaries
from coalescope.untrusted.bounds import LISTED


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Experiments whose cells were read for the list."""
    seen: list[str] = []
    real: Callable[..., Any] = summaries.summarise_experiment

    def noted(record: Any, cells: Any) -> Any:
        seen.append(record.slug)
        return real(record, cells)

    monkeypatch.setattr(summaries, "summarise_experiment", noted)
    return seen


def create(client: Any, number: int) -> None:
    """So many experiments without runs."""
    with client.app.state.database.write() as connection:
        for each in range(number):
            service.create_experiment(connection, f"lab-{each:04}", f"Lab {each:04}", "measured")


def whole(client: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while page := client.get(f"/api/experiments?offset={len(found)}").json():
        found += page
    return found


def test_more_than_a_thousand_experiments_are_described_once(
    client: Any, described: list[str]
) -> None:
    create(client, 1_010)
    first = whole(client)
    assert len(first) == len(described) == 1_010
    assert whole(client) == first
    assert len(described) == 1_010


def test_what_was_kept_is_what_was_described(client: Any, described: list[str]) -> None:
    table = "mtu_bytes,delay_us,workload,replicate,system_cpu_percent\n" + "".join(
        f"{mtu},{delay},{workload},{replicate},{value!r}\n"
        for mtu in (1500, 9000)
        for delay in (0, 2.5, 10)
        for workload in ("tcp", "9000")
        for replicate, value in ((1, 0.1 + 0.2), (2, mtu / 7 + delay))
    )
    assert client.upload(table.encode(), "lab.csv").status_code == 201
    first, again = (client.get("/api/experiments").content for _ in range(2))
    assert first == again
    assert len(described) == 1
    assert client.upload(table.replace("1,", "3,").encode(), "more.csv").status_code == 201
    assert client.get("/api/experiments").content != again
    assert len(described) == 2


def test_what_is_kept_is_bounded(
    make_client: Any, described: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "KEPT_BYTES", 2_000)
    client = make_client()
    create(client, 30)
    whole(client)
    whole(client)
    assert len(described) > 30


def described_ahead(client: Any) -> None:
    """What the server's thread does."""
    state = client.app.state
    summaries.SummariesAhead(state.database, state.summarised, state.settings.data_dir).describe()


def served_until(client: Any, done: Callable[[], bool]) -> None:
    """Let the application run as a server does, until something is done or a minute is over."""
    with anyio.from_thread.start_blocking_portal() as portal:
        lifespan = client.app.router.lifespan_context(client.app)
        with portal.wrap_async_context_manager(lifespan):
            deadline = time.monotonic() + 60
            while not done() and time.monotonic() < deadline:
                time.sleep(0.01)


def test_a_list_of_several_pages_is_described_before_somebody_asks(
    make_client: Any, described: list[str]
) -> None:
    client = make_client()
    create(client, 2 * LISTED + 1)
    served_until(client, lambda: len(described) == 2 * LISTED + 1)
    ahead = list(described)
    assert len(whole(client)) == len(ahead) == 2 * LISTED + 1
    assert described == ahead


def test_a_first_page_is_left_to_whoever_asks(client: Any, described: list[str]) -> None:
    create(client, LISTED)
    described_ahead(client)
    assert described == []


def test_no_more_is_described_ahead_than_is_kept(
    make_client: Any, described: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client()
    create(client, 2 * LISTED)
    monkeypatch.setattr(summaries, "KEPT_BYTES", 2_000)
    described_ahead(client)
    assert 1 < len(described) < 20


def test_the_page_that_somebody_waits_for_is_described_before_the_rest(
    make_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client()
    create(client, 5 * LISTED)
    order = list[tuple[bool, str]]()
    real: Callable[..., Any] = summaries.summarise_experiment

    def noted(record: Any, cells: Any) -> Any:
        asked = asked_for and record.slug in of_page
        order.append((asked, record.slug))
        time.sleep(0.002)  # others have their turn
        return real(record, cells)

    of_page = {f"lab-{each:04}" for each in range(4 * LISTED, 5 * LISTED)}
    asked_for = False
    monkeypatch.setattr(summaries, "_REST", 0.0)
    monkeypatch.setattr(summaries, "summarise_experiment", noted)

    def ahead_and_asked() -> bool:
        nonlocal asked_for
        if len(order) > 3 and not asked_for:
            asked_for = True
            assert client.get(f"/api/experiments?offset={4 * LISTED}").status_code == 200
        return len(order) >= 5 * LISTED

    served_until(client, ahead_and_asked)
    page = [at for at, (asked, _) in enumerate(order) if asked]
    assert len(page) == LISTED
    between = page[-1] - page[0] + 1 - len(page)
    assert between <= 1, "no more than what was under way"
    assert len(order) == len({slug for _, slug in order}) == 5 * LISTED, "and then the rest"


def test_one_process_at_a_time_describes_ahead(make_client: Any, described: list[str]) -> None:
    client = make_client()
    create(client, LISTED + 1)
    other = os.open(client.app.state.settings.data_dir, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)

    def others_ended() -> bool:
        nonlocal other
        if other >= 0:
            time.sleep(3 * summaries._LOOKS_AGAIN_S)
            assert described == [], "another process does"
            os.close(other)
            other = -1
        return len(described) == LISTED + 1

    served_until(client, others_ended)
    assert len(described) == LISTED + 1


def test_who_waits_for_its_turn_ends_at_once(make_client: Any, described: list[str]) -> None:
    client = make_client()
    create(client, LISTED + 1)
    other = os.open(client.app.state.settings.data_dir, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        served_until(client, lambda: True)
    finally:
        os.close(other)
    assert len(described) <= 1
