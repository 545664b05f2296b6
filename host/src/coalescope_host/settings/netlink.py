# SPDX-License-Identifier: Apache-2.0
"""What the settings use of pyroute2, and nothing else of it.

`import pyroute2` imports all that it can do, several times what is needed here; and the process
that restores the settings, too, starts anew for each sweep.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_PACKAGE = "pyroute2"


@contextmanager
def _without_its_init() -> Iterator[None]:
    """Let parts of the package be imported though its `__init__` has not run.

    Whoever imports the package later gets it whole, with the same parts.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or _PACKAGE in sys.modules:
        yield
        return
    sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)
    try:
        yield
    finally:
        del sys.modules[_PACKAGE]


with _without_its_init():
    from pyroute2 import config
    from pyroute2.iproute import IPRoute as _IPRoute
    from pyroute2.netlink import (
        NLA_F_NESTED,
        NLM_F_ACK,
        NLM_F_DUMP,
        NLM_F_REQUEST,
        genlmsg,
        nla,
    )
    from pyroute2.netlink.exceptions import NetlinkError
    from pyroute2.netlink.generic import GenericNetlinkSocket as _GenericNetlinkSocket
    from pyroute2.netlink.generic.ethtool import ethtoolbitset, ethtoolheader

# A socket in another namespace is opened in a process of its own. Forked bare, that process would
# go on with the caller's work if anything fails in it; multiprocessing's ends in any case.
config.child_process_mode = "mp"


class _ClosedIfRefused:
    """A socket that cannot be opened is closed; pyroute2 leaves its event loop open."""

    close: Callable[[], None]

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**options)
        except Exception:  # an interrupt ends the process, and may come before there is a socket
            self.close()
            raise


class IPRoute(_ClosedIfRefused, _IPRoute):  # type: ignore[misc]
    """Questions of links, addresses and routes; an `OSError` where it cannot be opened."""


class GenericNetlinkSocket(_ClosedIfRefused, _GenericNetlinkSocket):  # type: ignore[misc]
    """Questions of one family, ethtool's say; an `OSError` where it cannot be opened."""


__all__ = [
    "NLA_F_NESTED",
    "NLM_F_ACK",
    "NLM_F_DUMP",
    "NLM_F_REQUEST",
    "GenericNetlinkSocket",
    "IPRoute",
    "NetlinkError",
    "ethtoolbitset",
    "ethtoolheader",
    "genlmsg",
    "nla",
]
