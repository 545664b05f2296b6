# SPDX-License-Identifier: Apache-2.0
"""Headers that every response carries, errors included."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

# blob: holds kernels printed from graphs, and figures to save.
_PAGE_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' %s",
        "worker-src %s",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors %s",
    )
)
# 'wasm-unsafe-eval' compiles Pyodide.
CONTENT_SECURITY_POLICY = _PAGE_POLICY % ("'wasm-unsafe-eval' blob:", "'self' blob:", "'none'")

# Views without the page around them, made to stand in others' pages (docs/sharing.md). They change
# nothing on the server, lead to the page in a window of its own, and could not run Python at all.
EMBED_POLICY = _PAGE_POLICY % ("blob:", "'none'", "*")

# The documents' site: files of its own, and no other's frame (docs/site).
DOCUMENTS_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

# The one document in which a reader's Python runs (frontend/public/sandbox.html): an opaque origin
# of its own, no network, its own script by its hash, workers from blobs, WebAssembly for Pyodide.
SANDBOX_POLICY = (
    "; ".join(
        (
            "sandbox allow-scripts",
            "default-src 'none'",
            "script-src '%s' 'wasm-unsafe-eval' blob:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'self'",
        )
    )
    % "sha256-JnJlUycTeZQKjQYUqwNpDML/xL2KidocHwFIsdF/jKE="
)

SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    # The page needs no device of the reader's.
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_POLICY, _FRAMES = b"content-security-policy", b"x-frame-options"
_PAIRS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]


class SecurityHeaders:
    """Adds the headers to whatever the application answers.

    An answer with a policy of its own says by it who may frame it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and complete the head of its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ())]
                given = {name for name, _ in headers}
                if _POLICY in given:
                    given.add(_FRAMES)
                headers += [pair for pair in _PAIRS if pair[0] not in given]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_with_headers)
