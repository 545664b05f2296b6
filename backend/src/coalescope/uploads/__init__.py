# SPDX-License-Identifier: Apache-2.0
"""Uploads: run logs and tidy CSV, all or nothing per file, acknowledged when durable."""
