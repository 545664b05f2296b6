# SPDX-License-Identifier: Apache-2.0
"""The golden logs of driver/testdata: every version of the reader must find the same in them."""

import hashlib
import importlib.util
import json
from pathlib import Path

import pytest

TESTDATA = Path(__file__).resolve().parents[3] / "driver" / "testdata"
EXPECTED = json.loads((TESTDATA / "expected.json").read_text())


@pytest.fixture(scope="module")
def build():
    specification = importlib.util.spec_from_file_location("golden_build", TESTDATA / "build.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_reader_finds_what_is_expected(build, name):
    log = (TESTDATA / name).read_bytes()
    assert hashlib.sha256(log).hexdigest() == EXPECTED[name]["sha256"]
    assert json.loads(json.dumps(build.expectation(log))) == EXPECTED[name]


def test_the_script_writes_exactly_the_committed_logs(build):
    logs = build.golden()
    assert sorted(logs) == sorted(EXPECTED) == sorted(p.name for p in TESTDATA.glob("*.runlog"))
    for name, log in logs.items():
        assert log == (TESTDATA / name).read_bytes(), name
