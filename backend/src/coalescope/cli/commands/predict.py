# SPDX-License-Identifier: Apache-2.0
"""coalescope predict MODEL."""

from argparse import Namespace
from itertools import product

from coalescope.cli.output import print_json, print_table, with_unit
from coalescope.errors import CoalescopeError
from coalescope.predictions.schemas import prediction_out
from coalescope.predictions.service import Prediction, Span, predict


def run(arguments: Namespace) -> int:
    """Evaluate a model at a point or over a grid."""
    names = [name for name, *_ in (*arguments.values, *arguments.over)]
    for name in names:
        if names.count(name) > 1:
            raise CoalescopeError(
                "given_twice", f"{name} is given twice.", advice="Give it one value or one range."
            )
    over = {span.name: Span(span.lo, span.hi, span.n) for span in arguments.over}
    prediction = predict(arguments.model, dict(arguments.values), over)
    if arguments.json:
        print_json(prediction_out(prediction))
    else:
        _print(prediction)
    return 0


def _print(prediction: Prediction) -> None:
    units = prediction.units()
    if not prediction.axes:
        print_table(
            ("output", "value", "unit"),
            [(name, float(value), units[name]) for name, value in prediction.outputs.items()],
        )
        return
    names = [*prediction.axes, *prediction.outputs]
    points = product(*(values.tolist() for values in prediction.axes.values()))
    columns = (values.ravel().tolist() for values in prediction.outputs.values())
    print_table(
        [with_unit(name, units[name]) for name in names],
        [(*point, *row) for point, row in zip(points, zip(*columns, strict=True), strict=True)],
    )
