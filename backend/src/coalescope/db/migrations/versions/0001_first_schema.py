# SPDX-License-Identifier: Apache-2.0
"""First schema: experiments, cells, runs and their measures, summaries, uploads, links."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "experiments",
        sa.Column("id", _ID, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("subtitle", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.JSON(), nullable=False),
        sa.Column("dataset_sha256", sa.Text(), nullable=True),
        sa.Column("data_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('published', 'measured', 'emulated', 'simulated')",
            name=op.f("ck_experiments_kind_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
        sa.UniqueConstraint("slug", name=op.f("uq_experiments_slug")),
    )
    op.create_table(
        "links",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_links")),
        sa.UniqueConstraint("path", name=op.f("uq_links_path")),
    )
    op.create_table(
        "cells",
        sa.Column("id", _ID, nullable=False),
        sa.Column("experiment_id", _ID, nullable=False),
        sa.Column("factor_key", sa.Text(), nullable=False),
        sa.Column("factors", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name=op.f("fk_cells_experiment_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cells")),
        sa.UniqueConstraint(
            "experiment_id", "factor_key", name=op.f("uq_cells_experiment_id_factor_key")
        ),
    )
    op.create_table(
        "uploads",
        sa.Column("id", _ID, nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("experiment_id", _ID, nullable=False),
        sa.Column("run_count", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.CheckConstraint("content IN ('run_log', 'csv')", name=op.f("ck_uploads_content_known")),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name=op.f("fk_uploads_experiment_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
        sa.UniqueConstraint("sha256", name=op.f("uq_uploads_sha256")),
    )
    op.create_index(op.f("ix_uploads_experiment_id"), "uploads", ["experiment_id"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", _ID, nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("experiment_id", _ID, nullable=False),
        sa.Column("cell_id", _ID, nullable=False),
        sa.Column("replicate", sa.Integer(), nullable=True),
        sa.Column("status", sa.Text(), server_default="current", nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("upload_id", _ID, nullable=True),
        sa.Column("csv_row", sa.Integer(), nullable=True),
        sa.Column("partial", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("requested", sa.JSON(), nullable=True),
        sa.Column("environment", sa.JSON(), nullable=True),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("recorded_at", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "content IN ('run_log', 'csv', 'dataset')", name=op.f("ck_runs_content_known")
        ),
        sa.CheckConstraint("status IN ('current', 'retracted')", name=op.f("ck_runs_status_known")),
        sa.ForeignKeyConstraint(["cell_id"], ["cells.id"], name=op.f("fk_runs_cell_id")),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name=op.f("fk_runs_experiment_id")
        ),
        sa.ForeignKeyConstraint(["upload_id"], ["uploads.id"], name=op.f("fk_runs_upload_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("uid", name=op.f("uq_runs_uid")),
    )
    op.create_index(op.f("ix_runs_cell_id"), "runs", ["cell_id"], unique=False)
    op.create_index(op.f("ix_runs_experiment_id"), "runs", ["experiment_id"], unique=False)
    op.create_index(op.f("ix_runs_upload_id"), "runs", ["upload_id"], unique=False)
    op.create_table(
        "summaries",
        sa.Column("cell_id", _ID, nullable=False),
        sa.Column("measure", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False),
        sa.Column("sd", sa.Double(), nullable=True),
        sa.Column("ci95_low", sa.Double(), nullable=True),
        sa.Column("ci95_high", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["cell_id"], ["cells.id"], name=op.f("fk_summaries_cell_id")),
        sa.PrimaryKeyConstraint("cell_id", "measure", name=op.f("pk_summaries")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "run_history",
        sa.Column("id", _ID, nullable=False),
        sa.Column("run_id", _ID, nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.CheckConstraint(
            "action IN ('stored', 'retracted', 'restored', 'corrected')",
            name=op.f("ck_run_history_action_known"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_history_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_history")),
    )
    op.create_index(op.f("ix_run_history_run_id"), "run_history", ["run_id"], unique=False)
    op.create_table(
        "run_measures",
        sa.Column("run_id", _ID, nullable=False),
        sa.Column("measure", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("sd", sa.Double(), nullable=True),
        sa.Column("n", sa.Integer(), server_default="1", nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_measures_run_id")),
        sa.PrimaryKeyConstraint("run_id", "measure", name=op.f("pk_run_measures")),
        sqlite_with_rowid=False,
    )
