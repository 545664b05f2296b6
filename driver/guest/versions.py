# SPDX-License-Identifier: Apache-2.0
"""The kernels that tests run on: the newest for each change, with `-m soak` the others."""

import pytest

from guest.kernel import KERNELS, NEWEST

VERSIONS = [pytest.param(v, marks=() if v == NEWEST else pytest.mark.soak) for v in KERNELS]
