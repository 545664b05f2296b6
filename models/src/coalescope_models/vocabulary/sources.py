# SPDX-License-Identifier: Apache-2.0
"""What the models cite, by a short key: sources.toml."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .rows import rows


def _citation(row: Mapping[str, str]) -> str:
    place = f"https://doi.org/{row['doi']}" if "doi" in row else row.get("url")
    return f"{row['citation']}, {place}" if place else row["citation"]


#: The citation of each source, with its DOI, or its address, where it has one.
SOURCES: Mapping[str, str] = MappingProxyType(
    {key: _citation(row) for key, row in rows("sources.toml").items()}
)
