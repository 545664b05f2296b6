# SPDX-License-Identifier: Apache-2.0
"""The tables of the store. Each change of them is a migration (`migrations`)."""

import sqlalchemy as sa

# As SQLite has them. On PostgreSQL, texts that may be long are unique by their digest
# (migrations/versions/0005).
METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite makes only INTEGER PRIMARY KEY an alias of the row id.
_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# Texts that are sorted by: by code point everywhere, whatever the database server's language.
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
# None is stored as NULL, not as the JSON text "null".
_JSON_OR_NULL = sa.JSON(none_as_null=True)

experiments = sa.Table(
    "experiments",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("slug", _SORTED, nullable=False, unique=True),
    sa.Column("title", _SORTED, nullable=False),
    sa.Column("subtitle", sa.Text, nullable=False, server_default=""),
    sa.Column("kind", sa.Text, nullable=False),
    # citation, url, licence, how_made, notes, fixed, default_view, default_fit as given
    sa.Column("source", sa.JSON, nullable=False),
    # SHA-256 of the data set's files, so that start-up loads a data set once; null otherwise
    sa.Column("dataset_sha256", sa.Text, nullable=True),
    # bumped by every change to what is said of it, its cells, runs or summaries: answers are
    # cached under it
    sa.Column("data_version", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Text, nullable=False),
    # of an experiment that is shown no more, and can be restored: all of it stays
    sa.Column("deleted_at", sa.Text, nullable=True),
    sa.CheckConstraint(
        "kind IN ('published', 'measured', 'emulated', 'simulated')", name="kind_known"
    ),
)

