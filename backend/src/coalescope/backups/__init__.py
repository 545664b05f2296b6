# SPDX-License-Identifier: Apache-2.0
"""Copies of a store: a backup is a folder that is a store itself."""
