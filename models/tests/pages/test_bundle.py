# SPDX-License-Identifier: Apache-2.0
import json
import math
import subprocess
import sys

import pytest
from coalescope_models.catalogue import MODELS
from coalescope_models.expr import Graph
from coalescope_models.pages.bundle import bundle
from coalescope_models.vocabulary.quantity import QUANTITIES


@pytest.fixture(scope="module")
def printed():
    command = [sys.executable, "-W", "error", "-m", "coalescope_models.pages.bundle"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def test_the_command_prints_the_bundle(printed):
    assert printed == json.loads(json.dumps(bundle()))
    assert printed["format"] == 1
    assert [model["id"] for model in printed["models"]] == list(MODELS)
    assert [quantity["name"] for quantity in printed["quantities"]] == list(QUANTITIES)


def test_the_shape_that_the_page_reads(printed):
    keys = """id title summary citation notes inputs parameters outputs plane axes latex graph
    equations kernels reference about"""
    for model in printed["models"]:
        assert set(model) == set(keys.split())
        outputs = [quantity["name"] for quantity in model["outputs"]]
        assert list(model["latex"]) == list(model["kernels"]) == outputs
        assert list(model["equations"]) == outputs
        assert all(" = " in line for lines in model["equations"].values() for line in lines)
        for parameter in model["parameters"]:
            assert {"name", "unit", "default", "lo", "hi", "step"} <= set(parameter)
        if model["plane"] is not None:
            assert set(model["plane"]) == {"x", "y"}
        assert Graph.from_json(model["graph"]) == MODELS[model["id"]].graph


def test_kernels_give_the_reference_points(printed, node):
    """What an engine in the browser is checked against; here node is that engine."""
    for model in printed["models"]:
        names = [quantity["name"] for quantity in model["inputs"] + model["parameters"]]
        distinct = set()
        for point in model["reference"]:
            inputs = [
                [point["values"][name]] if name in model["axes"] else point["values"][name]
                for name in names
            ]
            for output, kernel in model["kernels"].items():
                got = float(node.run(kernel, inputs)[0, 0])
                told = point["outputs"][output]
                expected = math.nan if told is None else told
                assert got == pytest.approx(expected, rel=1e-13, nan_ok=True)
                distinct.add(got)
            assert any(value is not None for value in point["outputs"].values())
        assert len(distinct) > len(model["kernels"])
