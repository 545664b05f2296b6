# SPDX-License-Identifier: Apache-2.0
"""The printed formula, read back and computed, must give what the graph gives."""

import math
import re

import pytest
from coalescope_models.catalogue import MODELS
from coalescope_models.catalogue.notation import QUANTITY_NOTATION
from coalescope_models.expr import OPERATIONS, Graph, Node, Notation, equations, formula, trace
from coalescope_models.vocabulary.quantity import QUANTITIES
from hypothesis import assume, given, settings
from hypothesis import strategies as st

F = {name: operation.on_floats for name, operation in OPERATIONS.items()}

_TOKEN = re.compile(
    r"\s*(\\class\{p-[a-z_]+\}|\\operatorname|\\begin\{cases\}|\\end\{cases\}"
    r"|z_\{\d+\}|\\text\{if \}|\\text\{otherwise\}"
    r"|\\left\\lceil|\\right\\rceil|\\left\\lfloor|\\right\\rfloor"
    r"|\\left\||\\right\||\\left\(|\\right\)|\\\\|\\mathrm\{[A-Za-z0-9\\_]+\}|\\[a-zA-Z]+|\\,"
    r"|\d+(?:\.\d+)?|[A-Za-z]|[-+^_{}<>=,&])"
)


def tokens(text):
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match, f"not LaTeX of ours: {text[position : position + 20]!r}"
        yield match.group(1)
        position = match.end()


class Reader:
    """A recursive-descent reader of the LaTeX that is printed, for inputs named x and y."""

    def __init__(self, text, values):
        self.left = list(tokens(text))[::-1]
        self.values = values

    def peek(self):
        return self.left[-1] if self.left else ""

    def take(self, *expected):
        token = self.left.pop()
        assert not expected or token in expected, (token, expected)
        return token

    def read(self):
        value = self.sum()
        assert not self.left, self.left[::-1]
        return value

    def sum(self):
        if self.peek() == "-":
            self.take()
            value = -self.product()
        else:
            value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()
            value = F["add" if sign == "+" else "sub"](value, self.product())
        return value

    def product(self):
        value = self.power()
        while self.peek() in (r"\,", r"\cdot", r"\times"):
            self.take()
            value = value * self.power()
        return value

    def power(self):
        if self.peek() == "e":
            self.take("e")
            self.take("^")
            return F["exp"](self.group())
        base = self.group() if self.peek() == "{" else self.atom()
        if self.peek() == "^":
            self.take()
            return F["pow"](base, self.group())
        return base

    def group(self):
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

    def enclosed(self, end):
        value = self.sum()
        self.take(end)
        return value

    def atom(self):
        token = self.take()
        if token[0].isdigit():
            return float(token)
        if token in self.values:
            return self.values[token]
        if token == r"\left(":
            return self.enclosed(r"\right)")
        if token == r"\left|":
            return abs(self.enclosed(r"\right|"))
        if token == r"\left\lceil":
            return F["ceil"](self.enclosed(r"\right\rceil"))
        if token == r"\left\lfloor":
            return F["floor"](self.enclosed(r"\right\rfloor"))
        if token == r"\frac":
            numerator = self.group()
            return F["div"](numerator, self.group())
        if token == r"\sqrt":
            return F["sqrt"](self.group())
        if token == r"\ln":
            self.take(r"\left(")
            return F["log"](self.enclosed(r"\right)"))
        if token in (r"\min", r"\max"):
            self.take(r"\left(")
            first = self.sum()
            self.take(",")
            return F[token[1:] + "imum"](first, self.enclosed(r"\right)"))
        assert token == r"\begin{cases}", token
        return self.cases()

    def cases(self):
        """One case after the other, up to the one that holds otherwise."""
        first = self.sum()
        self.take("&")
        if self.peek() == r"\text{otherwise}":
            self.take()
            self.take(r"\end{cases}")
            return first
        self.take(r"\text{if }")
        left = self.sum()
        sign = self.take("<", ">", "=", r"\le", r"\ge", r"\ne")
        right = self.sum()
        name = {"<": "lt", ">": "gt", "=": "eq", r"\le": "le", r"\ge": "ge", r"\ne": "ne"}[sign]
        self.take("\\\\")
        second = self.cases()
        return first if F[name](left, right) else second


