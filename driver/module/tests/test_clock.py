# SPDX-License-Identifier: Apache-2.0
"""A time stamp counter that the kernel does not trust is no clock for cycles."""

import pytest
from guest.machine import Guest
from guest.versions import VERSIONS

pytestmark = [pytest.mark.guest, pytest.mark.parametrize("kernel", VERSIONS, indirect=True)]

LOAD = "insmod /coalescope.ko 2>/out/said && echo loaded >>/out/said || true"


@pytest.mark.fault("I8")
def test_an_unstable_time_stamp_counter_is_refused(kernel, built, tmp_path):
    files = {"/coalescope.ko": built.module}
    guest = Guest(kernel=kernel, files=files, command_line="tsc=unstable")
    run = guest.run(LOAD, tmp_path)
    assert "Operation not supported" in run.text("said")
    assert "loaded" not in run.text("said")
    assert "the time stamp counter of this machine is not stable" in run.kernel_log
