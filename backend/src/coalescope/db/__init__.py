# SPDX-License-Identifier: Apache-2.0
"""The database: engine, tables, migrations."""
