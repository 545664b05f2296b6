# SPDX-License-Identifier: Apache-2.0
"""Sweeps that are on their way: what they plan, how far they are, and a stream of what changes."""
