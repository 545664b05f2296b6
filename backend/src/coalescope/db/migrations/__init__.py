# SPDX-License-Identifier: Apache-2.0
"""Bring a database to this program's schema, or say why it cannot be used."""

from importlib.metadata import version
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError

# The newest revision in versions/; a test keeps it so. Known here, an up-to-date database
# starts without loading Alembic.
HEAD = "0013"


def migrate(database: Database) -> None:
    """Run the missing migrations in one transaction. Refuses a newer schema."""
    with database.read() as connection:
        if is_current(connection):
            return
    with database.write() as connection:
        upgrade(connection)


def check_current(database: Database, typed: str) -> None:
    """Refuse a store that cannot be used as it is; `typed` is what would migrate it.

    Errors: CoalescopeError where it is older or newer, or there is none.
    """
    if check_known(database, typed) is None:
        raise CoalescopeError(
            "no_store",
            "The database holds no store yet.",
            advice=f"`{typed}` makes one with the published data sets; serve and import make one "
            "too.",
        )


def check_known(database: Database, typed: str, *, migrates: bool = False) -> str | None:
    """Refuse a newer store, and an older one unless it is about to be migrated.

    Returns its schema; None where there is no store yet. Errors: CoalescopeError.
    """
    with database.read() as connection:
        revision = schema_of(connection)
    if revision is not None and revision > HEAD:
        raise _newer(revision)
    if revision is not None and revision < HEAD and not migrates:
        raise _older(revision, typed)
    return revision


def is_current(connection: Connection) -> bool:
    """Whether the schema is this program's."""
    return schema_of(connection) == HEAD


def schema_of(connection: Connection) -> str | None:
    """The revision of a store; None where there is none yet."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(connection: Connection, target: str = "head") -> None:
    """Run the migrations up to `target` in the connection's transaction.

    Errors: CoalescopeError if the database has a schema that this program does not know.
    """
    from alembic import command  # noqa: PLC0415  only when there is something to do
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    revision = schema_of(connection)
    if revision is not None and revision not in known:
        raise _newer(revision)
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _older(revision: str, typed: str) -> CoalescopeError:
    return CoalescopeError(
        "older_schema",
        f"The store has schema {revision}, of an older version; {_this_program()}.",
        where={"schema": revision, "known": HEAD},
        advice=f"`{typed}` brings it up to date, as `coalescope serve` does; older versions cannot "
        "open it from then on. Keep a copy of it before: docs/upgrading.md says how.",
        status=500,
    )


def _newer(revision: str) -> CoalescopeError:
    return CoalescopeError(
        "newer_schema",
        f"The store has schema {revision}, of a newer version; {_this_program()}.",
        where={"schema": revision, "known": HEAD},
        advice="Use the newer version that wrote it, or go back to a backup that an older one "
        "made: `coalescope restore BACKUP --data NEW-FOLDER` (docs/upgrading.md).",
        status=500,
    )


def _this_program() -> str:
    return f"Coalescope {version('coalescope')} works with schema {HEAD}"
