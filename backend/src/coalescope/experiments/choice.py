# SPDX-License-Identifier: Apache-2.0
"""Which factors a person can choose: a recommendation chooses among their levels only. Pure.

The source of an experiment says it, under `factors`: `choice = true` or `false` of each. Of what it
does not say, the glossary's factors are chosen unless they are what the traffic or the machine is;
what a sweep sets on a host is, words too, such as adaptive moderation or a profile of it; any other
factor of one's own is, unless its levels are words or its name is that of traffic.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from coalescope_host.plan.factors import log_name
from coalescope_host.plan.registry import SETTINGS

from coalescope.experiments.records import FactorValue
from coalescope.glossary.quantities import factor

_GIVEN = frozenset(
    {"workload", "frame_bytes", "streams", "packet_rate_hz", "host", "speed_mbps", "cpus"}
)
_OF_BUILDS = frozenset({"driver_version", "kernel_version", "host"})
#: Factors of the glossary that are no settings: the traffic, the machine, or what was measured.
NO_SETTINGS = _GIVEN | _OF_BUILDS
_OF_TRAFFIC = re.compile(r"stream|flow|load|host|client|connection|sender|request|qps|offered")
_SET_BY_SWEEPS = frozenset(log_name(setting.name) for setting in SETTINGS)
_FAMILIES_OF_SWEEPS = tuple(log_name(f"{family}.") for family in ("offload", "driver"))


def can_be_chosen(name: str, levels: Iterable[FactorValue], source: Mapping[str, Any]) -> bool:
    """Whether the factor is for choice; `source` is that of the experiment."""
    said = source.get("factors", {}).get(name, {}).get("choice")
    if said is not None:
        return bool(said)
    if factor(name) is not None:
        return name not in _GIVEN
    if name in _SET_BY_SWEEPS or name.startswith(_FAMILIES_OF_SWEEPS):
        return True
    words = any(isinstance(level, str) for level in levels)
    return not words and _OF_TRAFFIC.search(name.lower()) is None


def names_a_build(name: str, levels: Iterable[FactorValue], source: Mapping[str, Any]) -> bool:
    """Whether the factor says what was measured, not under which settings or traffic.

    Of the glossary those of driver, kernel and host do; of one's own, words that nobody sets.
    """
    if factor(name) is not None:
        return name in _OF_BUILDS
    own = list(levels)
    return all(isinstance(each, str) for each in own) and not can_be_chosen(name, own, source)


def with_choices(
    about: Mapping[str, Any], chosen: Iterable[str], given: Iterable[str]
) -> dict[str, Any]:
    """The source with what is said of these factors beside what it says already."""
    said = {**dict.fromkeys(given, False), **dict.fromkeys(chosen, True)}
    own = dict(about.get("factors", {}))
    own |= {name: {**own.get(name, {}), "choice": choice} for name, choice in said.items()}
    return {**about, "factors": own} if own else dict(about)
