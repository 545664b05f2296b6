# SPDX-License-Identifier: Apache-2.0
"""Every failure has one shape."""

from collections.abc import Callable
from typing import Any

import pytest

SHAPE = {"code": str, "message": str, "where": dict, "advice": (str, type(None)), "problems": list}

FAILURES = [
    ("GET", "/api/experiments/nothing-here", {}, 404, "not_found"),
    ("GET", "/api/nowhere", {}, 404, "not_found"),
    ("DELETE", "/api/experiments", {}, 405, "method_not_allowed"),
    ("POST", "/api/experiments", {"json": {"slug": 1}}, 422, "invalid_request"),
    ("POST", "/api/experiments", {"content": b"{"}, 422, "invalid_request"),
    ("GET", "/api/experiments", {"params": {"kind": "guessed"}}, 422, "invalid_request"),
    ("POST", "/api/uploads", {"params": {"filename": "x.csv"}, "content": b""}, 422, "empty_file"),
    ("GET", "/api/fails", {}, 500, "internal"),
]


def check_shape(body: Any) -> None:
    assert set(body) == {"error"}
    error = body["error"]
    assert set(error) == set(SHAPE)
    for name, kind in SHAPE.items():
        assert isinstance(error[name], kind), name
    assert error["message"][0].isupper() or error["message"][0] in "'“" or ":" in error["message"]
    for problem in error["problems"]:
        assert set(problem) == set(SHAPE) - {"problems"}


@pytest.mark.parametrize(("method", "path", "more", "status", "code"), FAILURES)
def test_every_failure_has_the_one_shape(
    make_client: Callable[..., Any],
    method: str,
    path: str,
    more: dict[str, Any],
    status: int,
    code: str,
) -> None:
    client = make_client()

    @client.app.get("/api/fails")
    def fail() -> None:
        raise RuntimeError("a secret of the server")

    answer = client.request(method, path, **more)
    assert answer.status_code == status, answer.text
    check_shape(answer.json())
    assert answer.json()["error"]["code"] == code
    assert "secret" not in answer.text


def test_a_success_has_another_shape(client: Any) -> None:
    """The negative control of the check above."""
    with pytest.raises(AssertionError):
        check_shape(client.get("/api/health").json())


def test_a_refused_method_is_told_all_that_are_taken(client: Any) -> None:
    """Two routes may share an address."""
    answer = client.request("DELETE", "/api/experiments")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, POST"
    assert client.post("/explorer").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(("seed", "status"), [(1.0, 404), (True, 422), ("1", 422), (1.5, 422)])
def test_numbers_are_numbers(client: Any, seed: Any, status: int) -> None:
    """As JSON Schema has them: 1.0 is an integer, true and "1" are none."""
    body = {"model": "cpu-overhead", "seed": seed}
    assert client.post("/api/experiments/none/fits", json=body).status_code == status
