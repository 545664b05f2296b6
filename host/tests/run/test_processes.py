# SPDX-License-Identifier: Apache-2.0
"""Programs that the sweep starts on this host."""

import pytest
from coalescope_host.run.processes import LocalProcess
from patience import PATIENCE_S


def test_programs_do_not_get_the_token_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COALESCOPE_TOKEN", "secret")
    monkeypatch.setenv("COALESCOPE_OTHER", "kept")
    program = LocalProcess(["sh", "-c", 'echo "$COALESCOPE_OTHER,$COALESCOPE_TOKEN" >&2'])
    assert program.wait(PATIENCE_S)
    assert program.stop() == "kept,"
