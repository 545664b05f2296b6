# SPDX-License-Identifier: Apache-2.0
"""Servers of https on this machine, for tests of what is said where http was typed, or the other
way round."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_HANDSHAKE = b"\x16"


def server_context(folder: Path) -> ssl.SSLContext:
    """What a server needs for https; its certificate is certificate.pem in the folder."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    making = "openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -subj /CN=here"
    files = ["-keyout", str(key), "-out", str(certificate)]
    name = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*making.split(), *name, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@contextmanager
def https_server(folder: Path, *, tells: bool) -> Iterator[int]:
    """A server that speaks TLS alone; the port that it listens on.

    tells: it answers plain HTTP with 400, as reverse proxies do; else it hangs up.
    """
    context = server_context(folder)

    class Server(ThreadingHTTPServer):
        def get_request(self) -> tuple[Any, Any]:
            connection, address = super().get_request()
            if tells and connection.recv(1, socket.MSG_PEEK) != _HANDSHAKE:
                return connection, address
            return context.wrap_socket(connection, server_side=True), address

    with _serving(Server) as port:
        yield port


@contextmanager
def redirecting(location: str) -> Iterator[int]:
    """A server of http that sends everybody elsewhere; the port that it listens on."""

    class Sends(_Answers):
        status, headers_sent = 308, {"Location": location}

    with _serving(ThreadingHTTPServer, Sends) as port:
        yield port


class _Answers(BaseHTTPRequestHandler):
    """Reads what comes, and says nothing that Coalescope would."""

    status = 400
    headers_sent: dict[str, str] = {}  # noqa: RUF012  read only

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.status)
        for name, text in self.headers_sent.items():
            self.send_header(name, text)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_HEAD = do_PUT = answer  # noqa: N815  as the library names them

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _serving(
    kind: type[ThreadingHTTPServer], handler: type[BaseHTTPRequestHandler] = _Answers
) -> Iterator[int]:
    with kind(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
