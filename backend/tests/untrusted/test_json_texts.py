# SPDX-License-Identifier: Apache-2.0
"""JSON that somebody sent is refused by the values that it would hold, before they are made."""

import json
import tracemalloc

import pytest
from coalescope.untrusted.bounds import JSON_VALUES, read_as_stored
from coalescope.untrusted.json_texts import parsed

TOO_MANY = "[" + "{}," * (JSON_VALUES // 2) + "0,0]"


@pytest.mark.parametrize("text", [TOO_MANY, TOO_MANY.encode()], ids=["text", "bytes"])
def test_more_values_than_it_may_hold_are_never_made(text: str | bytes) -> None:
    tracemalloc.start()
    with pytest.raises(ValueError, match=f"more than {JSON_VALUES:,} values"):
        parsed(text)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 4 * len(text)


def test_of_what_is_stored_any_number_is_read() -> None:
    with read_as_stored():
        assert len(parsed(TOO_MANY)) == JSON_VALUES // 2 + 2


def test_commas_and_brackets_within_texts_are_no_values() -> None:
    assert parsed(json.dumps(["[{," * JSON_VALUES]))[0].startswith("[{,")


def test_half_a_character_is_text() -> None:
    assert parsed('"\ud800"') == "\ud800"
