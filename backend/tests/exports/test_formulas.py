# SPDX-License-Identifier: Apache-2.0
"""Disarmed text is harmless, and reads back as it was."""

from coalescope.exports.formulas import as_meant, disarmed
from hypothesis import example, given
from hypothesis import strategies as st

BEGINNINGS = {*"=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"}


@given(st.text(alphabet="'=+-@\t\n\uff1d\uff20ab ", max_size=6))
@example("=1+1")
@example("\uff1d1+1")
@example("''=1+1")
@example("'plain")
def test_there_and_back(text: str) -> None:
    assert as_meant(disarmed(text)) == text
    assert disarmed(text)[:1] not in BEGINNINGS
    if text.strip("'")[:1] not in BEGINNINGS:
        assert disarmed(text) == text, "control: other text is left alone"
