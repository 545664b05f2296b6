# SPDX-License-Identifier: Apache-2.0
"""Limits how often one client may try tokens that have not been valid before."""

import hashlib
from collections import OrderedDict

from coalescope.web.security.rates import RateLimiter

_PER_MINUTE = 30
_MOST_KNOWN = 10_000


class TokenAttemptLimiter:
    """Counts, by client, the tokens that were not right before.

    A token that was right once is looked at whatever others show: who guesses does not lock out
    those who share their address, such as everybody behind one proxy.
    """

    def __init__(self, per_minute: int = _PER_MINUTE) -> None:
        self._rates = RateLimiter(per_minute)
        self._right: OrderedDict[bytes, None] = OrderedDict()

    def wait_s(self, client: str, given: str, now: float) -> float:
        """Seconds until the client may show this token; 0 if now, which is then counted."""
        return 0.0 if _digest(given) in self._right else self._rates.wait_s(client, now)

    def note(self, given: str, *, right: bool) -> None:
        """Remember whether a token that was looked at is one."""
        if not right:
            self._right.pop(_digest(given), None)
            return
        self._right[_digest(given)] = None
        self._right.move_to_end(_digest(given))
        if len(self._right) > _MOST_KNOWN:
            self._right.popitem(last=False)


def _digest(given: str) -> bytes:
    # not the token itself: what is kept longer than a request holds no secrets
    return hashlib.sha256(given.encode("latin-1", "replace")).digest()
