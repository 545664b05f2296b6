# SPDX-License-Identifier: Apache-2.0
"""coalescope models."""

from argparse import Namespace

from coalescope_models.catalogue import Model

from coalescope.cli.output import print_json, print_table
from coalescope.predictions.schemas import model_out
from coalescope.predictions.service import list_models


def run(arguments: Namespace) -> int:
    """List the models with everything that can be set."""
    models = list_models()
    if arguments.json:
        print_json([model_out(model) for model in models])
        return 0
    for number, model in enumerate(models):
        if number:
            print()
        _print(model)
    return 0


def _print(model: Model) -> None:
    print(f"{model.id}: {model.title}{' (can be fitted)' if model.linear_fit else ''}")
    print(f"  {model.summary}")
    print(f"  {model.citation}")
    rows: list[tuple[str, str, float | None, str, str]] = [
        ("  input", quantity.name, None, quantity.unit, quantity.label) for quantity in model.inputs
    ]
    rows += [
        (
            "  parameter",
            parameter.name,
            parameter.default,
            parameter.quantity.unit,
            parameter.quantity.label,
        )
        for parameter in model.parameters
    ]
    rows += [
        ("  output", quantity.name, None, quantity.unit, quantity.label)
        for quantity in model.outputs
    ]
    print_table(("", "name", "default", "unit", ""), rows)
