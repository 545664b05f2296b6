# SPDX-License-Identifier: Apache-2.0
"""What a misspelt word means."""

from coalescope_host.spelling import suggestion


def test_a_word_is_suggested_once() -> None:
    assert suggestion("swep", ["sweep", "tune", "sweep"]) == " Did you mean sweep?"
    assert suggestion("frobnicate", ["sweep"]) == ""


def test_what_stands_before_all_words_makes_none_alike() -> None:
    assert suggestion("--sever", ["--server", "--server"], prefix="--") == " Did you mean --server?"
    assert suggestion("--x", ["--a", "--b"], prefix="--") == ""
