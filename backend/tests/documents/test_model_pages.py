# SPDX-License-Identifier: Apache-2.0
"""Each model of the catalogue has a page with all that the catalogue says of it."""

import re
import sys
from pathlib import Path

import pytest
from coalescope_models.catalogue import MODELS, Model

sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
import model_pages

each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def test_each_model_has_a_page_that_is_listed() -> None:
    pages = {path.stem for path in model_pages.pages()} - {"index"}
    assert pages == set(MODELS)
    listed = set(re.findall(r"\]\(([\w-]+)\.md\)", model_pages.contents()))
    assert listed == pages


@each_model
def test_it_has_equations_and_symbols_with_units(model: Model) -> None:
    text = model_pages.page(model)
    assert text.count("```{math}") == len(model.outputs)
    assert "\\class" not in text
    for quantity in (*model.inputs, *(p.quantity for p in model.parameters), *model.outputs):
        assert f"| `{quantity.name}` | {quantity.unit or '1'} |" in text
    for parameter in model.parameters:
        assert (
            f"| `{parameter.name}` | {parameter.quantity.unit or '1'} | {parameter.default:g} |"
            in text
        )


@each_model
def test_it_says_where_it_comes_from_and_where_it_ends(model: Model) -> None:
    text = model_pages.page(model)
    plain = re.sub(r"<(https?://[^>]+)>", r"\1", text)
    for sentence in (model.summary, model.use, *model.assumptions, *model.limits, *model.notes):
        assert sentence in text
    assert model.citation in plain
    assert model.function.__name__ in text
    assert re.search(r"^## Derivation\n\n\S", text, re.MULTILINE)
    assert not re.search(r"(?<!<)https://", text), "an address that is no link"
    assert not re.search(r"\[\w+_\w+\]", text), "a key in the place of what it stands for"
