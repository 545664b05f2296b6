# SPDX-License-Identifier: Apache-2.0
"""Suggestions of what was meant."""

from coalescope.errors import did_you_mean, perhaps


def test_a_name_is_suggested_once() -> None:
    assert did_you_mean("alpa", ["alpha", "beta", "alpha"]) == "Did you mean alpha? "
    assert did_you_mean("--alpa", ["--alpha", "--alpha"], prefix="--") == "Did you mean --alpha? "
    assert perhaps(["alpha", "beta", "alpha"]) == "Did you mean alpha or beta? "
    assert did_you_mean("zzz", ["alpha"]) == perhaps([]) == ""
