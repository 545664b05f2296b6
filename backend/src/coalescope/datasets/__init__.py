# SPDX-License-Identifier: Apache-2.0
"""The data sets that come with the source, loaded at start: tables, and bundles of run logs."""
