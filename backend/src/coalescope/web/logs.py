# SPDX-License-Identifier: Apache-2.0
"""Logs as JSON objects for programs. Neither headers nor bodies are ever logged."""

import json
import logging
from datetime import UTC, datetime

from coalescope.db.timestamps import as_utc

# What every record has; what is beyond was given with `extra`.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and what was given with `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record as one line."""
        line = {
            "time": as_utc(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _OWN}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        # ASCII: whatever a request named neither ends the line nor steers a terminal
        return json.dumps(line, default=str)


def log_as_json() -> None:
    """Send what the program logs to stderr as JSON: changes, refusals, requests and failures."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for name in ("coalescope", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO)
