# SPDX-License-Identifier: Apache-2.0
"""Coalescope: its server, its command line, and experiments in Python.

    import coalescope as cs

    x = cs.load("geist-2005-nfs")
    x.fit("cpu-overhead")

docs/client.md has all of it. What is used is imported when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coalescope.client.comparison import Comparison
    from coalescope.client.experiment import Experiment
    from coalescope.client.fit import Fit
    from coalescope.client.opening import list_datasets, list_experiments, load, predict
    from coalescope.client.opening import open_experiment as open  # noqa: A004  cs.open
    from coalescope.client.recommendation import Recommendation
    from coalescope.errors import CoalescopeError

__all__ = [
    "CoalescopeError",
    "Comparison",
    "Experiment",
    "Fit",
    "Recommendation",
    "list_datasets",
    "list_experiments",
    "load",
    "open",
    "predict",
]

_PLACES = {
    "CoalescopeError": ("errors", "CoalescopeError"),
    "Comparison": ("client.comparison", "Comparison"),
    "Experiment": ("client.experiment", "Experiment"),
    "Fit": ("client.fit", "Fit"),
    "Recommendation": ("client.recommendation", "Recommendation"),
    "list_datasets": ("client.opening", "list_datasets"),
    "list_experiments": ("client.opening", "list_experiments"),
    "load": ("client.opening", "load"),
    "open": ("client.opening", "open_experiment"),
    "predict": ("client.opening", "predict"),
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own_name = _PLACES[name]
    return getattr(import_module(f"{__name__}.{module}"), own_name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
