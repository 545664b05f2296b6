# SPDX-License-Identifier: Apache-2.0
"""Print a graph as LaTeX, with no more parentheses than the formula needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .expression import Graph, Node
from .sharing import guarded, lines_of, printed_in

_BEGIN, _END = r"\begin{cases} ", r" \end{cases}"
_CASES, _SUM, _PRODUCT, _POWER, _ATOM = range(5)


@dataclass(frozen=True)
class _Text:
    """LaTeX, how tightly its outermost operation binds, and the parts if that is a division."""

    latex: str
    binding: int = _ATOM
    parts: tuple[_Text, _Text] | None = None

    def within(self, binding: int) -> str:
        if self.binding >= binding:
            return self.latex
        return rf"\left({self.latex}\right)"


@dataclass(frozen=True)
class Notation:
    """How inputs are written.

    Attributes:
        symbols: LaTeX of each input; one that is missing is written as its name.
        word: what a number stands for, of an input that is a code; None where it is a number.
    """

    symbols: Mapping[str, str] = field(default_factory=dict)
    word: Callable[[str, float], str | None] = lambda _name, _value: None

    def symbol(self, name: str) -> str:
        """Return the LaTeX of an input."""
        return self.symbols.get(name) or rf"\mathrm{{{name}}}".replace("_", r"\_")


#: Inputs under their names.
NAMES = Notation()


def formula(
    graph: Graph,
    output: str,
    notation: Notation = NAMES,
    named: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the right-hand side of the equation of one output, as LaTeX.

    Args:
        graph: the graph.
        output: which output.
        notation: how inputs are written.
        named: LaTeX of other outputs that the formula refers to instead of repeating them.

    Raises:
        EvaluationError: the graph has no such output.
    """
    result = graph.result(output)
    names = {graph.outputs[name]: symbol for name, symbol in named.items()}
    return _side(graph, result, names, notation)


def equations(
    graph: Graph,
    output: str,
    known: Mapping[str, str],
    named: Collection[str] = (),
    notation: Notation = NAMES,
) -> list[tuple[str, str]]:
    r"""Print an output as lines that can be read, each with the symbol of what it defines.

    What would be repeated, a distinction of cases inside of something else, and what is too long
    for a line get a line of their own: under their symbol if they are an output, as ``z_{1}``,
    ``z_{2}`` … if not. A line comes after those that refer to it. A minimum or maximum that only
    keeps a divisor from being zero is left out.

    Args:
        graph: the graph.
        output: which output; its line is the first.
        known: LaTeX of every output's symbol.
        named: outputs that are always referred to by their symbol.
        notation: how inputs are written.

    Raises:
        EvaluationError: the graph has no such output.
    """
    result = graph.result(output)
    always = {graph.outputs[name] for name in named}
    lines = lines_of(graph, result, always)
    # of outputs that are the same number the first gives the symbol
    names = {graph.outputs[name]: known[name] for name in reversed(list(known))}
    names[result] = known[output]
    nameless = [index for index in lines if index not in names]
    names |= {index: rf"z_{{{n}}}" for n, index in enumerate(nameless, 1)}
    names = {index: names[index] for index in lines}
    return [(names[index], _side(graph, index, names, notation)) for index in lines]


def _side(graph: Graph, result: int, names: Mapping[int, str], notation: Notation) -> str:
    texts: dict[int, _Text] = {}
    for index in sorted({*printed_in(graph, result, names), result}):
        if index in names and index != result:
            texts[index] = _Text(names[index])
        else:
            texts[index] = _node(graph, graph.nodes[index], texts, notation)
    return texts[result].latex


def _node(graph: Graph, node: Node, texts: Mapping[int, _Text], notation: Notation) -> _Text:
    if node.op == "const":
        return _constant(node)
    if node.op == "input":
        return _Text(notation.symbol(graph.inputs[node.args[0]]))
    guards = guarded(graph, node)
    if guards is not None:
        return texts[guards]
    word = _word(graph, node, notation) if node.op in ("eq", "ne") else None
    if word is not None:
        sign = "=" if node.op == "eq" else r"\ne"
        return _Text(rf"{texts[node.args[0]].latex} {sign} \text{{{word}}}", _CASES)
    operands = [texts[argument] for argument in node.args]
    if node.op == "mul" and node.args[0] == node.args[1]:
        return _power(operands[0], _Text("2"))
    return _PRINTERS[node.op](*operands)


def _word(graph: Graph, node: Node, notation: Notation) -> str | None:
    """Return what the number that a code is compared with stands for."""
    code, number = (graph.nodes[argument] for argument in node.args)
    if code.op != "input" or number.value is None:
        return None
    return notation.word(graph.inputs[code.args[0]], number.value)


