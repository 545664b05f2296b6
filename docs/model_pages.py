# SPDX-License-Identifier: Apache-2.0
"""The pages of the models in the documents' site: one for each of the catalogue, and their list."""

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from coalescope_models.catalogue import MODELS, Model
from coalescope_models.vocabulary.quantity import Quantity
from coalescope_models.vocabulary.sources import SOURCES

FOLDER = Path("models")
_INTRODUCTION = """\
Each model is one function, from which server, page, client and these pages take what they say of
it. [Models beside data](../scored.md) scores them on every data set,
[Published and predicted](../published-vs-predicted.md) on what the documents print. On the page
*Models* of a server each has sliders.
"""
_CLASS = re.compile(r"\\class\{[^}]*\}")  # the page's handle on a symbol
_ADDRESS = re.compile(r"https?://[^\s,;]+")
_TABLE = "| symbol | name | unit | {last} | meaning |\n|---|---|---|---|---|\n"


def pages() -> dict[Path, str]:
    """The text of each page, by its place in the site's sources."""
    made = {FOLDER / f"{model.id}.md": page(model) for model in MODELS.values()}
    return made | {FOLDER / "index.md": contents()}


def contents() -> str:
    """The list of all models with what each is for."""
    rows = [f"| [{model.title}]({model.id}.md) | {model.summary} |" for model in MODELS.values()]
    listed = "\n".join(MODELS)
    toctree = f"```{{toctree}}\n:hidden:\n\n{listed}\n```"
    table = "\n".join(["| model | |", "|---|---|", *rows])
    return f"# Models\n\n{_INTRODUCTION}\n{table}\n\n{toctree}\n"


def page(model: Model) -> str:
    """Everything that the catalogue and the function say of a model."""
    said, source = _docstring(model)
    sections = (
        ("", f"`{model.id}`: {model.summary} {model.use}"),
        ("Derivation", said),
        ("Equations", "\n\n".join(_equations(model))),
        ("Inputs", _table(model.inputs)),
        ("Parameters", _parameters(model)),
        ("Outputs", _table(model.outputs)),
        ("What it takes for granted", _list(model.assumptions)),
        ("Where it does not hold", _list(model.limits)),
        ("Before trusting it", _list(model.notes)),
        ("Source", _source(model, source)),
    )
    texts = (f"## {title}\n\n{text}" if title else text for title, text in sections if text)
    return f"# {model.title}\n\n" + "\n\n".join(texts) + "\n"


def _equations(model: Model) -> Iterator[str]:
    for output in model.outputs:
        latex = _CLASS.sub("", model.latex(output.name))
        yield f"{output.label} (`{output.name}`):\n\n```{{math}}\n{latex}\n```"


def _docstring(model: Model) -> tuple[str, str]:
    """What the function's docstring says of the derivation, and its section of sources."""
    text = inspect.getdoc(model.function) or ""
    said, _, rest = text.partition("\n\nSource:\n")
    source = re.split(r"\n\n\w+:\n", rest)[0]
    return re.sub(r"([*<])", r"\\\1", said), " ".join(source.split())


def _source(model: Model, said: str) -> str:
    keys = re.findall(r"\[(\w+)\]", said)
    cited = _list(SOURCES[key] for key in dict.fromkeys(keys))
    function = f"{model.function.__module__}.{model.function.__qualname__}"
    own = re.sub(r" ?\[\w+\]", "", said)
    parts = (model.citation, own, cited, f"In the code: `{function}`.")
    return _linked("\n\n".join(part for part in parts if part))


def _linked(text: str) -> str:
    return _ADDRESS.sub(lambda found: f"<{found[0]}>", text)


def _list(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _table(quantities: Iterable[Quantity]) -> str:
    rows = (_row(quantity, _range(quantity)) for quantity in quantities)
    return _TABLE.format(last="range") + "\n".join(rows)


def _parameters(model: Model) -> str:
    rows = [_row(each.quantity, f"{each.default:g}") for each in model.parameters]
    return _TABLE.format(last="default") + "\n".join(rows) if rows else ""


def _row(quantity: Quantity, last: str) -> str:
    symbol = f"{{math}}`{_CLASS.sub('', quantity.symbol)}`" if quantity.symbol else ""
    unit, meaning = quantity.unit or "1", quantity.description.replace("|", "\\|")
    return f"| {symbol} | `{quantity.name}` | {unit} | {last} | {meaning} |"


def _range(quantity: Quantity) -> str:
    lo, hi = ("…" if bound is None else f"{bound:g}" for bound in quantity.domain)
    return f"{lo} to {hi}"
