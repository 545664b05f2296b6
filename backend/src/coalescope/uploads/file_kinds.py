# SPDX-License-Identifier: Apache-2.0
"""What a file is taken for, by its first bytes and its name. Pure."""

_RUN_LOG_MAGIC = b"\x89COAL\r\n\x1a"
_RUN_LOG_NAME = ".runlog"


def begins_as_run_log(start: bytes) -> bool:
    """A log that was damaged in its first bytes should be told so as a log."""
    return start[:5] == _RUN_LOG_MAGIC[:5]


def is_named_as_run_log(filename: str) -> bool:
    """What is none for all its name should be told so too, and not what it lacks as a table."""
    return filename.lower().endswith(_RUN_LOG_NAME)