def _constant(node: Node) -> _Text:
    value = node.value
    if value is None:
        raise AssertionError("a constant without a value")
    text = _positive_constant(abs(value))
    return text if value >= 0.0 else _negative(text)


def _positive_constant(value: float) -> _Text:
    digits, _, exponent = f"{value!r}".partition("e")
    if exponent:
        power = rf"10^{{{int(exponent)}}}"
        digits = digits.removesuffix(".0")
        return (
            _Text(power, _POWER) if digits == "1" else _Text(rf"{digits} \times {power}", _PRODUCT)
        )
    digits = digits.removesuffix(".0")
    head = digits.rstrip("0")
    zeros = len(digits) - len(head)
    if "." in digits or zeros < 5:
        return _Text(digits)
    power = rf"10^{{{zeros}}}"
    return _Text(power, _POWER) if head == "1" else _Text(rf"{head} \times {power}", _PRODUCT)


def _sum(a: _Text, b: _Text) -> _Text:
    right = b.within(_SUM)
    if right.startswith("-"):
        right = rf"\left({right}\right)"
    return _Text(f"{a.within(_SUM)} + {right}", _SUM)


def _difference(a: _Text, b: _Text) -> _Text:
    return _Text(f"{a.within(_SUM)} - {b.within(_PRODUCT)}", _SUM)


def _product(a: _Text, b: _Text) -> _Text:
    left, right = a.within(_PRODUCT), b.within(_PRODUCT)
    sign = r"\cdot" if right[0].isdigit() else r"\,"
    return _Text(f"{left} {sign} {right}", _PRODUCT)


def _quotient(a: _Text, b: _Text) -> _Text:
    # fractions of fractions become one, as they are written by hand
    if a.parts is not None:
        return _quotient(a.parts[0], _product(a.parts[1], b))
    if b.parts is not None:
        return _quotient(_product(a, b.parts[1]), b.parts[0])
    return _Text(rf"\frac{{{a.latex}}}{{{b.latex}}}", _PRODUCT, (a, b))


def _power(a: _Text, b: _Text) -> _Text:
    return _Text(f"{{{a.within(_ATOM)}}}^{{{b.latex}}}", _POWER)


def _negative(a: _Text) -> _Text:
    return _Text(f"-{a.within(_PRODUCT)}", _SUM)


def _exponential(a: _Text) -> _Text:
    return _Text(f"e^{{{a.latex}}}", _POWER)


def _exponential_minus_one(a: _Text) -> _Text:
    return _Text(f"e^{{{a.latex}}} - 1", _SUM)


def _logarithm(a: _Text) -> _Text:
    return _Text(rf"\ln\left({a.latex}\right)")


def _logarithm_of_one_plus(a: _Text) -> _Text:
    return _logarithm(_sum(_Text("1"), a))


def _cases(condition: _Text, a: _Text, b: _Text) -> _Text:
    # the cases of the last case are cases of the whole
    rest = b.latex.removeprefix(_BEGIN) if b.latex.startswith(_BEGIN) else None
    if rest is None or not rest.endswith(_END) or _BEGIN in rest:
        rest = rf"{b.latex} & \text{{otherwise}}{_END}"
    return _Text(rf"{_BEGIN}{a.latex} & \text{{if }} {condition.latex} \\ {rest}", _CASES)


def _comparison(sign: str) -> Callable[[_Text, _Text], _Text]:
    return lambda a, b: _Text(f"{a.latex} {sign} {b.latex}", _CASES)


def _enclosed(left: str, right: str) -> Callable[[_Text], _Text]:
    return lambda a: _Text(rf"\left{left} {a.latex} \right{right}")


def _extreme(name: str) -> Callable[[_Text, _Text], _Text]:
    return lambda a, b: _Text(rf"{name}\left({a.latex}, {b.latex}\right)")


_PRINTERS: Mapping[str, Callable[..., _Text]] = MappingProxyType(
    {
        "add": _sum,
        "sub": _difference,
        "mul": _product,
        "div": _quotient,
        "pow": _power,
        "neg": _negative,
        "lt": _comparison("<"),
        "le": _comparison(r"\le"),
        "gt": _comparison(">"),
        "ge": _comparison(r"\ge"),
        "eq": _comparison("="),
        "ne": _comparison(r"\ne"),
        "minimum": _extreme(r"\min"),
        "maximum": _extreme(r"\max"),
        "where": _cases,
        "exp": _exponential,
        "expm1": _exponential_minus_one,
        "log": _logarithm,
        "log1p": _logarithm_of_one_plus,
        "sqrt": lambda a: _Text(rf"\sqrt{{{a.latex}}}"),
        "ceil": _enclosed(r"\lceil", r"\rceil"),
        "floor": _enclosed(r"\lfloor", r"\rfloor"),
        "abs": _enclosed("|", "|"),
    }
)
