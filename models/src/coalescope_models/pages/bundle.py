# SPDX-License-Identifier: Apache-2.0
"""Everything that the page needs to know of the models, as one JSON document.

python -m coalescope_models.pages.bundle > models.json
"""

from __future__ import annotations

import json
import sys
from math import isnan
from typing import Any

from ..catalogue import MODELS, Model, evaluate
from ..expr import kernel
from ..vocabulary.following import DELAYS, FOLLOWING
from ..vocabulary.quantity import QUANTITIES, Quantity

FORMAT = 1


def bundle() -> dict[str, Any]:
    """Return models with their kernels, reference points and graphs; quantities; what follows."""
    return {
        "format": FORMAT,
        "models": [_with_kernels(model) for model in MODELS.values()],
        "quantities": [quantity.to_json() for quantity in QUANTITIES.values()],
        "delays": dict(DELAYS),
        "following": {name: needed for name, (needed, _) in FOLLOWING.items()},
    }


def _with_kernels(model: Model) -> dict[str, Any]:
    return {
        **model.to_json(),
        "about": {
            "use": model.use,
            "assumptions": list(model.assumptions),
            "limits": list(model.limits),
        },
        "kernels": {
            output.name: kernel(model.graph, output.name, model.axes) for output in model.outputs
        },
        "equations": {
            output.name: [" = ".join(sides) for sides in model.equations(output.name)]
            for output in model.outputs
        },
        "reference": [_reference(model, share) for share in (0.0, 0.3, 0.7, 1.0)],
    }


def _reference(model: Model, share: float) -> dict[str, Any]:
    """Return a point to check an engine against, some way along the typical ranges.

    Every second value is taken from the other end, so that the points do not lie on a diagonal.
    What is not known there is None.
    """
    values: dict[str, float] = {}
    ranges = [(q.name, _typical(q)) for q in model.inputs]
    ranges += [(p.name, (p.lo, p.hi)) for p in model.parameters]
    for index, (name, (lo, hi)) in enumerate(ranges):
        values[name] = lo + (hi - lo) * (share if index % 2 == 0 else 1.0 - share)
    outputs = evaluate(model, values).items()
    return {"values": values, "outputs": {n: None if isnan(v) else v for n, v in outputs}}


def _typical(quantity: Quantity) -> tuple[float, float]:
    if quantity.typical is None:
        raise ValueError(f"{quantity.name} is an input of a model and needs a typical range")
    return quantity.typical


def main() -> None:
    """Write the bundle to standard output."""
    json.dump(bundle(), sys.stdout, ensure_ascii=False, allow_nan=False, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
