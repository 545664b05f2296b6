# SPDX-License-Identifier: Apache-2.0
"""coalescope serve."""

import errno
import gc
import os
import signal
import socket
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread, Timer
from types import FrameType

import uvicorn

from coalescope.app import create_app, policy_of
from coalescope.cli.local_store import (
    settings_of,
    warn_of_readers,
    warn_of_what_is_no_setting,
    warn_without_datasets,
)
from coalescope.errors import CoalescopeError
from coalescope.fits.service import OF_FIRST_FIT
from coalescope.settings import Settings
from coalescope.store import open_store
from coalescope.sweeps.events import Listeners
from coalescope.untrusted.confinement import OF_THE_SERVER
from coalescope.web.logs import log_as_json
from coalescope.web.security.slow_clients import KEEP_ALIVE_S, MOST_HEAD_BYTES, TimeoutH11Protocol
from coalescope.web.workers import supervise

# After a signal: what open requests have, and when the process ends whatever is under way.
_GRACE_S = 8
_END_S = 9.5
# After so many more objects garbage is looked for, not after Python's 700: an answer of 10,000
# cells makes 100,000, and to look through them over and over took as long as to make them.
_OBJECTS = 50_000


def run(arguments: Namespace) -> int:
    """Serve until a signal comes, then let open requests finish."""
    settings = settings_of(arguments)
    warn_of_what_is_no_setting()
    warn_without_datasets(settings)
    warn_of_readers(settings.data_dir)
    if settings.log_format == "json":
        log_as_json()
    try:
        with (
            _terminated_as_interrupted(),
            _listen(settings) as listener,
            _no_empty_folder_left(settings.data_dir),
        ):
            announce = partial(_announce, _url(listener))
            if settings.workers == 1:
                answer(settings, listener, announce)
            else:
                _prepare(settings)
                supervise(settings.workers, listener, partial(_as_worker, settings), announce)
    except KeyboardInterrupt:
        print()
    return 0


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM is the same as Ctrl-C where uvicorn does not take it.

    That is before it runs, and when it raises the signal anew after an orderly shutdown.
    """
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _no_empty_folder_left(data_dir: Path) -> Iterator[None]:
    """Whoever is refused may have mistyped the folder: it goes again unless a file came into it."""
    new = [folder for folder in (data_dir, *data_dir.parents) if not folder.exists()]
    try:
        yield
    except Exception:
        if new:
            below = [Path(name) for name, _, _ in os.walk(data_dir, topdown=False)]
            with suppress(OSError):  # the first that is not empty
                for folder in (*below, *new[1:]):
                    folder.rmdir()
        raise


def answer(settings: Settings, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Serve on that socket until a signal comes; `announce` is called once it answers."""
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        http=TimeoutH11Protocol,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        log_config=None if settings.log_format == "json" else uvicorn.config.LOGGING_CONFIG,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=KEEP_ALIVE_S,
    )
    _Server(config, announce, app.state.listeners).run(sockets=[listener])


def _as_worker(settings: Settings, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Serve as one process of several."""
    if settings.log_format == "json":
        log_as_json()
    with suppress(KeyboardInterrupt), _terminated_as_interrupted():
        answer(settings, listener, announce)


def _prepare(settings: Settings) -> None:
    """Check the binding, migrate and load the data sets once, not in several processes at a time.

    Errors: what each of them would fail with.
    """
    policy_of(settings)
    open_store(settings, migrates=True).close()


def _announce(url: str) -> None:
    print(f"Coalescope is at {url}  (Ctrl-C stops it)", flush=True)


class _Server(uvicorn.Server):
    """Says once that it answers, and can be stopped in order from then on."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], None], listeners: Listeners
    ) -> None:
        super().__init__(config)
        self._announce = announce
        self._listeners = listeners

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the streams of events, which end by themselves never, and the server after them."""
        self._listeners.closing = True
        super().handle_exit(sig, frame)
        last = Timer(_END_S, _end)
        last.daemon = True
        last.start()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        # what is here now stays: not to be looked through again whenever garbage is collected
        gc.collect()
        gc.freeze()
        gc.set_threshold(_OBJECTS)
        self._announce()
        Thread(target=import_module, args=(OF_FIRST_FIT,), daemon=True).start()


def _end() -> None:
    """End what did not end by itself: threads cannot be ended, and Python waits for them.

    What was under way was not acknowledged; the store keeps all of a change or nothing.
    """
    OF_THE_SERVER.come()
    os._exit(0)  # and not a word before: whoever reads them may be what is waited for


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _listen(settings: Settings) -> socket.socket:
    host, port = settings.host.strip("[]"), settings.port
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        # every address of this machine is every one, of IPv4 too
        both = address[0] == "::" and socket.has_dualstack_ipv6()
        listener = socket.create_server(
            address[:2], family=family, backlog=2048, dualstack_ipv6=both
        )
        # For its connections too, where asyncio does not see that they are of TCP: the body of an
        # answer goes out at once, not when the client has confirmed the head, 40 ms later.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise _cannot_listen(error, host, port) from None


def _cannot_listen(error: OSError, host: str, port: int) -> CoalescopeError:
    if error.errno == errno.EADDRINUSE:
        return CoalescopeError(
            "port_in_use",
            f"Port {port} on {host} is in use, perhaps by another Coalescope.",
            advice="Stop that one, or choose another port with --port (0 takes any free one).",
        )
    return CoalescopeError(
        "cannot_listen",
        f"Cannot listen on {host} port {port}: {error.strerror or error}.",
        advice="Choose another --host or --port.",
    )


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
