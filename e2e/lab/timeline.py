# SPDX-License-Identifier: Apache-2.0
"""What Chromium's main thread does, by the browser's own trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

Event = dict[str, Any]

# The input events, style, layout, and the commits that end a frame's work for the page.
TIMELINE = ["devtools.timeline", "disabled-by-default-devtools.timeline"]


@contextmanager
def tracing(page: Page) -> Iterator[list[Event]]:
    """The events of the time in between; complete once this is left."""
    session = page.context.new_cdp_session(page)
    events: list[Event] = []
    complete: list[bool] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda _: complete.append(True))
    config = {"includedCategories": TIMELINE, "recordMode": "recordAsMuchAsPossible"}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
    yield events
    session.send("Tracing.end")
    while not complete:
        page.wait_for_timeout(20)
    session.detach()


def frames_of_input(events: list[Event]) -> list[list[Event]]:
    """Of each frame that shows an `input` event: what its page's thread did from the first such
    event's handlers to the commit, both included, by when it began.

    Raises:
        ValueError: No input event came.
    """
    spans = sorted((e for e in events if e["ph"] == "X"), key=lambda e: float(e["ts"]))
    first = next((e for e in spans if _is_input(e)), None)
    if first is None:
        raise ValueError("no input event in the trace: the slider was not dragged")
    frames: list[list[Event]] = []
    frame: list[Event] = []
    for event in spans:
        if (event["pid"], event["tid"]) != (first["pid"], first["tid"]):
            continue
        if frame or _is_input(event):
            frame.append(event)
        if frame and event["name"] == "Commit":
            frames.append(frame)
            frame = []
    return frames


def _is_input(event: Event) -> bool:
    """The span in which the page's handlers of one `input` event run."""
    return event["name"] == "EventDispatch" and event["args"]["data"].get("type") == "input"
