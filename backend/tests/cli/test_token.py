# SPDX-License-Identifier: Apache-2.0
"""token and changes: what is printed, and that a real server knows the tokens."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from timeouts import TIMEOUT_S

Run = Callable[..., Any]
Serve = Callable[..., Any]


def test_a_token_from_making_to_its_end(run: Run, serve: Serve, tmp_path: Path) -> None:
    data = tmp_path / "served"
    bench = run("token", "create", "bench", "--scope", "upload", "--days", "3", data=data)
    assert bench.returncode == 0, bench.stderr
    token = bench.stdout.strip()
    assert token.startswith("coalescope_")
    assert token not in bench.stderr
    assert "only time" in bench.stderr
    table = tmp_path / "lab.csv"
    table.write_text("mtu_bytes,replicate,drops\n1500,1,3\n9000,1,4\n")
    with serve("--host", "0.0.0.0") as (url, _):
        here = url.replace("0.0.0.0", "127.0.0.1")
        bare = run("upload", table, "--server", here)
        assert "asks for a token" in bare.stderr
        sent = run("upload", table, "--server", here, COALESCOPE_TOKEN=token)
        assert (sent.returncode, sent.stderr) == (0, "")
        bearer = {"Authorization": f"Bearer {token}"}
        runs = httpx.get(
            f"{here}/api/experiments/lab/runs", headers=bearer, timeout=TIMEOUT_S
        ).json()
        uid = runs["runs"][0]["id"] if isinstance(runs, dict) else runs[0]["id"]
        small = httpx.post(
            f"{here}/api/runs/{uid}/retraction",
            json={"reason": "test"},
            headers=bearer,
            timeout=TIMEOUT_S,
        )
        assert small.status_code == 403
        listed = run("token", "list", "--json", data=data)
        assert token not in listed.stdout
        (known,) = json.loads(listed.stdout)
        assert (known["name"], known["scope"], known["state"]) == ("bench", "upload", "valid")
        assert known["last_used_at"] is not None
        assert run("token", "revoke", "bench", data=data).returncode == 0
        ended = run("upload", table, "--server", here, COALESCOPE_TOKEN=token)
        assert "revoked" in ended.stderr
    told = run("changes", data=data).stdout
    assert "bench" in told and "lab: 2 runs uploaded as lab.csv" in told
    assert "coalescope token revoke bench" in told
    # nobody is left who could get in
    again = run("serve", "--host", "0.0.0.0", "--port", "0", data=data)
    assert again.returncode == 1
    assert "coalescope token create" in again.stderr


def test_what_is_refused(run: Run) -> None:
    assert run("token", "create", "a", "--scope", "read").returncode == 0
    taken = run("token", "create", "a", "--scope", "read")
    assert (taken.returncode, taken.stdout) == (1, "")
    assert "already" in taken.stderr
    missing = run("token", "revoke", "b")
    assert missing.returncode == 1
    assert "coalescope token list" in missing.stderr
    assert "valid" in run("token", "list").stdout
