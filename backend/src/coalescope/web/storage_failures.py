# SPDX-License-Identifier: Apache-2.0
"""What disks and databases are known to do: no room, not writable, busy, gone."""

import errno
import shutil

from fastapi import Request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from coalescope.errors import CoalescopeError
from coalescope.settings import Settings


def storage_failure(request: Request, error: Exception) -> CoalescopeError | None:
    """What the client is told of it; None for what nobody expects of a disk or a database."""
    if _is_storage_full(error):
        return _storage_full(request)
    if _is_unwritable(error):
        return _unwritable(request)
    if _is_busy(error):
        return _busy(request)
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return _database_gone(request)
    return None


def reason_of(request: Request, error: Exception) -> str:
    """One line for the operator: what the system said and, where it was of a disk, of which."""
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    line = said.strip().partition("\n")[0]
    settings: Settings = request.app.state.settings
    if isinstance(error, DBAPIError) and settings.database_url is not None:
        return f"{line} (said by the database server)"
    if _is_storage_full(error):
        room = shutil.disk_usage(settings.data_dir)
        line += f" ({settings.data_dir.resolve()}: {room.free:,} of {room.total:,} bytes are free)"
    return line


def _is_storage_full(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return _said_by_database(error, "disk is full", "53100")


def _is_unwritable(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
    return _said_by_database(error, "readonly database", "25006")


def _is_busy(error: Exception) -> bool:
    return _said_by_database(error, "locked", "55P03") or isinstance(error, PoolTimeout)


def _said_by_database(error: Exception, sqlite: str, sqlstate: str) -> bool:
    """Whether it is that failure, by SQLite's words or PostgreSQL's code."""
    if not isinstance(error, DBAPIError):
        return False
    return sqlite in str(error.orig) or getattr(error.orig, "sqlstate", None) == sqlstate


def _unwritable(request: Request) -> CoalescopeError:
    return CoalescopeError(
        "not_writable",
        "The server's folder cannot be written at the moment; nothing was kept.",
        where={"method": request.method, "path": request.url.path},
        advice="Make the folder writable again, then send it again; reading goes on.",
        status=503,
    )


def _busy(request: Request) -> CoalescopeError:
    return CoalescopeError(
        "busy",
        "The store was busy with other changes for too long; this one was not made.",
        where={"method": request.method, "path": request.url.path, "retry_after_s": 5},
        advice="Send it again.",
        status=503,
    )


def _database_gone(request: Request) -> CoalescopeError:
    return CoalescopeError(
        "database_unreachable",
        "The database does not answer at the moment; nothing was changed.",
        where={"method": request.method, "path": request.url.path},
        advice="Try again in a moment. If it stays, look after the database server.",
        status=503,
    )


def _storage_full(request: Request) -> CoalescopeError:
    return CoalescopeError(
        "storage_full",
        "The server has no room left for this; nothing was kept.",
        where={"method": request.method, "path": request.url.path},
        advice="Free some room on the server's disk, then send it again.",
        status=507,
    )
