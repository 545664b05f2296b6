# SPDX-License-Identifier: Apache-2.0
"""The help of each command."""

from argparse import SUPPRESS

import pytest

from .conftest import parsers


@pytest.mark.parametrize("command", parsers())
def test_each_option_is_explained(command: str) -> None:
    for action in parsers()[command]._actions:
        if action.dest == "action":  # the commands below, each with its own text
            continue
        assert action.help, action.dest
        if action.help is not SUPPRESS:
            assert not action.help.endswith("."), action.help
