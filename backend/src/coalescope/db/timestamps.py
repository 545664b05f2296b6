# SPDX-License-Identifier: Apache-2.0
"""Points in time as the store and the API write them."""

from datetime import UTC, datetime


def utc_now() -> str:
    """Now in UTC, ISO 8601 with milliseconds: 2026-01-31T12:00:00.000Z."""
    return as_utc(datetime.now(UTC))


def as_utc(moment: datetime) -> str:
    """That moment in UTC, ISO 8601 with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