cells = sa.Table(
    "cells",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("experiment_id", sa.ForeignKey("experiments.id"), nullable=False),
    # canonical JSON of the factors: equal settings have equal text
    sa.Column("factor_key", sa.Text, nullable=False),
    sa.Column("factors", sa.JSON, nullable=False),
    # kept with the summaries: how many runs count, and how many of those logs were cut off
    sa.Column("current_runs", sa.Integer, nullable=False, server_default="0"),
    sa.Column("partial_runs", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("experiment_id", "factor_key"),
)

uploads = sa.Table(
    "uploads",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    # of a run log its SHA-256; a table may be in several places, and be read in several ways
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False, server_default="", index=True),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Column("filename", sa.Text, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("experiment_id", sa.ForeignKey("experiments.id"), nullable=False, index=True),
    sa.Column("run_count", sa.Integer, nullable=False),
    sa.Column("warnings", sa.JSON, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    # under which definitions the file's runs were measured
    sa.Column("measured_as", sa.Integer, nullable=False, server_default="0"),
    # what the columns of a table were said to mean
    sa.Column("mapping", _JSON_OR_NULL, nullable=True),
    # SQLite cannot rename a constraint: it is named as the column was
    sa.UniqueConstraint("identity", name="uq_uploads_sha256"),
    sa.CheckConstraint("content IN ('run_log', 'csv', 'foreign')", name="content_known"),
)

runs = sa.Table(
    "runs",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    # the run's own identity, shown to people: from the log's header, or from file and row
    sa.Column("uid", sa.Text, nullable=False, unique=True),
    sa.Column("experiment_id", sa.ForeignKey("experiments.id"), nullable=False, index=True),
    sa.Column("cell_id", sa.ForeignKey("cells.id"), nullable=False),
    sa.Column("replicate", sa.Integer, nullable=True),
    sa.Column("status", sa.Text, nullable=False, server_default="current"),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("upload_id", sa.ForeignKey("uploads.id"), nullable=True, index=True),
    sa.Column("csv_row", sa.Integer, nullable=True),
    sa.Column("partial", sa.Boolean, nullable=False, server_default=sa.false()),
    # factors as asked for, where the log also says what was read back
    sa.Column("requested", _JSON_OR_NULL, nullable=True),
    sa.Column("environment", _JSON_OR_NULL, nullable=True),
    sa.Column("warnings", sa.JSON, nullable=False),
    sa.Column("recorded_at", sa.Text, nullable=True),
    # place among the runs of its sweep or table, and what it was recorded together with
    sa.Column("order", sa.BigInteger, nullable=True),
    sa.Column("block", sa.Text, nullable=True),
    sa.Column("created_at", sa.Text, nullable=False),
    # whether there are warnings: lists are filtered by it
    sa.Column("warned", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.CheckConstraint("status IN ('current', 'retracted')", name="status_known"),
    sa.CheckConstraint("content IN ('run_log', 'csv', 'dataset', 'foreign')", name="content_known"),
    # all that lists are filtered and sorted by: the wide rows are read for one page only
    sa.Index(
        "ix_runs_listing",
        "cell_id",
        "status",
        "partial",
        "warned",
        "replicate",
        "recorded_at",
        "created_at",
    ),
)

run_measures = sa.Table(
    "run_measures",
    METADATA,
    sa.Column("run_id", sa.ForeignKey("runs.id"), primary_key=True),
    sa.Column("measure", _SORTED, primary_key=True),
    # a run's value, or for a row of published means their mean, deviation and count
    sa.Column("value", sa.Double, nullable=False),
    sa.Column("sd", sa.Double, nullable=True),
    sa.Column("n", sa.Integer, nullable=False, server_default="1"),
    sqlite_with_rowid=False,
)

summaries = sa.Table(
    "summaries",
    METADATA,
    sa.Column("cell_id", sa.ForeignKey("cells.id"), primary_key=True),
    sa.Column("measure", _SORTED, primary_key=True),
    sa.Column("n", sa.Integer, nullable=False),
    sa.Column("mean", sa.Double, nullable=False),
    sa.Column("sd", sa.Double, nullable=True),
    sa.Column("ci95_low", sa.Double, nullable=True),
    sa.Column("ci95_high", sa.Double, nullable=True),
    sqlite_with_rowid=False,
)

run_history = sa.Table(
    "run_history",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("run_id", sa.ForeignKey("runs.id"), nullable=False, index=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("before", _JSON_OR_NULL, nullable=True),
    sa.Column("after", _JSON_OR_NULL, nullable=True),
    sa.CheckConstraint(
        "action IN ('stored', 'retracted', 'restored', 'corrected')", name="action_known"
    ),
)

links = sa.Table(
    "links",
    METADATA,
    sa.Column("token", sa.Text, primary_key=True),
    sa.Column("path", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", sa.Text, nullable=False),
)

# What a sweep says of itself; its runs come as uploads, and stand alone.
sweeps = sa.Table(
    "sweeps",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("uid", sa.Text, nullable=False, unique=True),
    # the experiment need not be there before the first run came
    sa.Column("slug", sa.Text, nullable=False, index=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("replicates", sa.Integer, nullable=False),
    sa.Column("cells", sa.JSON, nullable=False),
    sa.Column("runs_planned", sa.Integer, nullable=False),
    sa.Column("runs_done", sa.Integer, nullable=False),
    sa.Column("runs_failed", sa.Integer, nullable=False),
    sa.Column("left_s", sa.Double, nullable=True),
    sa.Column("started_at", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Text, nullable=False),
    sa.CheckConstraint("state IN ('running', 'ended', 'stopped')", name="state_known"),
)

tokens = sa.Table(
    "tokens",
    METADATA,
    # the part of the token that is no secret
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("last_used_at", sa.Text, nullable=True),
    sa.Column("expires_at", sa.Text, nullable=True),
    sa.Column("revoked_at", sa.Text, nullable=True),
    sa.CheckConstraint("scope IN ('read', 'upload', 'admin')", name="scope_known"),
)

# Who changed the store, when and how: a row for each transaction that somebody caused.
changes = sa.Table(
    "changes",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
)

# Long fits: the question, who is at it, and the answer.
jobs = sa.Table(
    "jobs",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("uid", sa.Text, nullable=False, unique=True),
    sa.Column("slug", sa.Text, nullable=False, index=True),
    sa.Column("question", sa.JSON, nullable=False),
    # of the question and the version of the data that it was asked about
    sa.Column("question_sha256", sa.Text, nullable=False, index=True),
    sa.Column("state", sa.Text, nullable=False, index=True),
    sa.Column("worker", sa.Text, nullable=True),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("result", _JSON_OR_NULL, nullable=True),
    sa.Column("error", _JSON_OR_NULL, nullable=True),
    sa.Column("asked_at", sa.Text, nullable=False),
    sa.Column("started_at", sa.Text, nullable=True),
    sa.Column("heard_at", sa.Text, nullable=True),
    sa.Column("finished_at", sa.Text, nullable=True),
    # of the work, as far as it is known how much that is
    sa.Column("parts_done", sa.Integer, nullable=True),
    sa.Column("parts", sa.Integer, nullable=True),
    sa.CheckConstraint(
        "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="state_known"
    ),
)
