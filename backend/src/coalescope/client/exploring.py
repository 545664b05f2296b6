# SPDX-License-Identifier: Apache-2.0
"""What `.explore()` shows: the page's surface in a notebook, its parameters linked with Python."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from coalescope.client.extras import required
from coalescope.client.source import Document
from coalescope.client.surface_answers import Answers, Explorable

if TYPE_CHECKING:
    from coalescope.client.surface_widget import SurfaceWidget


def explored(
    experiment: Explorable,
    view: Mapping[str, str],
    parameters: Mapping[str, float] | None = None,
    fit: Document | None = None,
) -> "SurfaceWidget":
    """The widget of an experiment.

    `view` is what the explorer's address would say, `fit` the one that the surface starts from
    where it asks for such a fit.

    Errors: CoalescopeError where anywidget or the built page is missing.
    """
    required("anywidget", extra="notebook")
    from coalescope.client.surface_widget import SurfaceWidget  # noqa: PLC0415  with anywidget only

    levels = {name: str(level) for name, level in experiment.chosen.items() if _is_one(level)}
    query = urlencode({**levels, **view})
    return SurfaceWidget(Answers(experiment, fit), query, parameters or {})


def _is_one(level: Any) -> bool:
    return not isinstance(level, list)
