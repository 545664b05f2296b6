# SPDX-License-Identifier: Apache-2.0
"""coalescope quantities."""

from argparse import Namespace

from coalescope_models.vocabulary.quantity import QUANTITIES, Quantity

from coalescope.cli.output import print_json, print_table
from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.glossary.schemas import quantity_out


def run(arguments: Namespace) -> int:
    """List the glossary's quantities, or those that have all words in name or definition.

    Errors: 404 where none has them.
    """
    found = [each for each in QUANTITIES.values() if _has(each, arguments.words)]
    if not found:
        typed = " ".join(arguments.words)
        raise CoalescopeError(
            "not_found",
            f"No quantity has {typed!r} in its name or definition.",
            status=404,
            where={"words": typed},
            advice=did_you_mean(typed, QUANTITIES)
            or "`coalescope quantities` lists all. A measure of your own is named measure.NAME.",
        )
    if arguments.json:
        print_json([quantity_out(each) for each in found])
        return 0
    print_table(
        ("name", "unit", "kind", ""),
        [(each.name, each.unit, each.role, each.description) for each in found],
    )
    return 0


def _has(quantity: Quantity, words: list[str]) -> bool:
    text = f"{quantity.name} {quantity.label} {quantity.description}".lower()
    return all(word.lower() in text for word in words)
