# SPDX-License-Identifier: Apache-2.0
"""Bring a database to this program's schema, or say why it cannot be used."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError

# The newest revision in versions/; a test keeps it so. Known here, an up-to-date database
# starts without loading Alembic.
HEAD = "0011"


def migrate(database: Database) -> None:
    """Run the missing migrations in one transaction. Refuses a newer schema."""
    with database.read() as connection:
        if is_current(connection):
            return
    with database.write() as connection:
        upgrade(connection)


def check_current(database: Database) -> None:
    """Refuse a schema that cannot be read as it is. Errors: CoalescopeError."""
    with database.read() as connection:
        revision = _revision(connection)
    if revision is not None and revision > HEAD:
        raise _newer(revision)
    if revision != HEAD:
        raise CoalescopeError(
            "older_schema",
            f"The database has schema {revision or 'none'}; this program reads schema {HEAD}.",
            where={"schema": revision, "known": HEAD},
            advice="`coalescope migrate`, or `coalescope serve`, brings it up to date; older "
            "programs cannot open it from then on.",
            status=500,
        )


def is_current(connection: Connection) -> bool:
    """Whether the schema is this program's."""
    return _revision(connection) == HEAD


def _revision(connection: Connection) -> str | None:
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
    revision = _revision(connection)
    if revision is not None and revision not in known:
        raise _newer(revision)
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _newer(revision: str) -> CoalescopeError:
    return CoalescopeError(
        "newer_schema",
        f"The database has schema {revision}; this program knows schemas up to {HEAD}.",
        where={"schema": revision, "known": HEAD},
        advice="Start the newer version of Coalescope that wrote it, or use another data_dir.",
        status=500,
    )
