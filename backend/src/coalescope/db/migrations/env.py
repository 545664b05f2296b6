# SPDX-License-Identifier: Apache-2.0
"""Alembic's entry: runs the migrations on the connection that coalescope.db.migrations gives."""

from alembic import context

from coalescope.db.tables import METADATA

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=METADATA, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
