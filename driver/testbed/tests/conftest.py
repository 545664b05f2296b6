# SPDX-License-Identifier: Apache-2.0
"""Kernel and emulator, fetched once for the session."""

import pytest
from guest.folders import alone
from guest.kernel import debian_kernel


@pytest.fixture(scope="session")
def kernel():
    with alone():
        return debian_kernel()
