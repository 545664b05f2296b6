# SPDX-License-Identifier: Apache-2.0
"""Who shows many tokens that are not known is told to wait; those who own theirs are not."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from coalescope.tokens import service
from coalescope.web.security import middleware
from coalescope.web.security.rates import client_of
from coalescope.web.security.token_attempts import TokenAttemptLimiter

MakeClient = Callable[..., Any]
OWN = "the admin's own secret"


def ask(app: Any, token: str | None, address: str, path: str = "/api/experiments") -> Any:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, client=(address, 4000))
        async with httpx.AsyncClient(transport=transport, base_url="http://bench") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(send())


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many requests at one moment, however long they take: a rate refills with time."""
    monkeypatch.setattr(middleware, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.mark.usefixtures("still_clock")
def test_who_guesses_waits_and_nobody_else(make_client: MakeClient) -> None:
    app = make_client(host="0.0.0.0", token=OWN).app
    with app.state.database.write() as connection:
        other = service.create(connection, "other", "read", None)
    assert ask(app, OWN, "10.0.0.1").status_code == 200
    statuses = [ask(app, f"guess {n}", "10.0.0.1").status_code for n in range(40)]
    assert set(statuses[:29]) == {401}
    assert set(statuses[30:]) == {429}
    late = ask(app, "guess", "10.0.0.1")
    assert late.json()["error"]["code"] == "too_many_guesses"
    assert 1 <= int(late.headers["retry-after"]) <= 60
    assert ask(app, other, "10.0.0.1").status_code == 429, "not looked at, right or wrong"
    assert ask(app, OWN, "10.0.0.1").status_code == 200, "one that was right before"
    assert ask(app, other, "10.0.0.2").status_code == 200, "from elsewhere"
    assert ask(app, other, "10.0.0.1").status_code == 200, "since then here, too"
    assert ask(app, "guess", "10.0.0.1", "/api/health").status_code == 200
    assert ask(app, None, "10.0.0.1").status_code == 401, "without a token nothing is guessed"


@pytest.mark.usefixtures("still_clock")
def test_health_tells_nothing_of_tokens(make_client: MakeClient) -> None:
    """Else tokens could be tried there without a limit, and be known as right afterwards."""
    app = make_client(host="0.0.0.0", token=OWN).app
    for n in range(40):
        ask(app, f"guess {n}", "10.0.0.1")
    ask(app, OWN, "10.0.0.1", "/api/health")
    assert ask(app, OWN, "10.0.0.1").status_code == 429


def test_a_token_that_ends_is_no_longer_known() -> None:
    guesses = TokenAttemptLimiter(per_minute=1)
    guesses.note("mine", right=True)
    assert [guesses.wait_s("a", "mine", 0.0) for _ in range(3)] == [0, 0, 0]
    guesses.note("mine", right=False)
    assert guesses.wait_s("a", "mine", 0.0) == 0
    assert guesses.wait_s("a", "mine", 0.0) > 0


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("bench", "bench"),
    ],
)
def test_a_host_is_one_client_with_all_its_addresses(address: str, client: str) -> None:
    assert client_of({"type": "http", "client": (address, 1)}) == client
