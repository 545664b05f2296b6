# SPDX-License-Identifier: Apache-2.0
"""The text of the kernels: where work is done, and that nothing but listed text is in it."""

import re

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS
from coalescope_models.expr import EvaluationError, Graph, Node, kernel, trace

_WORD = re.compile(r"[A-Za-z_$][\w$.]*|[^\sA-Za-z_$]+")
_ALLOWED_WORDS = re.compile(
    r"(i\d*|v\d+|j|o|nx|ny|a|b|out|inputs|kernel|columns|store|pow|columns\.length|store\.length"
    r"|row|const|let|for|if|new|return|export|default|function|Float64Array|Infinity"
    r"|Math\.(min|max|exp|expm1|log|log1p|sqrt|ceil|floor|abs|pow)|e)\Z"
)


def body(source):
    return source.split("{\n", 1)[1]


def test_work_is_done_at_the_cheapest_level():
    def model(p, x, y, xp):
        return {"out": xp.exp(p) + xp.log(x) * xp.sqrt(y) + xp.floor(x + y)}

    graph = trace(model, ["p", "x", "y"])
    source = kernel(graph, "out", {"x": "x", "y": "y"})
    scalar, rest = source.split("for (let i = 0; i < nx; i++) {", 1)
    column, rest = rest.split("for (let j = 0", 1)
    row, cell = rest.split("for (let i = 0", 1)
    assert "Math.exp" in scalar
    assert "Math.log" in column
    assert "Math.sqrt" in row
    assert "Math.floor" in cell
    assert not re.search(r"Math\.(exp|log|sqrt)", cell)


def test_only_what_the_output_needs_is_computed():
    graph = trace(lambda a, b, xp: {"one": xp.exp(a), "two": xp.log(b)}, ["a", "b"])
    assert "Math.log" not in kernel(graph, "one")
    assert "inputs[1]" not in kernel(graph, "one")


def test_nothing_is_allocated_twice(node):
    """The store of the columns is kept between calls, and grows with the grid."""
    graph = trace(lambda x, y, xp: {"out": xp.sqrt(x) + y}, ["x", "y"])
    source = kernel(graph, "out", {"x": "x", "y": "y"})
    assert source.count("new Float64Array") == 2  # empty at load, and where it is too small
    for nx in (2, 64, 3):
        x, y = np.arange(float(nx)), np.arange(2.0)
        grid = node.run(source, [x, y], nx, 2)
        np.testing.assert_allclose(grid, np.sqrt(x) + y[:, None], rtol=1e-15)


@pytest.mark.parametrize("nx, ny", [(5, 2), (2, 5), (3, 3)])
def test_several_columns_are_stored_without_touching_each_other(node, nx, ny):
    graph = trace(lambda x, y, xp: {"out": xp.sqrt(x) * y + xp.log(x) / y - xp.exp(-x)}, ["x", "y"])
    source = kernel(graph, "out", {"x": "x", "y": "y"})
    assert "2 * nx" in source
    x, y = np.linspace(1.0, 2.0, nx), np.linspace(3.0, 4.0, ny)[:, None]
    grid = node.run(source, [x, y.ravel()], nx, ny)
    np.testing.assert_allclose(grid, np.sqrt(x) * y + np.log(x) / y - np.exp(-x), rtol=1e-14)


def test_a_negative_number_is_negated(node):
    """Two minus signs side by side would be another operator."""
    graph = Graph(("a",), (Node("const", (), -1.5), Node("neg", (0,))), {"out": 1})
    assert node.run(kernel(graph, "out"), [0.0])[0, 0] == 1.5


@pytest.mark.parametrize("value", [0.1, 1e22, 1e-7, 5e-324, -1.5, -0.0, 1.7976931348623157e308])
def test_number_literals_are_the_same_double(node, value):
    graph = Graph(("a",), (Node("const", (), value),), {"out": 0})
    got = float(node.run(kernel(graph, "out"), [0.0])[0, 0])
    assert got == value


def test_a_square_is_a_product_and_other_powers_are_not():
    square = kernel(trace(lambda a, xp: {"out": a**2}, ["a"]), "out")
    assert "pow" not in square
    assert "i0 * i0" in square
    assert "pow(i0, 3.0)" in kernel(trace(lambda a, xp: {"out": a**3}, ["a"]), "out")


def kernels():
    for model in MODELS.values():
        for output in model.outputs:
            yield kernel(model.graph, output.name, model.axes)
    names = ["alert", "constructor", "eval", "__proto__"[2:-2], "import_"]
    graph = trace(lambda xp, **v: {"fetch": sum(v.values()) ** 0.5}, names)
    yield kernel(graph, "fetch", {"eval": "x"})


@pytest.mark.parametrize("source", list(kernels()))
def test_a_kernel_holds_no_word_of_its_graph(source):
    words = [word for word in _WORD.findall(source) if word[0].isalpha() or word[0] in "_$"]
    assert words
    assert [word for word in words if not _ALLOWED_WORDS.match(word)] == []


def test_that_check_can_fail():
    assert not _ALLOWED_WORDS.match("alert")
    assert not _ALLOWED_WORDS.match("Math.random")


def test_axes_are_checked():
    graph = trace(lambda a, xp: {"out": a}, ["a"])
    with pytest.raises(EvaluationError, match="'b' is not an input"):
        kernel(graph, "out", {"b": "x"})
    with pytest.raises(EvaluationError, match="not x, y or xy"):
        kernel(graph, "out", {"a": "z"})
