# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from coalescope_models.catalogue import MODELS
from coalescope_models.pages.catalogue_sources import TEMPLATE, source_of, sources
from coalescope_models.user_models.source import Place, SourceError, answer, read_source

LAW = """\
UNITS = {"wait_us": "µs", "growth": "1/s"}
BOUNDS = {"wait_us": (0, 9), "delay_us": (1, 50)}


def law(delay_us, load, wait_us=2, *, xp):
    '''A law.'''
    return {"latency_us": wait_us + delay_us, "growth": load * wait_us}
"""


def test_inputs_parameters_and_outputs_carry_ranges_and_units():
    document = read_source(LAW)
    assert document["title"] == "A law"
    assert document["inputs"] == [
        {"name": "delay_us", "unit": "µs", "lo": 1.0, "hi": 50.0},
        {"name": "load", "unit": ""},
    ]
    assert document["parameters"] == [
        {"name": "wait_us", "default": 2.0, "lo": 0.0, "hi": 9.0, "unit": "µs"}
    ]
    assert [o["unit"] for o in document["outputs"]] == ["µs", "1/s"]


def test_defaults_can_stand_beside_the_function():
    text = LAW.replace("wait_us=2", "wait_us") + "DEFAULTS = {'wait_us': 2}\n"
    assert read_source(text) == read_source(LAW)


def test_helpers_begin_with_an_underscore_or_the_model_is_called_model():
    helper = "def HELPER(a, xp):\n    return xp.sqrt(a)\n\n\n"
    assert read_source(helper.replace("HELPER", "_root") + LAW) == read_source(LAW)
    with pytest.raises(SourceError, match="has root, law") as caught:
        read_source(helper.replace("HELPER", "root") + LAW)
    assert caught.value.able == ("root", "law")
    both = helper.replace("HELPER", "root") + LAW.replace("def law", "def model")
    assert read_source(both) == read_source(LAW)


FUNCTION = "def f(delay_us, a=1.0, *, xp):\n    {}\n"


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("x = 1 +\n", "SyntaxError", Place(1, 7, 1, 7)),
        ("import numpy_of_nowhere\n", "ModuleNotFoundError", Place(1, 0, 1, 23)),
        ("import sys\nsys.exit(3)\n", "SystemExit", Place(2, 0, 2, 11)),
        ("x = 1\n", "has none", None),
        (FUNCTION.format("return {'y': delay_us / zz}"), "NameError", Place(2, 28, 2, 30)),
        (FUNCTION.format("return {'y': xp.sin(a)}"), "not a listed", Place(2, 17, 2, 23)),
        (FUNCTION.format("return {'y': max(a, 1)}"), "xp.where", Place(2, 17, 2, 26)),
        (FUNCTION.format("return {'y': a > 1}"), "comparison", Place(2, 4, 2, 23)),
        (FUNCTION.format("return 3"), "a mapping", Place(2, 4, 2, 12)),
        (FUNCTION.format("return f(delay_us, a, xp=xp)"), "RecursionError", Place(2, 11, 2, 32)),
        (LAW + "BOUNDS['loads'] = (0, 1)\n", "loads has a range", Place(8, 7, 8, 14)),
        (LAW + "UNITS['grow'] = 's'\n", "grow has a unit", Place(8, 6, 8, 12)),
        (LAW + "BOUNDS['wait_us'] = (3, 9)\n", "hold its default", Place(8, 7, 8, 16)),
        (LAW + "UNITS = 3\n", "UNITS is not a dict", Place(8, 0, 8, 9)),
        (FUNCTION.format("return {'µs': 1 / 0}"), "ZeroDivision", Place(2, 18, 2, 23)),
        (LAW.replace("=2,", "='2',"), "default of wait_us", Place(2, 10, 2, 19)),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, reason, place):
    with pytest.raises(SourceError, match=reason) as caught:
        read_source(text)
    assert caught.value.place == place


def test_a_line_that_is_marked_already_is_not_to_be_looked_for():
    with pytest.raises(SourceError) as caught:
        read_source("x = 1\nprint(y)\n")
    assert (caught.value.place, caught.value.advice) == (Place(2, 6, 2, 7), "")


def test_the_page_gets_either_as_json():
    assert json.loads(answer(LAW)) == {"document": read_source(LAW)}
    told = json.loads(answer("x = 1 +\n"))["error"]
    assert (told["line"], told["column"]) == (1, 7)


@pytest.mark.parametrize(
    "text", ["", "x = 1\n", "x = 'a\0b'\n", "\nlaw = lambda delay_us, *, xp: 3\n"]
)
def test_what_has_no_place_marks_no_line(text):
    told = json.loads(answer(text))["error"]
    assert told["message"]
    assert "line" not in told
    assert "marked" not in told["advice"]


def test_every_model_of_the_catalogue_is_a_text_that_traces_to_itself():
    for model in MODELS.values():
        found = source_of(model)
        assert found["document"]["graph"] == model.graph.to_json(), model.id
        assert {p["name"]: p["default"] for p in found["document"]["parameters"]} == model.defaults
        assert found["document"]["title"] == model.title
        assert f"{found['file']}, line {found['line']}" in found["text"]


def test_the_template_traces():
    assert sources()["template"]["document"] == read_source(TEMPLATE)
