# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, said for people."""


class GuestError(Exception):
    """Something outside keeps a guest from working; the text says what, and what to do."""

    __test__ = False  # pytest: not a test class


class PowerCut(GuestError):  # noqa: N818  (nothing went wrong)
    """The guest was ended as a cut of the power ends it."""
