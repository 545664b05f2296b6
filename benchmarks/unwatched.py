# SPDX-License-Identifier: Apache-2.0
"""A page that no debugger watches, as a visitor's.

Playwright enables the protocol's domain Runtime on each of its pages. V8 then notes where errors
are made, and reads the source of a file again for the first that is made in it: of 200 kB that
takes a slow processor 0.2 s, which no visitor waits for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from browser import WINDOW
from playwright.sync_api import Browser

_PAUSE_S = 0.1


class Unwatched:
    """One page, by commands of the DevTools protocol."""

    def __init__(self, browser: Browser, context: str) -> None:
        self._session = browser.new_browser_cdp_session()
        self._ids = count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._session.on("Target.receivedMessageFromTarget", self._received)
        page = {"url": "about:blank", "browserContextId": context, **WINDOW}
        target = self._session.send("Target.createTarget", page)["targetId"]
        attached = self._session.send("Target.attachToTarget", {"targetId": target})
        self._page = attached["sessionId"]

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command and return its result."""
        number = next(self._ids)
        message = json.dumps({"id": number, "method": method, "params": params})
        sent = {"sessionId": self._page, "message": message}
        self._session.send("Target.sendMessageToTarget", sent)
        while number not in self._answers:
            time.sleep(_PAUSE_S)
            self._session.send("Target.getTargets")  # Playwright has events while it is asked
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, or of its promise."""
        result = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']['text']}")
        return result["result"].get("value")

    def _received(self, event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        if "id" in message:
            self._answers[message["id"]] = message


@contextmanager
def unwatched(browser: Browser) -> Iterator[Unwatched]:
    """A page with an empty cache."""
    session = browser.new_browser_cdp_session()
    context = session.send("Target.createBrowserContext")["browserContextId"]
    yield Unwatched(browser, context)
    session.send("Target.disposeBrowserContext", {"browserContextId": context})
    session.detach()
