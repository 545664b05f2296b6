# SPDX-License-Identifier: Apache-2.0
"""A job on a user's model that a server's end interrupts is queued again, and blamed on nothing.

The end kills the process of the model, which so ends as one does whose memory is refused.
"""

import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from children import children_of
from timeouts import TIMEOUT_S, wait_until

from ..cli.conftest import serving_in
from ..user_models.test_confinement import greedy, table

FIT = {"model": greedy(), "output": "throughput_mbps", "free": ["p0"], "resamples": 500}
SETTINGS = {"COALESCOPE_USER_MODEL_SECONDS": "600", "COALESCOPE_DATASETS_DIR": ""}


@pytest.mark.slow
@pytest.mark.usefixtures("stack")
def test_a_job_of_a_server_that_ends_waits_for_the_next(tmp_path: Path) -> None:
    serve = serving_in(tmp_path)
    with serve(**SETTINGS) as (url, server), httpx.Client(base_url=url, timeout=TIMEOUT_S) as api:
        named = {"filename": "lab.csv", "experiment": "lab"}
        assert api.post("/api/uploads", params=named, content=table(150)).status_code == 201
        before = children_of(server.pid)
        asked = api.post("/api/jobs", json={"experiment": "lab", "nonlinear_fit": FIT})
        assert asked.status_code == 202, asked.text
        wait_until(lambda: children_of(server.pid) - before, "nothing is computed")
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIMEOUT_S) == 0
    with serve(COALESCOPE_READ_ONLY="1", **SETTINGS) as (url, _):
        address = f"{url}/api/jobs/{asked.json()['id']}"
        job: dict[str, Any] = httpx.get(address, timeout=TIMEOUT_S).json()
    assert (job["state"], job["error"]) == ("queued", None)
