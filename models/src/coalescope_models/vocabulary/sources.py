# SPDX-License-Identifier: Apache-2.0
"""What the models cite, by a short key: sources.toml."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .rows import rows

#: The citation of each source.
SOURCES: Mapping[str, str] = MappingProxyType(
    {key: row["citation"] for key, row in rows("sources.toml").items()}
)
