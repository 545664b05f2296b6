# SPDX-License-Identifier: Apache-2.0
"""coalescope predict MODEL."""

from argparse import Namespace
from collections.abc import Mapping
from itertools import product

import numpy as np

from coalescope.cli.output import print_json, print_table, with_unit
from coalescope.cli.user_model_file import model_of
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
    model, _ = model_of(arguments.model or arguments.model_option)
    prediction = predict(model, dict(arguments.values), over)
    if not prediction.axes:
        _require_finite(prediction, dict(arguments.values))
    if arguments.json:
        print_json(prediction_out(prediction))
    else:
        _print(prediction)
    return 0


def _require_finite(prediction: Prediction, values: Mapping[str, float]) -> None:
    """Refuse a point where the model grows without bound; over a range such points are blank.

    What is not known there (NaN) is left blank beside what is.
    """
    outputs = prediction.outputs
    nothing = not any(np.isfinite(value) for value in outputs.values())
    without = [name for name, value in outputs.items() if nothing or np.isinf(value)]
    if without:
        zeros = [name for name, value in values.items() if value == 0]
        at = ", ".join(f"{name} {values[name]:g}" for name in zeros or values)
        raise CoalescopeError(
            "not_finite",
            f"{prediction.model.id} has no finite {', '.join(without)} at {at}.",
            where={"field": ", ".join(zeros or values)},
            advice="Give a value greater than zero." if zeros else "Give values nearer to zero.",
        )


def _meaning(prediction: Prediction, name: str) -> str | None:
    """What a code stands for, such as that which binds."""
    quantity = next(q for q in prediction.model.outputs if q.name == name)
    return quantity.meaning(float(prediction.outputs[name]))


def _print(prediction: Prediction) -> None:
    units = prediction.units()
    if not prediction.axes:
        print_table(
            ("output", "value", "unit"),
            [
                (name, float(value), _meaning(prediction, name) or units[name])
                for name, value in prediction.outputs.items()
            ],
        )
        if any(np.isnan(value) for value in prediction.outputs.values()):
            print("–: not known at this point.")
        return
    names = [*prediction.axes, *prediction.outputs]
    points = product(*(values.tolist() for values in prediction.axes.values()))
    columns = (values.ravel().tolist() for values in prediction.outputs.values())
    print_table(
        [with_unit(name, units[name]) for name in names],
        [(*point, *row) for point, row in zip(points, zip(*columns, strict=True), strict=True)],
    )
