# SPDX-License-Identifier: Apache-2.0
"""What a table says of itself: its kind in every row, and `source.*` columns in its first. Pure.

Columns, and not lines of comment: spreadsheets and data frames keep columns. A text stands as it
is, all else as JSON.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from coalescope.experiments.records import ExperimentRecord
from coalescope.exports.formulas import as_meant, disarmed
from coalescope.untrusted.json_texts import parsed

KIND = "kind"
PREFIX = "source."
_NAME = re.compile(rf"{re.escape(PREFIX)}[a-z][a-z_]{{0,39}}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_JSON = ("[", "{", '"')


def is_source_column(name: str) -> bool:
    """Whether a column of that name says something of the source."""
    return _NAME.fullmatch(name) is not None


def source_of(experiment: ExperimentRecord) -> dict[str, Any]:
    """Title, subtitle and source, as they are known: what is empty is left out."""
    named = {"title": experiment.title, "subtitle": experiment.subtitle, **experiment.source}
    return {name: value for name, value in named.items() if value not in (None, "", [], {})}


def source_columns(experiment: ExperimentRecord) -> dict[str, str]:
    """The `source.*` columns and their one field."""
    told = source_of(experiment)
    return {f"{PREFIX}{name}": disarmed(_written(value)) for name, value in told.items()}


def read_field(text: str) -> Any:
    """What a field of a `source.*` column says."""
    text = as_meant(text)
    if not text.startswith(_JSON):
        return text
    try:
        return parsed(text)
    except ValueError:
        return text


def _written(value: Any) -> str:
    is_plain = isinstance(value, str) and read_field(value) == value
    if is_plain and value == value.strip() and not _UNPRINTABLE.search(value):
        return str(value)
    return json.dumps(dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False)