SYMBOLS = {"x": "x", "y": "y"}
_small = st.sampled_from([0.25, 0.5, 1.5, 2.0, 3.0, 1e6, 1e-7, 2.5e8, -1.0, -2.5, 8.0])


@st.composite
def graphs(draw):
    nodes = [
        Node("input", (0,)),
        Node("input", (1,)),
        Node("const", (), draw(_small)),
        Node("const", (), draw(_small)),
    ]
    kinds = ["real"] * 4
    for _ in range(draw(st.integers(1, 9))):
        usable = [op for op in OPERATIONS.values() if set(op.operands) <= set(kinds)]
        op = draw(st.sampled_from(usable))
        nodes.append(
            Node(
                op.name,
                tuple(
                    draw(st.sampled_from([k for k, kind in enumerate(kinds) if kind == wanted]))
                    for wanted in op.operands
                ),
            )
        )
        kinds.append(op.result)
    assume(kinds[-1] == "real")
    return Graph(("x", "y"), tuple(nodes), {"out": len(nodes) - 1})


@settings(max_examples=500)
@given(graph=graphs(), x=st.sampled_from([0.5, 1.75, 3.0]), y=st.sampled_from([0.25, 2.0, 5.5]))
def test_the_formula_says_what_the_graph_computes(graph, x, y):
    values = {"x": x, "y": y}
    expected = graph.evaluate(values)["out"]
    # fractions of fractions are printed as one, which moves roundings and overflows
    intermediate = [
        Graph(graph.inputs, graph.nodes, {"out": k}).evaluate(values)["out"]
        for k, node in enumerate(graph.nodes)
        if node.op not in OPERATIONS or OPERATIONS[node.op].result == "real"
    ]
    assume(all(v == 0 or 1e-9 < abs(v) < 1e12 for v in intermediate))
    got = Reader(formula(graph, "out", Notation(SYMBOLS)), values).read()
    assert read_lines(equations(graph, "out", {"out": "o"}, (), Notation(SYMBOLS)), values) in (
        got,
        pytest.approx(got, rel=1e-12),
    )
    jumps = any(
        node.op in ("ceil", "floor", "eq", "ne", "lt", "le", "gt", "ge") for node in graph.nodes
    )
    assume(not jumps or math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-9) or _exact(graph))
    assert math.isclose(got, expected, rel_tol=1e-6, abs_tol=1e-6)


def read_lines(lines, values):
    """Each line may use those below it; the first is the result."""
    values = dict(values)
    for symbol, side in reversed(lines):
        values[symbol] = Reader(side, values).read()
    return values[lines[0][0]]


_JUMPS = {"ceil", "floor", "eq", "ne", "lt", "le", "gt", "ge"}


def _exact(graph):
    """No division: then nothing is reordered, and even a jump must come out the same."""
    return all(node.op not in ("div", "expm1", "log1p") for node in graph.nodes)


def test_that_test_can_fail():
    graph = trace(lambda x, y, xp: {"out": x * (x + y)}, ["x", "y"])
    text = formula(graph, "out", Notation(SYMBOLS))
    values = {"x": 2.0, "y": 3.0}
    assert Reader(text, values).read() == 10.0
    bare = text.replace(r"\left(", "").replace(r"\right)", "")
    assert Reader(bare, values).read() == 7.0


ABC = Notation({"a": "a", "b": "b", "c": "c"})


def side(body):
    graph = trace(lambda a, b, c, xp: {"out": body(xp, a, b, c)}, ["a", "b", "c"])
    return formula(graph, "out", ABC)


