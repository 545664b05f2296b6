# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from coalescope_models.vocabulary.glossary import glossary
from coalescope_models.vocabulary.quantity import QUANTITIES

GLOSSARY = Path(__file__).parents[3] / "docs/glossary.md"


def test_the_glossary_is_up_to_date():
    assert GLOSSARY.read_text(encoding="utf-8") == glossary(), (
        "run: python -m coalescope_models.vocabulary.glossary > docs/glossary.md"
    )


def test_it_lists_every_quantity_once():
    text = glossary()
    for name in QUANTITIES:
        assert text.count(f"| `{name}` |") == 1
