# SPDX-License-Identifier: Apache-2.0
"""Tokens that callers show: made once, kept as hashes, revocable; and the record of changes."""
