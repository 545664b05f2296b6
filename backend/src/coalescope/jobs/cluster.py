# SPDX-License-Identifier: Apache-2.0
"""Work that is spread over the workers of a Dask scheduler.

A worker that dies loses nothing: the scheduler keeps what each part is made of, and gives it to
another one. Parts do not depend on the number of workers, and neither do results. They are the
same to the last bit as long as all machines have the same packages on the same kind of processor.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from threading import Lock
from typing import Any

from coalescope.errors import CoalescopeError
from coalescope.jobs.underway import Underway

_LOG = logging.getLogger("coalescope.cluster")
_TIMEOUT_S = 10
# of each worker's threads: enough to balance the load, and to lose little with a worker
_PARTS_PER_THREAD = 4


class Cluster:
    """The workers of one scheduler; connected to when they are first needed.

    Errors: CoalescopeError 500 where Dask is not installed.
    """

    def __init__(self, address: str, timeout_s: float = _TIMEOUT_S) -> None:
        try:
            import cloudpickle  # noqa: PLC0415  not installed by all
            import distributed  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise CoalescopeError(
                "not_installed",
                f"COALESCOPE_DASK_SCHEDULER needs {error.name}, which is not installed.",
                advice="pip install -r requirements-scale.lock",
                status=500,
            ) from None
        self._address = address
        self._dumps: Callable[[Any], bytes] = cloudpickle.dumps
        self._connect = partial(
            distributed.Client, address, timeout=timeout_s, set_as_default=False
        )
        self._client: Any = None
        self._lock = Lock()

    def map(
        self,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        underway: Underway | None = None,
    ) -> Iterable[Any]:
        """Apply a function to each item; the results in their order.

        Errors: CoalescopeError 503 where the scheduler does not answer or has no worker, and where
        the end of `underway` has come: then no part is begun any more.
        """
        try:
            client = self._connected()
            threads = self.threads()
            if not threads:
                raise OSError("it has no worker")
            # one task makes the function, so that its data travels to each worker once
            made = client.submit(_loaded, self._dumps(function), pure=False)
            parts = [self._dumps(part) for part in _parts(items, _PARTS_PER_THREAD * threads)]
            futures = client.map(_applied, parts, function=made, pure=False)
            try:
                if underway is not None:
                    underway.wait_for(futures)
                results = client.gather(futures)
            except CoalescopeError:
                client.cancel(futures, force=True)
                raise
        except (OSError, TimeoutError) as error:
            raise CoalescopeError(
                "cluster_unreachable",
                f"The Dask scheduler at {self._address} cannot compute: {error or 'no answer'}.",
                advice="Look after the scheduler and its workers, or leave "
                "COALESCOPE_DASK_SCHEDULER out to compute in the server.",
                status=503,
            ) from error
        return [result for part in results for result in part]

    def threads(self) -> int:
        """Threads of all workers that are there now."""
        return sum(self._connected().nthreads().values())

    def close(self) -> None:
        """Leave the scheduler."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None or self._client.status == "closed":
                self._client = self._connect()
            return self._client


def _parts(items: Sequence[Any], most: int) -> list[Sequence[Any]]:
    """Divide the items into at most so many parts, in their order."""
    size = max(1, -(-len(items) // most))
    return [items[first : first + size] for first in range(0, len(items), size)]


def _loaded(pickled: bytes) -> Any:
    """What a worker makes of bytes, anew each time: a part that starts again starts as before."""
    import cloudpickle  # noqa: PLC0415

    return cloudpickle.loads(pickled)


def _applied(part: bytes, function: Callable[[Any], Any]) -> list[Any]:
    return [function(item) for item in _loaded(part)]
