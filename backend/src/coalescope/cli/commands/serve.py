# SPDX-License-Identifier: Apache-2.0
"""coalescope serve."""

import errno
import signal
import socket
from argparse import Namespace
from types import FrameType

import uvicorn

from coalescope.app import create_app
from coalescope.cli.local_store import settings_of, warn_without_datasets
from coalescope.errors import CoalescopeError
from coalescope.operation.logs import log_as_json
from coalescope.security.slow_clients import TimedConnection
from coalescope.settings import Settings
from coalescope.sweeps.events import Listeners

_GRACE_S = 10


def run(arguments: Namespace) -> int:
    """Serve until a signal comes, then let open requests finish."""
    settings = settings_of(arguments)
    warn_without_datasets(settings)
    as_json = settings.log_format == "json"
    if as_json:
        log_as_json()
    # Until uvicorn takes the signals over, and again when it raises them anew after an orderly
    # shutdown, SIGTERM is the same as Ctrl-C.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with _listen(settings) as listener:
            app = create_app(settings)
            config = uvicorn.Config(
                app,
                http=TimedConnection,
                log_config=None if as_json else uvicorn.config.LOGGING_CONFIG,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE_S,
            )
            _Server(config, _url(listener), app.state.listeners).run(sockets=[listener])
    except KeyboardInterrupt:
        print()
    return 0


class _Server(uvicorn.Server):
    """Says where it is once it answers, and can be stopped in order from then on."""

    def __init__(self, config: uvicorn.Config, url: str, listeners: Listeners) -> None:
        super().__init__(config)
        self._url = url
        self._listeners = listeners

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the streams of events, which end by themselves never, and the server after them."""
        self._listeners.closing = True
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        print(f"Coalescope is at {self._url}  (Ctrl-C stops it)", flush=True)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _listen(settings: Settings) -> socket.socket:
    host, port = settings.host.strip("[]"), settings.port
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(address[:2], family=family, backlog=2048)
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
