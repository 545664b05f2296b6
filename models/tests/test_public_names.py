# SPDX-License-Identifier: Apache-2.0
"""What a scientist imports from the package's root."""

import importlib
import subprocess
import sys

import coalescope_models
import pytest
from coalescope_models.user_models.source import read_source


@pytest.mark.parametrize("name", coalescope_models.__all__)
def test_every_public_name_is_there(name):
    assert getattr(coalescope_models, name) is not None


def test_what_is_imported_only_when_asked_for_is_listed_before():
    """As a shell that completes names asks, in a process that has used none of them."""
    asked = "import coalescope_models as models; print(*dir(models)); print(*models.__all__)"
    found = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    )
    listed, public = (set(line.split()) for line in found.stdout.splitlines())
    assert public <= listed


def test_a_name_that_is_not_there_is_refused_as_python_does():
    with pytest.raises(AttributeError, match="no attribute 'fit'"):
        coalescope_models.fit  # noqa: B018


def test_every_function_of_a_model_is_public():
    functions = {model.function.__name__ for model in coalescope_models.MODELS.values()}
    assert functions <= set(coalescope_models.__all__)


def test_a_text_of_version_0_1_finds_its_modules():
    text = (
        "from coalescope_models.link import link_bound\n"
        "def bound(mtu_bytes, link_rate_mbps=1000.0, *, xp):\n"
        "    return link_bound(mtu_bytes, link_rate_mbps, xp)\n"
        'BOUNDS = {"mtu_bytes": (1500, 9000), "link_rate_mbps": (10, 10000)}\n'
    )
    assert read_source(text)["outputs"]
    assert importlib.import_module("coalescope_models.link")


def test_every_public_name_has_its_home():
    assert set(coalescope_models._HOMES) == set(coalescope_models.__all__)
