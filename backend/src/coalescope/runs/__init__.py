# SPDX-License-Identifier: Apache-2.0
"""Runs: one replicate of one cell; retraction, restoration and correction with history."""
