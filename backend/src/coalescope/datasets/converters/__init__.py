# SPDX-License-Identifier: Apache-2.0
"""Turn files of others into tidy CSV, one converter a format; source.toml names it."""

from collections.abc import Callable, Mapping

from coalescope.datasets.converters.converted import Converted
from coalescope.datasets.converters.nic_tuning import convert_memcached

#: By the name that source.toml gives. Errors of each: CoalescopeError naming row and column.
CONVERTERS: Mapping[str, Callable[[bytes], Converted]] = {"nic-tuning-mcd": convert_memcached}

__all__ = ["CONVERTERS", "Converted"]
