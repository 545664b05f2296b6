# SPDX-License-Identifier: Apache-2.0
"""Bytes that are kept: objects in a folder or a bucket."""
