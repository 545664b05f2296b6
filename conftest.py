# SPDX-License-Identifier: Apache-2.0
"""Of all tests. Examples have no deadline: how long one takes says what else the machine does."""

from hypothesis import settings

pytest_plugins = ["once_more", "repeats", "pytester"]  # of e2e/lab; pytester tests them

settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")