@pytest.mark.parametrize(
    ("body", "latex"),
    [
        (lambda xp, a, b, c: a + b + c, "a + b + c"),
        (lambda xp, a, b, c: a + (b - c), "a + b - c"),
        (lambda xp, a, b, c: a - (b - c), r"a - \left(b - c\right)"),
        (lambda xp, a, b, c: a + -b, r"a + \left(-b\right)"),
        (lambda xp, a, b, c: -(a + b), r"-\left(a + b\right)"),
        (lambda xp, a, b, c: -(a * b), r"-a \, b"),
        (lambda xp, a, b, c: a * (b + c), r"a \, \left(b + c\right)"),
        (lambda xp, a, b, c: a * b * c, r"a \, b \, c"),
        (lambda xp, a, b, c: 2 * a, r"2 \, a"),
        (lambda xp, a, b, c: a * 2, r"a \cdot 2"),
        (lambda xp, a, b, c: a * a, "{a}^{2}"),
        (lambda xp, a, b, c: (a + b) / c, r"\frac{a + b}{c}"),
        (lambda xp, a, b, c: a / (b / c), r"\frac{a \, c}{b}"),
        (lambda xp, a, b, c: a / b / c, r"\frac{a}{b \, c}"),
        (lambda xp, a, b, c: (a / b) ** c, r"{\left(\frac{a}{b}\right)}^{c}"),
        (lambda xp, a, b, c: (a**b) ** c, r"{\left({a}^{b}\right)}^{c}"),
        (lambda xp, a, b, c: a ** (b + c), "{a}^{b + c}"),
        (lambda xp, a, b, c: 1e6 * a, r"10^{6} \, a"),
        (lambda xp, a, b, c: 1000 * a, r"1000 \, a"),
        (lambda xp, a, b, c: 2.5e-7 * a, r"2.5 \times 10^{-7} \, a"),
        (lambda xp, a, b, c: a - -2.0, r"a - \left(-2\right)"),
        (lambda xp, a, b, c: xp.expm1(a) * b, r"\left(e^{a} - 1\right) \, b"),
        (lambda xp, a, b, c: xp.log1p(a + b), r"\ln\left(1 + a + b\right)"),
        (lambda xp, a, b, c: xp.ceil(a + b), r"\left\lceil a + b \right\rceil"),
        (
            lambda xp, a, b, c: xp.where(a < b, a + 1, c),
            r"\begin{cases} a + 1 & \text{if } a < b \\ c & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_prints_no_more_parentheses_than_needed(body, latex):
    assert side(body) == latex


def test_the_cpu_overhead_surface_reads_as_in_the_paper():
    assert MODELS["cpu-overhead-surface"].latex("system_cpu_per_gb") == (
        r"T_{\mathrm{GB}} = 1000 \, \class{p-alpha}{\alpha} + \frac{10^{6}}{\varphi \, "
        r"\mathrm{MTU}} \, \left(\class{p-beta}{\beta} + "
        r"\frac{\class{p-gamma}{\gamma}}{\mathrm{PPI}}\right)"
    )


def test_other_outputs_can_be_referred_to():
    graph = trace(lambda a, xp: {"one": xp.sqrt(a), "two": 2 * xp.sqrt(a)}, ["a"])
    symbols = Notation({"a": "a"})
    assert formula(graph, "two", symbols) == r"2 \, \sqrt{a}"
    assert formula(graph, "two", symbols, {"one": "s"}) == r"2 \, s"
    assert formula(graph, "one", symbols, {"one": "s"}) == r"\sqrt{a}"


def lines(body):
    graph = trace(lambda a, b, c, xp: {"out": body(xp, a, b, c)}, ["a", "b", "c"])
    return equations(graph, "out", {"out": "o"}, (), ABC)


def test_what_is_long_and_repeated_is_written_once():
    long = lines(lambda xp, a, b, c: (a + b + c + a * b) / (1 + (a + b + c + a * b)))
    assert long == [("o", r"\frac{z_{1}}{1 + z_{1}}"), ("z_{1}", r"a + b + c + a \, b")]
    shared = lines(lambda xp, a, b, c: xp.sqrt(a + b + c + a * b) - 1 / xp.sqrt(a + b + c + a * b))
    assert shared == [
        ("o", r"z_{1} - \frac{1}{z_{1}}"),
        ("z_{1}", r"\sqrt{a + b + c + a \, b}"),
    ]
    assert len(lines(lambda xp, a, b, c: xp.sqrt(a + b) - 1 / xp.sqrt(a + b))) == 1


def test_cases_inside_of_a_formula_have_a_line_and_cases_of_cases_share_a_brace():
    inside = lines(lambda xp, a, b, c: 1 + xp.where(a < b, a, c))
    assert [symbol for symbol, _ in inside] == ["o", "z_{1}"]
    assert inside[0][1] == "1 + z_{1}"
    chain = lines(lambda xp, a, b, c: xp.where(a < b, a, xp.where(a < c, b, c)))
    assert chain == [
        (
            "o",
            r"\begin{cases} a & \text{if } a < b \\ b & \text{if } a < c \\ "
            r"c & \text{otherwise} \end{cases}",
        )
    ]


def test_a_line_is_broken_before_it_is_too_long():
    def sum_of(xp, a, b, c):
        return sum((k * a * b + c / (k + a) for k in range(2, 12)), start=a)

    assert len(lines(sum_of)) > 2
    assert all(len(re.findall("[abcz]|[0-9]+", side)) < 40 for _, side in lines(sum_of))


def test_a_guard_against_nought_is_left_out_and_another_bound_is_not():
    assert lines(lambda xp, a, b, c: a / xp.maximum(b, 1e-300)) == [("o", r"\frac{a}{b}")]
    assert lines(lambda xp, a, b, c: a / xp.maximum(b, 1e-9))[0][1] == (
        r"\frac{a}{\max\left(b, 10^{-9}\right)}"
    )


def test_a_line_comes_after_those_that_refer_to_it():
    for model in MODELS.values():
        symbols = {quantity.name: quantity.symbol for quantity in model.outputs}
        for output in symbols:
            rows = equations(model.graph, output, symbols, model.named)
            for k, (symbol, _) in enumerate(rows):
                if symbol.startswith("z_"):
                    assert all(symbol not in side for _, side in rows[k:])
                    assert any(symbol in side for _, side in rows[:k])


def test_codes_are_written_as_words():
    text = MODELS["receive-windowed"].latex("packets_per_interrupt")
    assert r"{m} = \text{packet timer}" in text


def test_names_that_are_no_quantity_are_printed_as_names():
    graph = trace(lambda my_input, alpha, xp: {"out": my_input + alpha}, ["my_input", "alpha"])
    assert (
        formula(graph, "out", QUANTITY_NOTATION) == r"\mathrm{my\_input} + \class{p-alpha}{\alpha}"
    )


def printed():
    for model in MODELS.values():
        for output in model.outputs:
            yield model.latex(output.name)
    for quantity in QUANTITIES.values():
        yield quantity.symbol


@pytest.mark.parametrize("latex", list(printed()))
def test_equations_are_well_formed(latex):
    assert latex.isascii()
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")
    assert latex.count(r"\begin{aligned}") == latex.count(r"\end{aligned}")
    commands = set(re.findall(r"\\([A-Za-z]+)", latex))
    assert commands <= {
        *("alpha", "beta", "gamma", "rho", "eta", "varphi", "bar", "mathrm", "class", "frac"),
        *("left", "right", "lceil", "rceil", "lfloor", "rfloor", "sqrt", "min", "cdot", "times"),
        "ln",
        *("begin", "end", "max", "text", "le", "ge", "Delta", "phi", "lambda"),
    }


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_parameter_of_an_equation_is_marked(model):
    marked = set(re.findall(r"\\class\{p-([a-z_]+)\}", "".join(map(model.latex, _names(model)))))
    assert marked == {parameter.name for parameter in model.parameters}


def _names(model):
    return [quantity.name for quantity in model.outputs]
