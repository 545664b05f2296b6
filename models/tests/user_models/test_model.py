# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pytest
from coalescope_models.catalogue import MissingInputError, evaluate
from coalescope_models.expr import Graph, trace
from coalescope_models.inference.fitting import fit_nonlinear
from coalescope_models.user_models.model import Constant, UserModelError, document_of, user_model


def law(delay_us, slope, floor, xp):
    return {"latency_us": xp.maximum(floor, slope * delay_us)}


GRAPH = trace(law, ["delay_us", "slope", "floor"])
SLOPE, FLOOR = Constant("slope", 1.0, 0.0, 10.0), Constant("floor", 5.0, 0.0, 100.0)


def read_back(document):
    return user_model(
        document["title"],
        Graph.from_json(json.loads(json.dumps(document["graph"]))),
        [given["name"] for given in document["inputs"]],
        [Constant(**given) for given in document["parameters"]],
    )


def test_it_evaluates_as_its_function_does():
    model = user_model("A law", GRAPH, ["delay_us"], [SLOPE, FLOOR])
    assert evaluate(model, {"delay_us": 3.0}) == {"latency_us": 5.0}
    assert evaluate(model, {"delay_us": 30.0, "slope": 2.0}) == {"latency_us": 60.0}
    assert model.function(delay_us=30.0, slope=2.0, floor=5.0, xp=np) == {"latency_us": 60.0}
    with pytest.raises(MissingInputError):
        evaluate(model, {})


def test_known_names_are_the_glossarys_quantities():
    model = user_model("A law", GRAPH, ["delay_us"], [SLOPE, FLOOR])
    assert model.inputs[0].unit == "µs"
    assert model.outputs[0].better == "less"
    assert model.parameters[0].quantity.unit == ""
    assert json.loads(json.dumps(model.to_json()))["title"] == "A law"


def test_it_is_fitted_as_any_other():
    model = user_model("A law", GRAPH, ["delay_us"], [SLOPE, FLOOR])
    delay = np.array([1.0, 2.0, 10.0, 20.0, 40.0])
    table = {"delay_us": delay, "latency_us": np.maximum(7.0, 1.5 * delay)}
    found = fit_nonlinear(model, table, "latency_us", ["slope", "floor"], resamples=0)
    assert found.estimates["slope"].value == pytest.approx(1.5, rel=1e-6)
    assert found.estimates["floor"].value == pytest.approx(7.0, rel=1e-6)


def test_a_document_reads_back():
    document = document_of("A law", GRAPH, {"slope": 1.0, "floor": 5.0}, {"floor": (1, 9)})
    model = read_back(document)
    assert (model.parameters[0].lo, model.parameters[0].hi) == (0.0, 10.0)
    assert (model.parameters[1].lo, model.parameters[1].hi) == (1.0, 9.0)
    assert model.graph == GRAPH


@pytest.mark.parametrize(
    ("inputs", "parameters", "words"),
    [
        (["delay_us"], [SLOPE], "say of floor"),
        (["delay_us", "floor"], [SLOPE, FLOOR], "floor is named twice"),
        (["delay_us", "mtu_bytes"], [SLOPE, FLOOR], "no input 'mtu_bytes'"),
        (["delay_us"], [SLOPE, Constant("floor", 5.0, 6.0, 9.0)], "must hold its default"),
        (["delay_us"], [SLOPE, Constant("floor", 5.0, 0.0, np.inf)], "must be finite"),
    ],
)
def test_what_is_no_model(inputs, parameters, words):
    with pytest.raises(UserModelError, match=words):
        user_model("A law", GRAPH, inputs, parameters)


@pytest.mark.parametrize(
    ("defaults", "bounds", "words"),
    [
        ({"slope": 1.0, "floor": 0.0}, {}, "give its range"),
        ({"slope": 1.0, "floor": 1.0}, {"speed": (0, 1)}, "speed has a range"),
        ({"slope": 1.0, "floor": 1.0}, {"slope": 3}, "not two numbers"),
    ],
)
def test_what_makes_no_document(defaults, bounds, words):
    with pytest.raises(UserModelError, match=words):
        document_of("A law", GRAPH, defaults, bounds)
