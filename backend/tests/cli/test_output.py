# SPDX-License-Identifier: Apache-2.0
"""Values as people read them."""

import pytest
from coalescope.cli.output import shown


@pytest.mark.fault("B4")
@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (941.3, 2, "940"),
        (12958.4, 2, "13000"),
        (0.000123, 2, "0.00012"),
        (1.5e12, 2, "1500000000000"),
    ],
)
def test_a_number_has_no_exponent_where_it_need_not(value: float, digits: int, text: str) -> None:
    assert shown(value, digits) == text
