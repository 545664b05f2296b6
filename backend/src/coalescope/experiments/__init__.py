# SPDX-License-Identifier: Apache-2.0
"""Experiments: what there is, its cells and their summaries."""
